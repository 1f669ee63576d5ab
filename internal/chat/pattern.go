package chat

import (
	"bytes"
	"unsafe"
)

// Most events of a stream differ from the one before in a few characters: their
// text. So the last event that carried one piece of text and nothing else is kept
// as a pattern, and an event that fits it is read without being parsed. Whatever
// does not fit is parsed as a whole, and gives the same answer.

// pattern is an event around its text.
type pattern struct {
	before, after []byte // up to the text's opening quote and from its closing one
	text          *text  // where the text goes
	kind          EventKind

	off bool // parse everything: for the comparison of the two
}

// read takes an event that fits the pattern; false: it does not.
func (p *pattern) read(a *answer, data []byte, at Stamp) bool {
	if p.text == nil || a.finish != "" || a.abort != nil || len(data) <= len(p.before)+len(p.after) {
		return false
	}
	inside := data[len(p.before) : len(data)-len(p.after)]
	if !bytes.Equal(data[:len(p.before)], p.before) || !bytes.Equal(data[len(data)-len(p.after):], p.after) || !isPlain(inside) {
		return false
	}
	a.payloads++
	a.wrote, a.usageAlone = true, false
	p.text.buf = append(p.text.buf, inside...)
	a.events = append(a.events, Event{At: at, Kind: p.kind, Tokens: -1})
	return true
}

// isPlain reports whether the inside of a JSON string stands for itself.
func isPlain(s []byte) bool {
	for _, c := range s {
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// learn makes a pattern of an event that was just parsed, if it carried one piece
// of text, given with its quotes, and nothing else that counts.
func (p *pattern) learn(data, quoted string, t *text, kind EventKind) {
	if p.off {
		return
	}
	start := int(uintptr(unsafe.Pointer(unsafe.StringData(quoted))) - uintptr(unsafe.Pointer(unsafe.StringData(data))))
	if start < 0 || start+len(quoted) > len(data) {
		p.text = nil // not a part of data: the parser made a copy
		return
	}
	p.before = append(p.before[:0], data[:start+1]...)
	p.after = append(p.after[:0], data[start+len(quoted)-1:]...)
	p.text, p.kind = t, kind
}
