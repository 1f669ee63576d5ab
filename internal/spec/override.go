package spec

import (
	"fmt"
	"strconv"
	"strings"

	"scenario/internal/diag"
)

// override applies the --set flags to the tree, in order: later ones win.
func override(root *node, settings []string, f *faults) {
	for _, setting := range settings {
		path, value, ok := strings.Cut(setting, "=")
		path = strings.TrimSpace(path)
		place := diag.Pos{File: "--set " + path}
		if !ok || path == "" {
			f.note(diag.Diagnostic{Pos: place, Message: "this sets nothing", Fix: "write --set path=value, as in --set phases.decode.concurrency=[1, 4]"})
			continue
		}
		s := newFlag(place.File, value)
		n, ok := flagValue(s, f)
		if ok {
			(&setter{s, f, path, n}).set(root, path)
		}
	}
}

// flagValue parses the value of a --set as YAML.
func flagValue(s *source, f *faults) (*node, bool) {
	if _, list := decodeText(s.name, []byte(s.text)); list != nil {
		f.note(s.diagnose(place{}, 0, "the value is not plain text: "+list[0].Message, ""))
		return nil, false
	}
	parsed, err := documents(s.text)
	if err != nil || len(parsed) > 1 {
		f.note(s.diagnose(place{}, 0, "the value can't be read as YAML", "put text with special characters in quotes of its own"))
		return nil, false
	}
	if len(parsed) == 0 || len(parsed[0].Content) == 0 {
		return &node{src: s, at: place{1, 1}, implicit: true}, true
	}
	return newBuilder(s, f).tree(parsed[0].Content[0]), true
}

// setter puts one value into the tree.
type setter struct {
	src    *source
	faults *faults
	path   string // all of it, for messages
	value  *node
}

// set puts the value at the rest of the path below n.
func (s *setter) set(n *node, rest string) {
	switch n.form {
	case mapForm:
		name, rest := longestMatch(rest, n.keys())
		e := n.entry(name)
		if e == nil {
			key := &node{form: textForm, src: s.src, at: place{1, 1}, raw: name, text: name}
			n.entries = append(n.entries, entry{key, &node{form: mapForm, src: s.src, at: place{1, 1}}})
			e = &n.entries[len(n.entries)-1]
		}
		if rest == "" {
			e.key = &node{form: textForm, src: s.src, at: place{1, 1}, raw: name, text: name}
			e.value = s.value
			return
		}
		if e.value.form == nullForm {
			e.value = &node{form: mapForm, src: s.src, at: place{1, 1}}
		}
		s.set(e.value, rest)
	case listForm:
		s.item(n, rest)
	default:
		s.fault("the path goes on below "+strings.TrimSuffix(strings.TrimSuffix(s.path, rest), ".")+
			", and that is "+n.found(), "")
	}
}

// item puts the value into an item of a list: by index, by the name that the
// item has, or, for *, into all of them.
func (s *setter) item(n *node, rest string) {
	var names []string
	for _, item := range n.items {
		names = append(names, itemName(item))
	}
	name, below := longestMatch(rest, names)
	found := false
	for i := range n.items {
		if name != "*" && names[i] != name {
			continue
		}
		s.replace(n, i, below)
		found = true
	}
	if found {
		return
	}
	index, err := strconv.Atoi(name)
	switch {
	case err == nil && index >= 0 && index < len(n.items):
		s.replace(n, index, below)
	case err == nil:
		s.fault(fmt.Sprintf("there is no item %s: the list has %d, counted from 0", name, len(n.items)), "")
	default:
		message := fmt.Sprintf("there is no item called %q", short(name))
		if nearest, ok := diag.Nearest(name, names); ok && nearest != "" {
			message += fmt.Sprintf(" (did you mean %q?)", nearest)
		}
		s.fault(message, "name an item by its name, by its index from 0, or all by *")
	}
}

// replace puts the value at the rest of the path below item i, or in its place.
func (s *setter) replace(n *node, i int, rest string) {
	if rest == "" {
		n.items[i] = s.value
		return
	}
	s.set(n.items[i], rest)
}

func (s *setter) fault(message, fix string) {
	s.faults.note(s.src.diagnose(place{}, 0, message, fix))
}

// itemName is the name of a list's item, empty when it has none.
func itemName(n *node) string {
	if name := n.get("name"); name != nil && name.scalar() {
		return name.text
	}
	return ""
}

// longestMatch cuts the first step off a dotted path: the longest of the names
// that it starts with, for names may have dots in them, else all up to the first
// dot.
func longestMatch(path string, names []string) (first, rest string) {
	first, rest, _ = strings.Cut(path, ".")
	for _, name := range names {
		if len(name) <= len(first) {
			continue
		}
		if path == name {
			return name, ""
		}
		if strings.HasPrefix(path, name+".") {
			first, rest = name, path[len(name)+1:]
		}
	}
	return first, rest
}
