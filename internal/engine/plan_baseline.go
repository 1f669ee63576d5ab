package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"scenario/internal/assert"
	"scenario/internal/diag"
	"scenario/internal/spec"
)

// baselineRow is what a baseline says of one level.
type baselineRow struct {
	plain      assert.Table // baseline.*
	formula    assert.Table // baseline.formulas.<id>.*
	hasFormula bool         // the phase has a formula
	id         string       // of the formula, as a variable
}

// has reports whether the row knows a dotted path that begins with "baseline.".
func (r baselineRow) has(path string) bool {
	path = strings.TrimPrefix(path, "baseline.")
	table := r.plain
	if name, ok := strings.CutPrefix(path, "formulas."+r.id+"."); ok && r.hasFormula {
		path, table = name, r.formula
	}
	for key := range table {
		if key == path || strings.HasPrefix(key, path+".") {
			return true
		}
	}
	return false
}

// baselineRows are the rows of one phase by level.
type baselineRows struct {
	rows    map[axis]baselineRow
	without baselineRow
	places  map[axis]spec.At // of the rows that no level has asked for yet
}

func (r baselineRows) at(level axis) baselineRow {
	delete(r.places, level)
	return r.row(level)
}

func (r baselineRows) row(level axis) baselineRow {
	if row, ok := r.rows[level]; ok {
		return row
	}
	return r.without
}

// unused warns of rows that belong to no level.
func (r baselineRows) unused(p *planner) {
	for _, a := range slices.SortedFunc(maps.Keys(r.places), axis.compare) {
		d := r.places[a].Diagnose(fmt.Sprintf("the phase has no level %s: this row is compared with nothing", a), "")
		d.Severity = diag.Warning
		p.fault(d)
	}
}

// baselineRows picks the baseline's rows of a phase: those of its name, else
// those of its kind if no other phase has that kind.
func (p *planner) baselineRows(ph *PhasePlan) baselineRows {
	rows := baselineRows{rows: map[axis]baselineRow{}, places: map[axis]spec.At{}}
	if ph.Formula != nil {
		rows.without.hasFormula, rows.without.id = true, ph.Formula.Variable()
	}
	if p.plan.Baseline == nil {
		return rows
	}
	for i := range p.plan.Baseline.Phases {
		b := &p.plan.Baseline.Phases[i]
		if owner := p.owner(b); owner != ph.Spec.Name {
			continue
		}
		p.addRows(rows, ph, b)
	}
	return rows
}

func (p *planner) addRows(rows baselineRows, ph *PhasePlan, b *spec.BaselinePhase) {
	if !b.Formula.Empty() && (ph.Formula == nil || ph.Formula.ID != b.Formula.String()) {
		p.fault(b.Formula.Diagnose(0, len([]rune(b.Formula.String())), fmt.Sprintf("these figures were computed by %s, and phase %q has no such formula: an equal number by another formula is not evidence", b.Formula, ph.Spec.Name), "formula: "+b.Formula.String()+" in the phase"))
		return
	}
	for i := range b.Levels {
		l := &b.Levels[i]
		if l.Excluded != "" {
			continue
		}
		level := axis{l.Concurrency, l.Rate}
		row := rows.row(level)
		rows.places[level] = l.At
		table := p.figures(ph, b, l)
		if b.Formula.Empty() {
			row.plain = p.merge(row.plain, table, l)
		} else {
			row.formula = p.merge(row.formula, table, l)
		}
		rows.rows[level] = row
	}
}

// merge adds a row's figures to those that an earlier row gave for the same level.
func (p *planner) merge(have, more assert.Table, l *spec.BaselineLevel) assert.Table {
	if have == nil {
		return more
	}
	merged := maps.Clone(have)
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if _, twice := have[name]; twice {
			p.fault(l.Figures.Places[name].DiagnoseKey(fmt.Sprintf("%s stands twice for %s", name, axis{l.Concurrency, l.Rate}), "remove one of the two"))
		}
		merged[name] = more[name]
	}
	return merged
}

// figures are a row's values, once their names and units have been checked.
func (p *planner) figures(ph *PhasePlan, b *spec.BaselinePhase, l *spec.BaselineLevel) assert.Table {
	prefix := "baseline."
	if !b.Formula.Empty() {
		prefix = "baseline.formulas." + ph.Formula.Variable() + "."
	}
	known := figureTypes(ph.scope, prefix)
	for _, name := range slices.Sorted(maps.Keys(l.Figures.Values)) {
		is, ok := known[name]
		at := l.Figures.Places[name]
		switch {
		case !ok:
			p.fault(noFigure(at, name, l.Figures.Durations[name], known))
		case is.speed && l.Figures.Values[name] <= 0:
			p.fault(at.Diagnose(name+" is above zero on any server that works", "leave out what was not published"))
		case is.kind == "duration" && !l.Figures.Durations[name]:
			p.fault(at.Diagnose(name+" is a duration: its unit is missing", "write 250ms or 2.5s"))
		case is.kind != "duration" && l.Figures.Durations[name]:
			p.fault(at.Diagnose(name+" is a number, not a duration", ""))
		}
	}
	return assert.Table(l.Figures.Values)
}

// noFigure is the fault of a name that no figure has.
func noFigure(at spec.At, name string, timed bool, known map[string]figureType) diag.Diagnostic {
	if median, distribution := known[name+".p50"]; distribution {
		value := at.Text().String()
		if timed != (median.kind == "duration") {
			value = "…" // its unit is wrong too
		}
		return at.DiagnoseKey(name+" is a distribution: its figures are p50, p95, mean, …", fmt.Sprintf("write %s: {p50: %s}, if that is what it is", name, value))
	}
	near, ok := diag.Nearest(name, slices.Sorted(maps.Keys(known)))
	if !ok {
		return at.DiagnoseKey(fmt.Sprintf("%q is no figure", name), "")
	}
	// In a file a name is written key by key.
	parts := strings.Split(near, ".")
	write := strings.Join(parts, ": {") + ": …" + strings.Repeat("}", len(parts)-1)
	return at.DiagnoseKey(fmt.Sprintf("%q is no figure (did you mean %q?)", name, near), "write "+write)
}

// figureType is what a figure is: number, duration or bool, and whether a speed.
type figureType struct {
	kind  string
	speed bool
}

// figureTypes are the types of all figures below a prefix, by the rest of their
// path.
func figureTypes(scope *assert.Scope, prefix string) map[string]figureType {
	types := map[string]figureType{}
	for _, v := range scope.Vars() {
		name, below := strings.CutPrefix(v.Path, prefix)
		if !below {
			continue
		}
		switch v.Type {
		case "distribution of numbers", "distribution of durations":
			unit := strings.TrimSuffix(strings.TrimPrefix(v.Type, "distribution of "), "s")
			for _, figure := range []string{"p50", "p90", "p95", "p99", "mean", "min", "max"} {
				types[name+"."+figure] = figureType{unit, v.Speed}
			}
			types[name+".n"] = figureType{kind: "number"}
		case "number", "duration", "bool":
			types[name] = figureType{v.Type, v.Speed}
		}
	}
	return types
}

// owner is the name of the phase that a baseline's rows belong to; empty: none.
func (p *planner) owner(b *spec.BaselinePhase) string {
	kind, found := b.Kind.String(), ""
	for _, ph := range p.plan.Scenario.Phases {
		switch {
		case ph.Name == b.Name.String():
			return ph.Name
		case b.Name.Empty() && ph.Kind.String() == kind && found != "":
			return "" // several of the kind
		case b.Name.Empty() && ph.Kind.String() == kind:
			found = ph.Name
		}
	}
	return found
}

// unmatchedBaseline refuses rows that belong to no phase.
func (p *planner) unmatchedBaseline() {
	if p.plan.Baseline == nil {
		return
	}
	for i := range p.plan.Baseline.Phases {
		b := &p.plan.Baseline.Phases[i]
		if p.owner(b) == "" {
			p.fault(b.At.Diagnose("these figures belong to no phase of the scenario: none has this name, or not exactly one has this kind", "name the phase: name: …"))
		}
	}
}
