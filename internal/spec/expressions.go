package spec

import "slices"

// Expression is one expression of a file: a check, or, if planned, a gate or a
// when. What is around it says which variables it can read.
type Expression struct {
	Text    Text
	Planned bool
	Summary bool   // it stands under summary
	Kind    string // of the phase; empty: none that is known
	Formula string // id of the phase's formula; empty: none that is known
	Mode    string // load.mode of the phase; empty: the default, or none that is known
}

// checkExpressions has the caller read every expression of the file, however
// faulty the rest is, so that all mistakes are reported at once.
func checkExpressions(root *node, options Options, f *faults) {
	if options.CheckExpr == nil {
		return
	}
	x := expressions{options, f}
	for _, phase := range at(root, "phases[]") {
		around := x.around(phase.node)
		planned := around
		planned.Planned = true
		x.read(phase.node.get("gate"), planned)
		if checks := phase.node.get("checks"); checks != nil {
			for _, group := range checks.entries {
				x.group(group.value, around)
			}
		}
		if summary := phase.node.get("summary"); summary != nil {
			around.Summary = true
			for _, group := range summary.entries {
				x.group(group.value, around)
			}
		}
	}
	for _, defaults := range at(root, "defaults") {
		around := x.around(defaults.node)
		around.Planned = true
		x.read(defaults.node.get("gate"), around)
	}
}

type expressions struct {
	options Options
	faults  *faults
}

// around is what a phase's expressions stand in. What the build does not have is
// left empty.
func (x expressions) around(phase *node) Expression {
	var e Expression
	known := func(n *node, names []string) string {
		if n == nil || !slices.Contains(names, n.text) {
			return ""
		}
		return n.text
	}
	e.Formula = known(phase.get("formula"), x.options.Formulas)
	for _, kind := range x.options.Kinds {
		e.Kind += known(phase.get("kind"), []string{kind.Name})
	}
	if load := phase.get("load"); load != nil {
		e.Mode = known(load.get("mode"), []string{"closed", "wave", "window", "rate"})
	}
	return e
}

// group reads a list of checks.
func (x expressions) group(list *node, around Expression) {
	planned := around
	planned.Planned = true
	for _, check := range list.items {
		if check.form == mapForm {
			x.read(check.get("expr"), around)
			if !around.Summary { // which has none
				x.read(check.get("when"), planned)
			}
			continue
		}
		x.read(check, around)
	}
}

// read has one expression read, unless it is at fault already.
func (x expressions) read(n *node, e Expression) {
	if x.faults.bad[n] || n.form != textForm {
		return
	}
	e.Text = Text{value: n.text, node: n}
	for _, d := range x.options.CheckExpr(e) {
		x.faults.note(d)
	}
}
