package diag

import "strings"

// Nearest returns the candidate that a user most likely meant by name, and
// whether there is one: the smallest edit distance (insertions, deletions,
// substitutions and swapped neighbours count one each), at most a third of the
// longer name's length.
func Nearest(name string, candidates []string) (string, bool) {
	best, bestDistance := "", -1
	for _, candidate := range candidates {
		distance := editDistance(strings.ToLower(name), strings.ToLower(candidate))
		if bestDistance < 0 || distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	limit := max(1, max(len(name), len(best))/3)
	return best, bestDistance >= 0 && bestDistance <= limit
}

// editDistance is the optimal string alignment distance of a and b in runes.
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := [3][]int{make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(s); i++ {
		before, above, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(t); j++ {
			substitution := above[j-1]
			if s[i-1] != t[j-1] {
				substitution++
			}
			row[j] = min(above[j]+1, row[j-1]+1, substitution)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows[0], rows[1], rows[2] = above, row, before
	}
	return rows[1][len(t)]
}

// Quoted lists names for a message: "a", "b", "c".
func Quoted(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = `"` + name + `"`
	}
	return strings.Join(quoted, ", ")
}
