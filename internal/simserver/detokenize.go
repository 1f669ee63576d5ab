package simserver

import "unicode/utf8"

// decode returns the text of ids. Special tokens and ids that stand for nothing
// have none.
func (t *tokenizer) decode(ids []int32) string {
	var text []byte
	for _, id := range ids {
		text = t.appendText(text, id)
	}
	return string(text)
}

// appendText appends the text of one token.
func (t *tokenizer) appendText(text []byte, id int32) []byte {
	switch {
	case id < firstByte || int(id) >= t.size():
		return text
	case id < firstRun:
		return append(text, byte(id-firstByte))
	case id < firstPair:
		return append(text, runs[id-firstRun]...)
	case id < firstTriple:
		return appendDigits(text, id-firstPair, 2)
	case id < firstLetters:
		return appendDigits(text, id-firstTriple, 3)
	case id < firstTitle:
		return appendLetters(text, id-firstLetters, 2)
	case id < firstCaps:
		return capitalise(appendLetters(text, id-firstTitle, 2), 2, 1)
	case id < firstSpaced:
		return capitalise(appendLetters(text, id-firstCaps, 2), 2, 2)
	case id < firstOpening:
		return appendLetters(append(text, ' '), id-firstSpaced, 2)
	case id < firstLetter:
		return capitalise(appendLetters(append(text, ' '), id-firstOpening, 2), 2, 1)
	case id < firstLetter+26:
		return appendLetters(append(text, ' '), id-firstLetter, 1)
	case id < firstTrigram:
		return capitalise(appendLetters(append(text, ' '), id-firstLetter-26, 1), 1, 1)
	case id < firstWord:
		return appendLetters(text, id-firstTrigram, 3)
	default:
		return append(text, t.words[id-firstWord]...)
	}
}

// appendDigits appends value in the given number of decimal digits.
func appendDigits(text []byte, value int32, width int) []byte {
	return appendBase(text, value, width, 10, '0')
}

// appendLetters appends value in the given number of base-26 letters.
func appendLetters(text []byte, value int32, width int) []byte {
	return appendBase(text, value, width, 26, 'a')
}

func appendBase(text []byte, value int32, width int, base int32, zero byte) []byte {
	start := len(text)
	for range width {
		text = append(text, zero)
	}
	for i := len(text) - 1; i >= start; i-- {
		text[i] += byte(value % base)
		value /= base
	}
	return text
}

// capitalise makes capitals of the first n of the last width letters.
func capitalise(text []byte, width, n int) []byte {
	for i := range n {
		text[len(text)-width+i] -= 'a' - 'A'
	}
	return text
}

// speak is text as the tokens of a reply. A character that takes several tokens
// comes with the last of them, so that each token's text is valid by itself.
func (t *tokenizer) speak(text string) []token {
	var tokens []token
	var pending []byte
	for _, id := range t.encode(nil, text) {
		pending = t.appendText(pending, id)
		said := token{id: id}
		if utf8.Valid(pending) {
			said.text, pending = string(pending), nil
		}
		tokens = append(tokens, said)
	}
	return tokens
}
