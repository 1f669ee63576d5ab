package metric

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The kinds of degenerate text: hard signs that the tokens were computed wrong,
// as opposed to a model that repeats itself, which it may well do when its
// output is forced past its natural end.
const (
	// DegenerateWall is one character over and over: what NaN logits give.
	DegenerateWall = "one_character"
	// DegenerateDoubled is every word twice: what a doubled decode step gives.
	DegenerateDoubled = "doubled_words"
	// DegenerateBroken is a text of replacement characters.
	DegenerateBroken = "broken_characters"
	// DegenerateLoop is a text that says the same eight words again and again.
	// It counts only where the model was free to stop.
	DegenerateLoop = "loop"
)

// Thresholds of the signals, from samples of prose, code and JSON against
// synthetic faults. Shorter texts are not judged by them.
const (
	wallChars   = 12   // a wall needs this many characters that are not white space
	wallShare   = 0.80 // ... this share of them the same
	wallRun     = 200  // ... or this many in a row
	halfRun     = 32   // ... or this many in a row,
	halfShare   = 0.50 // ... when they are this share of the text
	doubleWords = 100  // doubling needs this many words
	doubleShare = 0.30 // ... this many pairs of equal neighbours per word
	brokenChars = 32   // broken characters need a text this long
	brokenShare = 0.20 // ... U+FFFD per character
	loopWords   = 64   // a loop needs this many words
	loopShare   = 0.50 // ... this share of its eight-word runs repeated
)

// Regime says what a text may rightly look like.
type Regime uint8

const (
	// Natural text ended where the model wanted it to: every signal counts.
	Natural Regime = iota
	// Forced text was continued past its natural end: loops and broken
	// characters may be the model's own.
	Forced
	// Echoing text answers a prompt of one repeated token, which the model may
	// rightly repeat: words are not judged at all.
	Echoing
)

// Degenerate names the hard signal that text shows, or is empty.
func Degenerate(text string, regime Regime) string {
	if isWall(text) {
		return DegenerateWall
	}
	if regime == Echoing {
		return ""
	}
	words := strings.Fields(text)
	if len(words) >= doubleWords && pairs(words) >= doubleShare {
		return DegenerateDoubled
	}
	if regime == Forced {
		return ""
	}
	if n := utf8.RuneCountInString(text); n >= brokenChars && float64(strings.Count(text, "\uFFFD")) > brokenShare*float64(n) {
		return DegenerateBroken
	}
	if len(words) >= loopWords && repeatedRuns(words) >= loopShare {
		return DegenerateLoop
	}
	return ""
}

// isWall reports whether one character that is not white space makes up most of
// the text, or stands many times in a row.
func isWall(text string) bool {
	counts := make(map[rune]int)
	total, most, run, longest := 0, 0, 0, 0
	var last rune
	for _, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		total++
		counts[r]++
		most = max(most, counts[r])
		if r == last {
			run++
		} else {
			last, run = r, 1
		}
		longest = max(longest, run)
	}
	return total >= wallChars && float64(most) >= wallShare*float64(total) ||
		longest >= wallRun || longest >= halfRun && float64(longest) >= halfShare*float64(total)
}

// pairs is the number of words that stand exactly twice in a row, per word: 0.5
// in a text whose every word is doubled, about 0 in one that loops on a word.
func pairs(words []string) float64 {
	n := 0
	for i := 0; i < len(words); {
		j := i + 1
		for j < len(words) && words[j] == words[i] {
			j++
		}
		if j-i == 2 {
			n++
		}
		i = j
	}
	return float64(n) / float64(len(words))
}

// repeatedRuns is the share of eight-word runs that stood before in the text.
func repeatedRuns(words []string) float64 {
	const length = 8
	seen := make(map[string]bool)
	repeated, total := 0, 0
	for i := 0; i+length <= len(words); i++ {
		run := strings.Join(words[i:i+length], " ")
		total++
		if seen[run] {
			repeated++
		}
		seen[run] = true
	}
	return float64(repeated) / float64(max(1, total))
}

// Text is all that the model wrote: its thinking and its answer.
func (r *Request) Text() string {
	if r.Reasoning == "" {
		return r.Content
	}
	return r.Reasoning + r.Content
}
