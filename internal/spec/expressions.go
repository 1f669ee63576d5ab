package spec

import "slices"

// checkExpressions has the caller read every expression of the file, however
// faulty the rest is, so that all mistakes are reported at once.
func checkExpressions(root *node, options Options, f *faults) {
	if options.CheckExpr == nil {
		return
	}
	x := expressions{options, f}
	for _, phase := range at(root, "phases[]") {
		formula := x.formula(phase.node)
		x.read(phase.node.get("gate"), true, formula)
		if checks := phase.node.get("checks"); checks != nil {
			for _, group := range checks.entries {
				x.group(group.value, formula)
			}
		}
	}
	for _, defaults := range at(root, "defaults") {
		x.read(defaults.node.get("gate"), true, x.formula(defaults.node))
	}
}

type expressions struct {
	options Options
	faults  *faults
}

// formula is the id of a phase's formula, empty where the build has none of it.
func (x expressions) formula(phase *node) string {
	id := phase.get("formula")
	if id == nil || !slices.Contains(x.options.Formulas, id.text) {
		return ""
	}
	return id.text
}

// group reads a list of checks.
func (x expressions) group(list *node, formula string) {
	for _, check := range list.items {
		if check.form == mapForm {
			x.read(check.get("expr"), false, formula)
			x.read(check.get("when"), true, formula)
			continue
		}
		x.read(check, false, formula)
	}
}

// read has one expression read, unless it is at fault already.
func (x expressions) read(n *node, planned bool, formula string) {
	if x.faults.bad[n] || n.form != textForm {
		return
	}
	for _, d := range x.options.CheckExpr(Text{value: n.text, node: n}, planned, formula) {
		x.faults.note(d)
	}
}
