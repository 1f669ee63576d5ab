package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"scenario/internal/assert"
	"scenario/internal/metric"
)

// Group says what a check asks: was the measurement sound, the output right, the
// server fast enough?
type Group string

// The groups.
const (
	Valid   Group = "valid"
	Correct Group = "correct"
	SLO     Group = "slo"
)

// CheckState is what became of a check at a level.
type CheckState string

// The states of a check.
const (
	CheckHolds     CheckState = "holds"
	CheckFails     CheckState = "fails"
	CheckUndecided CheckState = "undecided"
	// CheckNotJudged is an slo check of a level whose figures are withheld.
	CheckNotJudged CheckState = "not_judged"
)

// checkStates are the answers of package assert.
var checkStates = map[assert.Result]CheckState{assert.Holds: CheckHolds, assert.Fails: CheckFails, assert.Undecided: CheckUndecided}

// CheckResult is one check at one level.
type CheckResult struct {
	Group     Group      `json:"group" doc:"valid, correct or slo"`
	Name      string     `json:"name,omitempty" doc:"what the scenario calls the check"`
	Expr      string     `json:"expr" doc:"the expression"`
	At        string     `json:"at" doc:"file:line:col of the expression"`
	Result    CheckState `json:"result" doc:"holds, fails, undecided; not_judged: an slo check of a level whose figures are withheld"`
	Reason    string     `json:"reason,omitempty" doc:"why it is undecided"`
	Repeat    int        `json:"repeat,omitempty" doc:"which run of a repeated level it judged, from 1"`
	Values    []Value    `json:"values,omitempty" doc:"what the expression read"`
	Offenders []Offender `json:"offenders,omitempty" doc:"the first three elements it failed on"`
}

// Value is one variable that a check read. The text of a speed is left out where
// figures are withheld.
type Value struct {
	Path string `json:"path" doc:"the variable"`
	Text string `json:"text" doc:"its value with unit; unknown where it was not measured, withheld where it must not be quoted"`

	speed bool
}

// Offender is an element of a list that a check failed on.
type Offender struct {
	List   string  `json:"list" doc:"the list"`
	Index  int     `json:"index" doc:"position in it, from 0"`
	Values []Value `json:"values" doc:"the element's fields that were read"`
}

// judge decides a level that was run to its end: guards, then valid and correct
// checks, all of them, and slo checks only if the figures may be shown.
func judge(ph *PhasePlan, l *LevelPlan, e *evidence, figures any, r *LevelResult) {
	r.Guards = watch(ph.Guards, e)
	scale(e.ladder, e.found, r)
	env := l.env(e.found, figures)
	var results []*CheckResult
	for _, c := range ph.Checks {
		if c.Group != SLO && c.at(l) {
			results = append(results, c.evaluate(env))
		}
	}
	r.State = soundness(r.Guards, results)
	for _, c := range ph.Checks {
		if c.Group != SLO || !c.at(l) {
			continue
		}
		if r.State != Accepted {
			results = append(results, c.result(CheckNotJudged))
			continue
		}
		results = append(results, c.evaluate(env))
	}
	if r.State == Accepted {
		r.State = speed(results)
	}
	for _, result := range results {
		if !r.State.Shown() {
			result.withhold()
		}
		r.Checks = append(r.Checks, *result)
	}
}

// soundness is the state of a level by everything but speed; worst wins.
func soundness(guards []GuardResult, checks []*CheckResult) State {
	fired := func(effect Effect) bool {
		return slices.ContainsFunc(guards, func(g GuardResult) bool { return g.Status == Fired && g.Effect == effect })
	}
	check := func(state CheckState, groups ...Group) bool {
		return slices.ContainsFunc(checks, func(c *CheckResult) bool { return c.Result == state && slices.Contains(groups, c.Group) })
	}
	switch {
	case fired(Reject) || check(CheckFails, Correct):
		return Rejected
	case fired(Void) || check(CheckFails, Valid):
		return InvalidLevel
	case fired(Undecide) || check(CheckUndecided, Correct, Valid):
		return UndecidedLevel
	}
	return Accepted
}

// speed is the state of a sound level by its slo checks: one that fails is
// decided, whatever else is not.
func speed(checks []*CheckResult) State {
	state := Accepted
	for _, c := range checks {
		switch {
		case c.Group != SLO:
		case c.Result == CheckFails:
			return Missed
		case c.Result == CheckUndecided:
			state = UndecidedLevel
		}
	}
	return state
}

// Shown reports whether a level's figures may be printed.
func (s State) Shown() bool { return s == Accepted || s == Missed }

func (c *CheckPlan) result(state CheckState) *CheckResult {
	return &CheckResult{
		Group: c.Group, Name: c.Spec.Name, Expr: c.Spec.Expr.String(),
		At: c.Spec.Expr.Pos().String(), Result: state,
	}
}

func (c *CheckPlan) evaluate(env assert.Env) *CheckResult {
	x := c.check.Explain(env)
	r := c.result(checkStates[x.Result])
	r.Reason = x.Reason
	r.Values = values(x.Reads)
	for _, o := range x.Offenders {
		r.Offenders = append(r.Offenders, Offender{List: o.List, Index: o.Index, Values: values(o.Reads)})
	}
	return r
}

// values turns reads into text. Speeds keep a mark until it is known whether
// they may be shown.
func values(reads []assert.Read) []Value {
	list := make([]Value, len(reads))
	for i, read := range reads {
		list[i] = Value{Path: read.Path, Text: read.Text, speed: read.Speed}
		if !read.Known {
			list[i].Text = "unknown"
		}
	}
	return list
}

// withhold takes the speeds out of what a check read.
func (r *CheckResult) withhold() {
	hide := func(list []Value) {
		for i := range list {
			if list[i].speed && list[i].Text != "unknown" {
				list[i].Text = "withheld"
			}
		}
	}
	hide(r.Values)
	for _, o := range r.Offenders {
		hide(o.Values)
	}
}

// Why is the first thing that kept the level from being accepted, in words.
func (l *LevelResult) Why() string {
	if l.Reason != "" {
		return l.Reason
	}
	for _, effect := range []Effect{Reject, Void, Undecide} {
		for _, g := range l.Guards {
			if g.Status == Fired && g.Effect == effect && stateOf(effect) == l.State {
				return g.ID + ": " + g.Message
			}
		}
	}
	for _, c := range l.Checks {
		if c.decides(l.State) {
			return c.Sentence()
		}
	}
	return ""
}

// decides reports whether a check is of those that put a level into a state.
func (c *CheckResult) decides(s State) bool {
	switch s {
	case Rejected:
		return c.Group == Correct && c.Result == CheckFails
	case InvalidLevel:
		return c.Group == Valid && c.Result == CheckFails
	case Missed:
		return c.Group == SLO && c.Result == CheckFails
	case UndecidedLevel:
		return c.Result == CheckUndecided
	}
	return false
}

func stateOf(e Effect) State {
	switch e {
	case Reject:
		return Rejected
	case Void:
		return InvalidLevel
	}
	return UndecidedLevel
}

// Sentence says what a check that does not hold found.
func (c *CheckResult) Sentence() string {
	s := c.Expr
	if c.Name != "" {
		s = c.Name + " (" + c.Expr + ")"
	}
	if c.Repeat > 0 {
		s = fmt.Sprintf("repeat %d: %s", c.Repeat, s)
	}
	s += " " + string(c.Result)
	if c.Reason != "" {
		s += ": " + c.Reason
	}
	return s + c.found()
}

// found is what a check that failed found: its first offender, or its values.
func (c *CheckResult) found() string {
	if c.Result != CheckFails {
		return ""
	}
	values, lead := c.Values, ": "
	if len(c.Offenders) > 0 {
		o := c.Offenders[0]
		values, lead = o.Values, fmt.Sprintf(": %s[%d] has ", o.List, o.Index)
	}
	var words []string
	for _, v := range values {
		words = append(words, v.Path+" = "+v.Text)
	}
	if len(words) == 0 {
		return ""
	}
	return lead + strings.Join(words, ", ")
}

// place puts a level's figures where its state says they belong.
func (l *LevelResult) place(found *metric.Level, formulas map[string]any, wall time.Duration) {
	if l.State.Shown() {
		l.Figures, l.Formulas, l.Wall = found, formulas, metric.Span(wall)
	} else {
		l.Withheld, l.WithheldFormulas = found, formulas
	}
}
