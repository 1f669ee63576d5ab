package chat

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text joins the pieces of one text as they come. A character may be split
// between two pieces, as raw bytes or as the two halves of an escaped surrogate
// pair, so pieces are kept as they are (a half in three bytes, as UTF-8 would
// write it if it allowed halves) and only the whole is judged.
type text struct{ buf []byte }

// add appends a JSON string, given with its quotes.
func (t *text) add(quoted string) {
	t.buf = appendUnquoted(t.buf, quoted[1:len(quoted)-1])
}

// string is the text so far; whole is false if a character of it was broken and
// had to be replaced by U+FFFD.
func (t *text) string() (s string, whole bool) {
	if utf8.Valid(t.buf) {
		return string(t.buf), true
	}
	return mend(t.buf)
}

// appendUnquoted appends the inside of a valid JSON string without its escapes.
func appendUnquoted(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		escape := s[i+1]
		s = s[i+2:]
		switch escape {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			n := min(4, len(s))
			unit, _ := strconv.ParseUint(s[:n], 16, 16)
			dst = appendUnit(dst, rune(unit))
			s = s[n:]
		default: // a quote, a slash or a backslash stands for itself
			dst = append(dst, escape)
		}
	}
}

// appendUnit appends a UTF-16 code unit, surrogate halves included.
func appendUnit(dst []byte, unit rune) []byte {
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(dst, unit)
	}
	return append(dst, 0xE0|byte(unit>>12), 0x80|byte(unit>>6)&0xBF, 0x80|byte(unit)&0xBF)
}

// mend joins surrogate halves that stand together and replaces what is left of
// invalid bytes and lone halves by U+FFFD.
func mend(b []byte) (s string, whole bool) {
	out := make([]byte, 0, len(b))
	whole = true
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			first, isHalf := surrogate(b)
			second, _ := surrogate(b[min(3, len(b)):])
			if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
				r, size = pair, 6
			} else {
				whole = false
				if isHalf {
					size = 3
				}
			}
		}
		out = utf8.AppendRune(out, r)
		b = b[size:]
	}
	return string(out), whole
}

// surrogate reads a surrogate half in the three bytes that appendUnit writes.
func surrogate(b []byte) (half rune, ok bool) {
	if len(b) < 3 || b[0] != 0xED || b[1]&0xE0 != 0xA0 || b[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F), true
}
