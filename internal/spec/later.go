package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// later is one piece of the language that this version does not have yet: a key,
// or some of its values. A phase's keys may also come from defaults.
type later struct {
	path    string   // dotted; [] stands for every item of a list
	only    []string // these values alone; empty: all
	except  string   // any other value than this one
	instead string   // what to write
}

// notYet lists what is in the schema and refused. To make a feature available,
// delete its rows.
var notYet = []later{
	{path: "phases[].load.conversations"},
	{path: "phases[].api", only: []string{"generate"}, instead: "write chat or completions"},
}

// refuseLater reports every use of what this version does not have.
func refuseLater(root *node, options Options, f *faults) {
	for _, row := range notYet {
		for _, start := range []string{"phases[].", "defaults."} {
			if path, ok := strings.CutPrefix(row.path, "phases[]."); ok {
				row.refuse(root, start+path, f)
			} else {
				row.refuse(root, row.path, f)
			}
		}
	}
	for _, phase := range at(root, "phases[]") {
		if kind := phase.node.get("kind"); kind != nil && slices.Contains(options.LaterKinds, kind.text) {
			f.add(kind, fmt.Sprintf("kind %q is not available yet in this version", kind.text), "")
		}
	}
	for _, path := range []string{"phases[].formula", "defaults.formula"} {
		for _, formula := range at(root, path) {
			if slices.Contains(options.LaterFormulas, formula.node.text) {
				f.add(formula.node, fmt.Sprintf("formula %q is not available yet in this version", formula.node.text), "")
			}
		}
	}
	for _, path := range []string{"phases[].guards", "defaults.guards"} {
		for _, guards := range at(root, path) {
			for _, e := range guards.node.entries {
				if slices.Contains(options.LaterGuards, e.key.text) {
					f.add(e.key, fmt.Sprintf("guard %q is not available yet in this version", e.key.text), "")
				}
			}
		}
	}
}

// oneWord is a value that a message may repeat; a URL may hold a password.
var oneWord = regexp.MustCompile(`^[\w-]{1,20}$`)

// refuse reports the values at the path that the row is about.
func (l later) refuse(root *node, path string, f *faults) {
	key := len(l.only) == 0 && l.except == ""
	for _, found := range at(root, path) {
		n, name := found.node, shortPath(path)
		switch {
		case f.bad[n]:
		case key, l.except != "" && !n.scalar():
			f.add(found.key, fmt.Sprintf("%q is not available yet in this version", name), l.instead)
			f.bad[n] = true
		case n.form == boolForm: // no value of any of them: the schema says so
		case n.scalar() && (l.except != "" && n.text != l.except || slices.Contains(l.only, n.text)):
			if oneWord.MatchString(n.text) && len(n.edits) == 0 {
				name += ": " + n.text
			}
			f.add(n, fmt.Sprintf("%q is not available yet in this version", name), l.instead)
		}
	}
}

// shortPath is a path without the list or the defaults it starts in.
func shortPath(path string) string {
	for _, prefix := range []string{"phases[].", "defaults.", "target."} {
		path = strings.TrimPrefix(path, prefix)
	}
	return path
}

// at finds the values at a dotted path; [] stands for every item of a list.
func at(root *node, path string) []At {
	found := []At{{node: root}}
	for _, step := range strings.Split(path, ".") {
		name, list := strings.CutSuffix(step, "[]")
		var next []At
		for _, a := range found {
			value := a.Key(name)
			switch {
			case !value.Exists():
			case list:
				for i := range value.node.items {
					next = append(next, value.Item(i))
				}
			default:
				next = append(next, value)
			}
		}
		found = next
	}
	return found
}
