package simserver

import "strings"

// Token ids below firstByte are special: the chat template writes them, no text
// does, so a message cannot forge one.
const (
	endOfText int32 = iota
	turnStart
	turnEnd
	roleSystem
	roleDeveloper
	roleUser
	roleAssistant
	roleTool
	firstByte
)

// The rest of the vocabulary lies in blocks. Pieces of letters are found by
// arithmetic; only whole words need a table.
const (
	firstRun     = firstByte + 256
	firstPair    = firstRun + 5         // two digits
	firstTriple  = firstPair + 100      // three digits
	firstLetters = firstTriple + 1000   // "ab"
	firstTitle   = firstLetters + 676   // "Ab"
	firstCaps    = firstTitle + 676     // "AB"
	firstSpaced  = firstCaps + 676      // " ab"
	firstOpening = firstSpaced + 676    // " Ab"
	firstLetter  = firstOpening + 676   // " a", then " A"
	firstTrigram = firstLetter + 52     // "abc"
	firstWord    = firstTrigram + 17576 // "word", " word", "Word", " Word"
)

// runs are the stretches of white space that are one token.
var runs = [...]string{"\n\n", "                ", "        ", "    ", "  "}

// A tokenizer turns text into token ids and back. It is a toy, but one that a
// client can count on: the same text always gives the same ids, ids give back
// exactly the text they came from, and English costs about 1.4 tokens a word.
type tokenizer struct {
	words []string         // in the order of their ids, four forms each
	ids   map[string]int32 // of the forms
}

func newTokenizer() *tokenizer {
	lists := []string{
		determiners, adjectives, nouns, verbs, adverbs, prepositions, conjunctions, readOnly,
	}
	t := &tokenizer{ids: make(map[string]int32)}
	for _, word := range strings.Fields(strings.Join(lists, " ")) {
		title := strings.ToUpper(word[:1]) + word[1:]
		for _, form := range [...]string{word, " " + word, title, " " + title} {
			t.ids[form] = firstWord + int32(len(t.words))
			t.words = append(t.words, form)
		}
	}
	return t
}

// size is the number of ids that stand for text or a special token.
func (t *tokenizer) size() int { return int(firstWord) + len(t.words) }

// encode appends the ids of text to ids.
func (t *tokenizer) encode(ids []int32, text string) []int32 {
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && text[i] == ' ' {
			i++
		}
		end := i
		for end < len(text) && isLetter(text[end]) {
			end++
		}
		switch spaces := i - start; {
		case end > i && spaces > 0:
			ids = appendSpaces(ids, spaces-1)
			ids = t.appendWord(ids, text[i-1:end])
			i = end
		case end > i:
			ids = t.appendWord(ids, text[i:end])
			i = end
		case spaces > 0:
			ids = appendSpaces(ids, spaces)
		default:
			var n int
			ids, n = appendOther(ids, text[i:])
			i += n
		}
	}
	return ids
}

// appendWord appends a run of letters, with or without one space before it.
func (t *tokenizer) appendWord(ids []int32, word string) []int32 {
	if id, n := t.longestWord(word); n > 0 {
		ids, word = append(ids, id), word[n:]
	} else if word[0] == ' ' {
		id, n := spacedPiece(word[1:])
		ids, word = append(ids, id), word[1+n:]
	}
	for word != "" {
		id, n := letterPiece(word)
		ids, word = append(ids, id), word[n:]
	}
	return ids
}

// longestWord is the longest word of the vocabulary that the run begins with. A
// short one only counts when it is the whole run: "a" says little of "along".
func (t *tokenizer) longestWord(run string) (id int32, n int) {
	const shortest, longest = 4, 12
	if id, ok := t.ids[run]; ok {
		return id, len(run)
	}
	for n := min(longest, len(run)-1); n >= shortest; n-- {
		if id, ok := t.ids[run[:n]]; ok {
			return id, n
		}
	}
	return 0, 0
}

// spacedPiece is the longest piece that begins with a space and then s.
func spacedPiece(s string) (id int32, n int) {
	if len(s) > 1 && isLower(s[1]) {
		if isLower(s[0]) {
			return firstSpaced + letterIndex(s[:2]), 2
		}
		return firstOpening + letterIndex(s[:2]), 2
	}
	if isLower(s[0]) {
		return firstLetter + letterIndex(s[:1]), 1
	}
	return firstLetter + 26 + letterIndex(s[:1]), 1
}

// letterPiece is the longest piece that s, letters without a space, begins with.
func letterPiece(s string) (id int32, n int) {
	switch {
	case len(s) == 1:
		return firstByte + int32(s[0]), 1
	case isLower(s[0]) && isLower(s[1]):
		if len(s) > 2 && isLower(s[2]) {
			return firstTrigram + letterIndex(s[:3]), 3
		}
		return firstLetters + letterIndex(s[:2]), 2
	case isLower(s[0]):
		return firstByte + int32(s[0]), 1
	case isLower(s[1]):
		return firstTitle + letterIndex(s[:2]), 2
	default:
		return firstCaps + letterIndex(s[:2]), 2
	}
}

// letterIndex reads s as a number in base 26, whatever the case of its letters.
func letterIndex(s string) int32 {
	n := int32(0)
	for _, c := range []byte(s) {
		n = n*26 + int32(c|0x20) - 'a'
	}
	return n
}

func appendSpaces(ids []int32, n int) []int32 {
	for n > 0 {
		id, width := firstByte+int32(' '), 1
		for i, run := range runs {
			if run[0] == ' ' && len(run) <= n {
				id, width = firstRun+int32(i), len(run)
				break
			}
		}
		ids, n = append(ids, id), n-width
	}
	return ids
}

// appendOther appends what is neither letters nor spaces: up to three digits, a
// blank line, or one byte. It returns how many bytes of s it took.
func appendOther(ids []int32, s string) ([]int32, int) {
	digits := 0
	for digits < min(len(s), 3) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	value := int32(0)
	for _, c := range []byte(s[:digits]) {
		value = value*10 + int32(c-'0')
	}
	switch {
	case digits == 3:
		return append(ids, firstTriple+value), 3
	case digits == 2:
		return append(ids, firstPair+value), 2
	case strings.HasPrefix(s, runs[0]):
		return append(ids, firstRun), len(runs[0])
	default:
		return append(ids, firstByte+int32(s[0])), 1
	}
}

func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool { return isLower(c | 0x20) }
