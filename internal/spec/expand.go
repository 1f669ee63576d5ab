package spec

import (
	"fmt"
	"regexp"
	"strings"
)

// expand replaces ${VAR} and ${VAR:-default} in the text values below root by
// what env holds. It runs after parsing: no variable can change what is a key,
// a list or a comment. Keys, and the holders of anchors, are left alone.
func expand(root *node, options Options, f *faults) {
	env := options.Env
	if env == nil {
		env = func(string) (string, bool) { return "", false }
	}
	for _, e := range root.entries {
		if !strings.HasPrefix(e.key.text, "x-") {
			expander{env, options.Unset, f}.node(e.value)
		}
	}
}

type expander struct {
	env    func(string) (string, bool)
	unset  string // stands for an unset variable without a default
	faults *faults
}

func (x expander) node(n *node) {
	for _, item := range n.items {
		x.node(item)
	}
	for _, e := range n.entries {
		x.node(e.value)
	}
	if n.scalar() && strings.Contains(n.raw, "${") {
		x.scalar(n)
	}
}

// reference is what stands between ${ and }.
var reference = regexp.MustCompile(`(?s)^([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?$`)

// scalar expands one scalar. $${ stands for ${; any other $ for itself.
func (x expander) scalar(n *node) {
	raw := []rune(n.raw)
	var text []rune
	n.edits = nil
	name := ""
	for i := 0; i < len(raw); {
		switch rest := string(raw[i:min(i+3, len(raw))]); {
		case rest == "$${":
			n.edits = append(n.edits, edit{len(text), len(text) + 2, i, i + 3})
			text = append(text, '$', '{')
			i += 3
		case strings.HasPrefix(rest, "${"):
			value, variable, length, ok := x.reference(n, raw, i)
			if !ok {
				return
			}
			name = variable
			n.edits = append(n.edits, edit{len(text), len(text) + len(value), i, i + length})
			text = append(text, value...)
			i += length
		default:
			text = append(text, raw[i])
			i++
		}
	}
	n.text = string(text)
	n.form, n.odd = textForm, false
	if len(n.edits) == 1 && n.style == plainStyle && n.edits[0].rawFrom == 0 && n.edits[0].rawTo == len(raw) && name != "" {
		n.variable = name
		if form, odd := resolve(n.text); form != nullForm {
			n.form, n.odd = form, odd
		}
	}
}

// reference reads the ${…} that starts at rune i: its value and its length.
func (x expander) reference(n *node, raw []rune, i int) (value []rune, name string, length int, ok bool) {
	end := i + 2
	for end < len(raw) && raw[end] != '}' {
		end++
	}
	if end == len(raw) {
		x.fault(n, i, end, "${ is never closed", "write ${NAME}, or $${ for the two characters themselves")
		return nil, "", 0, false
	}
	inside := string(raw[i+2 : end])
	m := reference.FindStringSubmatch(inside)
	switch {
	case m == nil:
		if n.secret {
			inside = "…"
		}
		x.fault(n, i, end+1, fmt.Sprintf("${%s} is no reference to a variable", short(inside)),
			"write ${NAME} or ${NAME:-default}, or $${ for the two characters themselves")
		return nil, "", 0, false
	case strings.Contains(m[3], "${"):
		x.fault(n, i, end+1, "a default can't hold a variable itself", "give ${"+m[1]+":-…} a default in plain text")
		return nil, "", 0, false
	}
	text, set := x.env(m[1])
	switch {
	case m[2] != "" && text == "":
		text = m[3]
	case !set && x.unset != "":
		text = x.unset
	case !set:
		x.fault(n, i, end+1, "the variable "+m[1]+" is not set, and there is no default",
			fmt.Sprintf("set %s, or write ${%s:-default}", m[1], m[1]))
		return nil, "", 0, false
	}
	return []rune(strings.ToValidUTF8(text, "\uFFFD")), m[1], end + 1 - i, true
}

// fault reports runes [from, to) of the raw value.
func (x expander) fault(n *node, from, to int, message, fix string) {
	if x.faults.bad[n] {
		return
	}
	x.faults.bad[n] = true
	n.edits = nil
	n.text = n.raw
	x.faults.note(Text{value: n.raw, node: n}.Diagnose(from, to, message, fix))
}
