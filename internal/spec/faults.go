package spec

import (
	"strings"

	"scenario/internal/diag"
)

// faults collects what is wrong with a file. A node that is at fault is
// remembered, so that no later stage complains about it a second time. The nil
// node counts as one: what is not there has been complained about, or need not be.
type faults struct {
	list diag.List
	bad  map[*node]bool
}

func newFaults() *faults { return &faults{bad: map[*node]bool{nil: true}} }

// add reports a fault of the value n.
func (f *faults) add(n *node, message, fix string) {
	if f.bad[n] {
		return
	}
	f.bad[n] = true
	f.list = append(f.list, n.diagnose(message, fix))
}

// warn reports something about n that does not stop the run.
func (f *faults) warn(n *node, message, fix string) {
	d := n.diagnose(message, fix)
	d.Severity = diag.Warning
	f.list = append(f.list, d)
}

// note adds a fault that belongs to no node.
func (f *faults) note(d diag.Diagnostic) { f.list = append(f.list, d) }

// clean reports whether nothing at n or below it is at fault.
func (f *faults) clean(n *node) bool {
	if n == nil {
		return true
	}
	if f.bad[n] {
		return false
	}
	for _, e := range n.entries {
		if f.bad[e.key] || !f.clean(e.value) {
			return false
		}
	}
	for _, item := range n.items {
		if !f.clean(item) {
			return false
		}
	}
	return true
}

// diagnose is an error at the node that underlines it as far as its first line
// goes.
func (n *node) diagnose(message, fix string) diag.Diagnostic {
	at, width := n.extent()
	return n.src.diagnose(at, width, message, fix)
}

// extent is where the node itself starts, after its anchor and tag, and how many
// runes of that line belong to it.
func (n *node) extent() (place, int) {
	start := n.src.properties(n.at).content
	if n.scalar() {
		if spans, ok := locate(n); ok && n.style != literalBlock && n.style != foldedBlock {
			return start, spans.width(start)
		}
		return start, 1
	}
	if n.form == mapForm && !n.flow && len(n.entries) > 0 {
		if key := n.entries[0].key; key.src == n.src && key.at == start {
			return key.extent()
		}
	}
	return start, 1
}

// found is what a message says about the value it refuses.
func (n *node) found() string {
	switch n.form {
	case nullForm:
		return "nothing"
	case mapForm:
		return "a mapping"
	case listForm:
		return "a list"
	case boolForm, intForm, floatForm:
		if n.variable != "" {
			return n.text + " (from ${" + n.variable + "})"
		}
		return n.text
	}
	switch {
	case n.secret || looksLikeKey(n.text) || n.src.blotted(n.at, len([]rune(n.raw))):
		return "text that is not shown here"
	case n.variable != "":
		return "the text that ${" + n.variable + "} holds"
	case len(n.edits) > 0:
		return `"` + short(n.raw) + `"`
	case n.odd:
		return short(n.text)
	}
	return `"` + short(n.text) + `"`
}

// short cuts text to what fits into a message.
func short(text string) string {
	const most = 60
	text = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
