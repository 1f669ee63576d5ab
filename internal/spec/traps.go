package spec

import (
	"regexp"
	"strings"

	"scenario/internal/diag"
)

// refuseTraps finds the expressions that YAML read as something else: cut at a
// comment or a comma, taken for a mapping, a list, a number. Left alone they
// would be other expressions than their author wrote.
func refuseTraps(root *node, f *faults) {
	t := traps{f}
	for _, start := range []string{"phases[].", "defaults."} {
		for _, gate := range at(root, start+"gate") {
			t.expression(gate.node)
		}
		for _, checks := range at(root, start+"checks") {
			for _, group := range checks.node.entries {
				t.commas(group.value)
				for _, item := range group.value.items {
					t.check(item)
				}
			}
		}
	}
}

type traps struct{ faults *faults }

// commas finds the expressions of a list in […] that YAML ended at a comma of
// theirs: one with an open bracket, or a number of which the thousands are apart.
func (t traps) commas(list *node) {
	if list.form != listForm || !list.flow {
		return
	}
	for i := 0; i < len(list.items); i++ {
		n := list.items[i]
		if n.form != textForm || n.style != plainStyle {
			continue
		}
		whole, end := n.text, i
		for end+1 < len(list.items) && (openBrackets(whole) > 0 || thousands.MatchString(list.items[end+1].raw)) {
			next := list.items[end+1]
			if !next.scalar() || next.style != plainStyle {
				break
			}
			end++
			if openBrackets(whole) > 0 {
				whole += ", " + next.raw
			} else {
				whole += next.raw
			}
		}
		if end == i {
			continue
		}
		t.faults.add(n, "YAML ends the expression at a comma inside […]", "quote it: "+quoted(whole))
		for _, piece := range list.items[i : end+1] {
			t.faults.bad[piece] = true
		}
		i = end
	}
}

// openBrackets is how many round and square brackets a text does not close.
func openBrackets(text string) int {
	open := 0
	for _, c := range text {
		switch c {
		case '(', '[':
			open++
		case ')', ']':
			open--
		}
	}
	return open
}

// checkKeys are the keys of a check that is written as a mapping.
var checkKeys = []string{"expr", "name", "when"}

// check looks at one item of a list of checks.
func (t traps) check(n *node) {
	if t.faults.bad[n] {
		return
	}
	if n.form != mapForm {
		t.expression(n)
		return
	}
	known := 0
	var last, cut *entry // the latest key of a check, and the one whose value YAML cut
	var rest []string    // the pieces it made keys of
	for i := range n.entries {
		e := &n.entries[i]
		_, near := diag.Nearest(e.key.text, checkKeys)
		switch {
		case near:
			known++
			last = e
		case n.flow && e.value.implicit && last != nil && last.value.scalar() && (cut == nil || cut == last):
			cut = last
			rest = append(rest, e.key.text)
		}
	}
	switch {
	case t.faults.bad[n] || len(n.entries) == 0:
	case known == 0 && n.flow:
		t.faults.add(n, "YAML takes {…} for a mapping, and there is no check in it", "quote the expression, or write {expr: '…'}")
	case known == 0:
		t.mapping(n)
	case cut != nil:
		what := "expression"
		if cut.key.text == "name" {
			what = "name"
		}
		t.faults.add(cut.value, "YAML ends the "+what+" at a comma inside {…}",
			"quote the "+what+": {"+cut.key.text+": "+quoted(cut.value.text+", "+strings.Join(rest, ", "))+"}")
		t.faults.bad[n] = true
	default:
		for _, key := range []string{"expr", "when"} {
			if e := n.entry(key); e != nil {
				t.expression(e.value)
			}
		}
	}
}

// mapping reports an expression with a colon and a space in it.
func (t traps) mapping(n *node) {
	at, _ := n.extent()
	text := strings.TrimSpace(string(n.src.line(at.line)[at.col-1:]))
	t.faults.add(n, "YAML takes this for a mapping, because of the colon and the space",
		"quote the expression: "+quoted(text)+"; a name is given as {name: …, expr: '…'}")
}

// expression looks at one place where an expression is due.
func (t traps) expression(n *node) {
	switch n.form {
	case nullForm:
	case textForm:
		if strings.TrimSpace(n.text) == "" {
			t.faults.add(n, "this expression is empty", "write one, or remove it")
			return
		}
		t.comment(n)
	case mapForm:
		if len(n.entries) == 0 || n.flow {
			t.faults.add(n, "an expression is due here, found a mapping", "quote the expression")
			return
		}
		t.mapping(n)
	case listForm:
		t.faults.add(n, "an expression is due here, found a list", "quote the expression: '[…] …'")
	default:
		t.faults.add(n, n.found()+" is no expression: it would always say the same", "compare something that is measured or planned")
	}
}

// comment finds an expression that goes on behind a #, which YAML takes for a
// comment. A comment behind an expression that is whole is a comment.
func (t traps) comment(n *node) {
	if n.style != plainStyle || !unfinished(n.text) {
		return
	}
	spans, ok := locate(n)
	if !ok {
		return
	}
	end := spans[len(spans)-1].place
	line := n.src.line(end.line)
	hash := n.src.skipBlank(end)
	if n.src.rune(hash) != '#' {
		return
	}
	if t.faults.bad[n] {
		return
	}
	t.faults.bad[n] = true
	t.faults.note(n.src.diagnose(hash, len(line)-hash.col+1, "YAML takes # and what follows for a comment: the expression is cut here",
		"quote the expression: "+quoted(n.text+string(line[end.col-1:]))))
}

// openEnd is an expression that waits for something.
var openEnd = regexp.MustCompile(`([-+*/%<>=!,&|?:.(\[{]|\b(and|or|not|in|contains|startsWith|endsWith|matches))$`)

// unfinished reports whether an expression can't be all there is: a bracket or a
// quote is open, or an operator has nothing behind it.
func unfinished(text string) bool {
	var quote rune
	depth := 0
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			escaped = false
		case quote != 0 && r == '\\' && quote != '`':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'' || r == '`':
			quote = r
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		}
	}
	return quote != 0 || depth > 0 || openEnd.MatchString(strings.TrimSpace(text))
}
