package spec

import (
	"math"
	"strconv"
)

// form is what a node is, by the YAML 1.2 reading of its text.
type form uint8

const (
	nullForm form = iota
	boolForm
	intForm
	floatForm
	textForm
	mapForm
	listForm
)

// style is how a scalar is written.
type style uint8

const (
	plainStyle style = iota
	singleQuoted
	doubleQuoted
	literalBlock
	foldedBlock
)

// node is a value of the file. Aliases and merges are resolved by copying, so a
// file is a tree, and an override in one place changes nothing elsewhere.
type node struct {
	form form
	src  *source
	at   place // where the parser saw it start: at its anchor or tag, if it has one
	flow bool  // a mapping or list in {…} or […]

	inFlow bool // what it stands in is one of those

	// Scalars.
	style    style
	raw      string // as the parser unquoted it
	text     string // after ${VAR} expansion
	odd      bool   // text that looks like a number but is not written as one here: 010, 1e3, .inf
	implicit bool   // a null that is not written at all
	edits    []edit // what expansion changed
	variable string // the variable that the whole value came from, for ${VAR} alone
	secret   bool   // never printed: a header's value

	entries []entry
	items   []*node
}

// entry is one key of a mapping.
type entry struct{ key, value *node }

// edit is one ${VAR} that was expanded: runes [from, to) of the text stand for
// runes [rawFrom, rawTo) of the raw value.
type edit struct{ from, to, rawFrom, rawTo int }

func (n *node) scalar() bool { return n.form < mapForm }

// get is the value of a key, nil when n has no such key or is no mapping.
func (n *node) get(name string) *node {
	if e := n.entry(name); e != nil {
		return e.value
	}
	return nil
}

func (n *node) entry(name string) *entry {
	if n == nil {
		return nil
	}
	for i := range n.entries {
		if n.entries[i].key.text == name {
			return &n.entries[i]
		}
	}
	return nil
}

// keys lists the names of a mapping's keys in file order.
func (n *node) keys() []string {
	names := make([]string, len(n.entries))
	for i, e := range n.entries {
		names[i] = e.key.text
	}
	return names
}

// beside lists the keys that the same source has in a mapping: what a flag sets
// anew is no key of the file.
func (n *node) beside(key *node) []string {
	var names []string
	for _, e := range n.entries {
		if e.key.src == key.src {
			names = append(names, e.key.text)
		}
	}
	return names
}

// value is the node as the JSON Schema validator wants it.
func (n *node) value() any {
	switch n.form {
	case boolForm:
		return isTrue(n.text)
	case intForm:
		if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(n.text, 10, 64); err == nil {
			return u
		}
		return n.float()
	case floatForm:
		return n.float()
	case textForm:
		return n.text
	case mapForm:
		m := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			m[e.key.text] = e.value.value()
		}
		return m
	case listForm:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.value()
		}
		return list
	}
	return nil
}

// float is the number that n is; resolve has made sure that it is one.
func (n *node) float() float64 {
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsInf(f, 0) {
		return math.MaxFloat64
	}
	return f
}

// equal reports whether two nodes hold the same value, wherever they stand.
func (n *node) equal(m *node) bool {
	if n == nil || m == nil {
		return n == m
	}
	if n.form != m.form || n.scalar() && n.form != nullForm && n.text != m.text ||
		len(n.entries) != len(m.entries) || len(n.items) != len(m.items) {
		return false
	}
	for _, e := range n.entries {
		if other := m.entry(e.key.text); other == nil || !e.value.equal(other.value) {
			return false
		}
	}
	for i, item := range n.items {
		if !item.equal(m.items[i]) {
			return false
		}
	}
	return true
}
