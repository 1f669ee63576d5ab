package spec

import "scenario/internal/diag"

// Text is a string of the file that remembers where it stands. For expressions
// it maps offsets into the string to places in the file.
type Text struct {
	value string
	node  *node
}

// NewText is a text without a place: from a flag, or in a test.
func NewText(value string) Text { return Text{value: value} }

// String is the text after ${VAR} expansion.
func (t Text) String() string { return t.value }

// Empty reports whether there is no text.
func (t Text) Empty() bool { return t.value == "" }

// Equal reports whether both are the same text, wherever it stands.
func (t Text) Equal(u Text) bool { return t.value == u.value }

// Pos is where the text starts.
func (t Text) Pos() diag.Pos { return At{node: t.node}.Pos() }

// Diagnose is an error at runes [from, to) of the text. Where the file can't be
// shown to hold just these runes there, it is an error at the whole text.
func (t Text) Diagnose(from, to int, message, fix string) diag.Diagnostic {
	if t.node == nil {
		return diag.Diagnostic{Message: message, Fix: fix}
	}
	n := t.node
	spans, ok := locate(n)
	if !ok || from < 0 || to < from || t.value != n.text {
		return n.diagnose(message, fix)
	}
	first, last := n.rawRange(from, to)
	if last > len(spans)-1 || first > len(spans)-1 {
		return n.diagnose(message, fix)
	}
	start := spans[first]
	width := 1
	for _, s := range spans[first:last] {
		if s.line == start.line {
			width = max(width, s.col+s.width-start.col)
		}
	}
	return n.src.diagnose(start.place, width, message, fix)
}

// rawRange turns a range of the text into the range of the raw value it came
// from. A range that touches an expanded variable covers the whole ${VAR}.
func (n *node) rawRange(from, to int) (int, int) {
	to = max(to, from)
	first, _ := n.rawOffset(from)
	if to == from {
		return first, first
	}
	_, last := n.rawOffset(to - 1)
	return first, last
}

// rawOffset is where rune i of the text starts and ends in the raw value.
func (n *node) rawOffset(i int) (start, end int) {
	shift := 0
	for _, e := range n.edits {
		if i < e.from {
			break
		}
		if i < e.to {
			return e.rawFrom, e.rawTo
		}
		shift = e.rawTo - e.to
	}
	return i + shift, i + shift + 1
}
