package simserver

import (
	"math/big"
	"regexp"
	"strings"
)

// A problem is what a solver looks at.
type problem struct {
	question string   // a stretch of the last text, where the instruction may be
	texts    []string // all that the prompt says, in order
}

// A solver looks for an instruction that it understands. It returns the answer
// and where the instruction begins in the question, or -1.
type solver func(problem) (answer string, at int)

// solvers are the kinds of question that the model answers rightly.
func solvers() []solver { return []solver{lookUp, calculate, repeat} }

// solve answers the last instruction of the last text, going by its end first
// and then by its beginning: what stands between is context.
func solve(texts []string) (answer string, ok bool) {
	const reach = 1500 // bytes; longer texts are not searched whole, since there may be a book of them
	if len(texts) == 0 {
		return "", false
	}
	last := texts[len(texts)-1]
	for _, question := range []string{last[max(0, len(last)-reach):], last[:min(reach, len(last))]} {
		best := -1
		for _, s := range solvers() {
			if found, at := s(problem{question, texts}); at > best {
				answer, best = found, at
			}
		}
		if best >= 0 {
			return answer, true
		}
	}
	return "", false
}

// lastMatch is the submatches of the last match in s, and where it begins.
func lastMatch(r *regexp.Regexp, s string) (groups []string, at int) {
	all := r.FindAllStringSubmatchIndex(s, -1)
	if len(all) == 0 {
		return nil, -1
	}
	found := all[len(all)-1]
	for i := 0; i < len(found); i += 2 {
		group := ""
		if found[i] >= 0 {
			group = s[found[i]:found[i+1]]
		}
		groups = append(groups, group)
	}
	return groups, found[0]
}

var (
	lookUpAsked = regexp.MustCompile(`(?i)\b(?:what|which|give|tell|report|state|return|find|look up)\b[^\n?.]{0,40}?` +
		`\b(?:value|number|entry|code)\b[^\n?.]{0,30}?\b(?:of|for|does|has|to|under|with|by)\s+(?:the\s+)?(?:key\s+)?` +
		"[\"'`“]?" + `((?-i:[A-Za-z][\w-]*\d[\w-]*|[A-Z][A-Z0-9_-]+))`)
	lookUpTold = regexp.MustCompile("^[\"'`”]?" + `\s*(?:is now|is|was|=|:|->|→|equals|has the value|has value|holds)\s*` +
		"[\"'`“]?" + `(-?[\w-]*\w)`)
)

// lookUp answers "What is the value of K17?" from "the value of K17 is 5521". Of
// several values the one told last counts.
func lookUp(p problem) (string, int) {
	asked, at := lastMatch(lookUpAsked, p.question)
	if at < 0 {
		return "", -1
	}
	key := asked[1]
	for i := len(p.texts) - 1; i >= 0; i-- {
		for text := p.texts[i]; ; {
			found := strings.LastIndex(text, key)
			if found < 0 {
				break
			}
			told := lookUpTold.FindStringSubmatch(p.texts[i][found+len(key):])
			if told != nil && (found == 0 || !isWord(text[found-1])) {
				return told[1], at
			}
			text = text[:found]
		}
	}
	return "", -1
}

// isWord tells whether a byte can be part of a key.
func isWord(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' || c == '-' }

var (
	sumAsked = regexp.MustCompile(`(?i)\b(?:what|calculate|compute|evaluate|how much|work out|solve|find)\b[^\n\d-]{0,40}` +
		`(-?\d{1,12}(?:` + operator + `-?\d{1,12})+)`)
	sumTerm = regexp.MustCompile(`(?i)(` + operator + `)?(-?\d{1,12})`)
)

const operator = `\s*(?:[-+*x×÷/−–]|plus|minus|times|multiplied by|divided by)\s*`

// calculate answers "What is 37 + 48?". Products come before sums; a quotient
// must be whole.
func calculate(p problem) (string, int) {
	asked, at := lastMatch(sumAsked, p.question)
	if at < 0 {
		return "", -1
	}
	sum, product := new(big.Int), new(big.Int)
	for i, term := range sumTerm.FindAllStringSubmatch(asked[1], -1) {
		value, _ := new(big.Int).SetString(term[2], 10) // digits by the pattern
		switch op := strings.ToLower(strings.TrimSpace(term[1])); {
		case i == 0, op == "+", op == "plus":
			sum.Add(sum, product)
			product = value
		case op == "-", op == "−", op == "–", op == "minus":
			sum.Add(sum, product)
			product = value.Neg(value)
		case op == "÷", op == "/", op == "divided by":
			rest := new(big.Int)
			if value.Sign() == 0 {
				return "", -1
			}
			if product.QuoRem(product, value, rest); rest.Sign() != 0 {
				return "", -1
			}
		default:
			product.Mul(product, value)
		}
	}
	return sum.Add(sum, product).String(), at
}

var (
	repeatAsked = regexp.MustCompile(`(?i)\b(?:repeat|copy|echo|reproduce|return|write|print|output|say|reply|respond|answer)\b` +
		`[^\n:.?!]{0,60}?\b(?:code|string|token|word|identifier|phrase|text)s?\b([^\n:.?!]{0,60}:)?`)
	codeQuoted = regexp.MustCompile("^\\s*(?:\"([^\"\n]+)\"|'([^'\n]+)'|`([^`\n]+)`|“([^”\n]+)”)")
	codeNext   = regexp.MustCompile(`^\s*(\S+)`)
	codeLike   = regexp.MustCompile(`\b(?:[A-Z0-9]+(?:-[A-Z0-9]+)+|[A-Za-z_]*\d[\w-]*)\b`)
)

// repeat answers "Repeat this code exactly: ORBIT-7Q2K". Without a colon the code
// is the next word that looks like one, or else the last before the instruction.
func repeat(p problem) (string, int) {
	asked, at := lastMatch(repeatAsked, p.question)
	if at < 0 {
		return "", -1
	}
	before, rest := p.question[:at], p.question[at+len(asked[0]):]
	if quoted := codeQuoted.FindStringSubmatch(rest); quoted != nil {
		return strings.Join(quoted[1:], ""), at
	}
	if next := codeNext.FindStringSubmatch(rest); next != nil && asked[1] != "" {
		if code := strings.TrimRight(next[1], `.,;:!?"'`); code != "" {
			return code, at
		}
	}
	if code := codeLike.FindString(rest); code != "" {
		return code, at
	}
	if codes := codeLike.FindAllString(before, -1); codes != nil {
		return codes[len(codes)-1], at
	}
	return "", -1
}
