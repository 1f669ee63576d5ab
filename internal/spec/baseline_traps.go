package spec

import (
	"regexp"
	"slices"

	"scenario/internal/diag"
)

var (
	baselinePhaseKeys = []string{"name", "kind", "formula", "note", "levels"}
	baselineLevelKeys = []string{"concurrency", "rate", "length", "note", "excluded"}

	negative = regexp.MustCompile(`^\s*[-−]\s*[0-9.]`)
)

// refuseNoFigures finds what the schema would take for badly written figures, since
// a phase and a level may have figures of any name: misspelt keys, and numbers
// below zero.
func refuseNoFigures(root *node, f *faults) {
	for _, phase := range at(root, "phases[]") {
		refuseNoFigure(phase.node, baselinePhaseKeys, f)
	}
	for _, level := range at(root, "phases[].levels[]") {
		refuseNoFigure(level.node, baselineLevelKeys, f)
	}
}

func refuseNoFigure(n *node, own []string, f *faults) {
	for _, e := range n.entries {
		switch {
		case slices.Contains(own, e.key.text):
		case e.value.form == listForm:
			if nearest, ok := diag.Nearest(e.key.text, own); ok && n.get(nearest) == nil {
				message, fix := unknownKey(e.key.text, own, nil)
				f.add(e.key, message, fix)
				f.bad[e.value] = true
			}
		default:
			refuseNegative(e, f)
		}
	}
}

// refuseNegative reports the figures below zero that a key holds.
func refuseNegative(e entry, f *faults) {
	for _, below := range e.value.entries {
		refuseNegative(below, f)
	}
	number := e.value.form == intForm || e.value.form == floatForm || e.value.form == textForm
	if number && negative.MatchString(e.value.text) {
		f.add(e.value, e.key.text+" can't be negative; found "+e.value.found(), "")
	}
}
