package engine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"scenario/internal/assert"
	"scenario/internal/diag"
	"scenario/internal/formula"
	"scenario/internal/metric"
	"scenario/internal/spec"
)

// The roots of a phase's scope, in the order of an assert.Env.
const (
	levelRoot = iota
	baselineRoot
	formulaRoot
	baselineFormulaRoot
)

// laterNames are variables of the language that this build does not measure.
var laterNames = []string{
	"conversations", "turns", "replies", "length",
	"crosstalk_count", "client", "tool_call_valid_ratio", "contract_ratio", "task_pass_ratio",
	"think_leak_count", "unknown_tool_count", "tool_ready", "think_time", "conversation_time",
	"cache_efficiency_ratio", "ttft_slope", "recall_ratio", "recall_drop", "sentinel_ratio", "truncated",
	"needles", "prefill_tps", "decode_tps", "overlimit_refused", "max_verified_length", "ttft_curve", "prefill_tps_marginal",
}

// Scope is what a check of a phase with this formula (or none: nil) can read.
func Scope(f *formula.Formula) *assert.Scope {
	level := reflect.TypeFor[metric.Level]()
	roots := []assert.Root{
		levelRoot:    {Type: level},
		baselineRoot: {Name: "baseline", Type: level, Optional: true},
	}
	if f != nil {
		roots = append(roots,
			assert.Root{Name: "formulas." + f.Variable(), Type: f.Figures},
			assert.Root{Name: "baseline.formulas." + f.Variable(), Type: f.Figures, Optional: true})
	}
	return assert.NewScope(roots...).Later(laterNames...)
}

// scopeOf is what a check of a phase with this formula and this mode of load can
// read.
func scopeOf(f *formula.Formula, mode string) *assert.Scope {
	absent := ofThePhase()
	if mode == "rate" {
		absent["concurrency"] = "is not known in load.mode: rate: its levels have a rate"
		absent["output_tps_share"] = "is not known in load.mode: rate: it is per unit of concurrency"
		absent["efficiency"] = "is not known in load.mode: rate: it is about concurrency"
		absent["elasticity"] = "is not known in load.mode: rate: it is about concurrency"
	} else {
		absent["rate"] = "is known in load.mode: rate alone: these levels have a concurrency"
	}
	return Scope(f).Without(absent)
}

// compile compiles every check of a phase.
func (p *planner) compile(ph *PhasePlan) {
	defer p.canaryFaults(ph)
	for _, group := range []struct {
		name   Group
		checks []spec.Check
	}{
		{Valid, ph.Spec.Checks.Valid},
		{Correct, ph.Spec.Checks.Correct},
		{SLO, ph.Spec.Checks.SLO},
	} {
		for _, s := range group.checks {
			check := p.expression(s.Expr, ph.scope, assert.Measured)
			when := p.condition(s.When, ph.scope)
			if check != nil && (when != nil || s.When.Empty()) {
				ph.Checks = append(ph.Checks, &CheckPlan{Group: group.name, Spec: s, check: check, when: when})
			}
		}
	}
}

// CheckExpr finds what is wrong with an expression of a scenario file.
func CheckExpr(e spec.Expression) diag.List {
	var published *formula.Formula
	if f, ok := formula.Find(e.Formula); ok {
		published = &f
	}
	mode := assert.Measured
	if e.Planned {
		mode = assert.Planned
	}
	scope := scopeOf(published, e.Mode)
	if e.Summary {
		scope = summaryScope(e.Mode)
	}
	_, faults := compile(e.Text, scope, mode)
	return faults
}

func compile(text spec.Text, scope *assert.Scope, mode assert.Mode) (*assert.Check, diag.List) {
	check, faults := assert.Compile(text.String(), scope, mode)
	var list diag.List
	for _, f := range faults {
		list = append(list, text.Diagnose(f.From, f.To, f.Message, f.Fix))
	}
	return check, list
}

// expression compiles a text of the scenario; nil: it has faults, now noted.
func (p *planner) expression(text spec.Text, scope *assert.Scope, mode assert.Mode) *assert.Check {
	check, faults := compile(text, scope, mode)
	for _, f := range faults {
		p.fault(f)
	}
	return check
}

// condition compiles a gate or a when; nil: there is none, or it has faults.
func (p *planner) condition(text spec.Text, scope *assert.Scope) *assert.Check {
	if text.Empty() {
		return nil
	}
	return p.expression(text, scope, assert.Planned)
}

// gate compiles a gate: which levels count must not depend on what a baseline has.
func (p *planner) gate(text spec.Text, scope *assert.Scope) *assert.Check {
	gate := p.condition(text, scope)
	if gate == nil || len(gate.Asked()) == 0 {
		return gate
	}
	p.fault(text.Diagnose(0, len([]rune(text.String())), "a gate reads planned values alone: what a baseline has must not decide which levels count", "known(…) belongs into a check's when"))
	return nil
}

// decided is a condition's answer at a level; one without an answer is a fault.
func (p *planner) decided(condition *assert.Check, env assert.Env, text spec.Text, at axis) bool {
	result := condition.Eval(env)
	if result == assert.Undecided {
		p.fault(text.Diagnose(0, len([]rune(text.String())), fmt.Sprintf("this can't be decided at %s: %s", at, condition.Explain(env).Reason), "write a condition that has an answer at every level"))
	}
	return result == assert.Holds
}

// judged notes which checks exist at a level. A level without one of the output
// could only be accepted unseen.
func (p *planner) judged(ph *PhasePlan, l *LevelPlan) {
	correct := false
	for _, c := range ph.Checks {
		if c.when != nil {
			p.decided(c.when, l.planEnv(), c.Spec.When, l.axis())
		}
		if c.at(l) {
			c.used = true
			correct = correct || c.Group == Correct
		}
	}
	if !correct && len(ph.Checks) > 0 {
		p.fault(ph.Spec.At.Key("checks").DiagnoseKey(fmt.Sprintf("no correct check exists at level %s: its output would not be looked at", l.Name()), "add a correct check without when, or widen a when"))
	}
}

// unused warns of checks that exist at no level.
func (p *planner) unused(ph *PhasePlan) {
	for _, c := range ph.Checks {
		if !c.used {
			d := c.Spec.When.Diagnose(0, len([]rune(c.Spec.When.String())), "the check exists at no level of this phase", "")
			d.Severity = diag.Warning
			p.fault(d)
		}
	}
}

// flag compiles a condition from the command line.
func (p *planner) flag(name, value string, scope *assert.Scope) *assert.Check {
	if value == "" {
		return nil
	}
	check, faults := assert.Compile(value, scope, assert.Planned)
	for _, f := range faults {
		p.fault(diag.Diagnostic{Pos: diag.Pos{File: name, Line: 1, Col: f.From + 1}, Message: f.Message, Fix: f.Fix, Source: value, Width: f.To - f.From})
	}
	return check
}

// at reports whether the check exists at a level.
func (c *CheckPlan) at(l *LevelPlan) bool {
	return c.when == nil || c.when.Eval(l.planEnv()) == assert.Holds
}

// planEnv is what is known of a level before it runs.
func (l *LevelPlan) planEnv() assert.Env {
	return l.env(&metric.Level{Concurrency: l.Concurrency, Rate: l.Rate}, nil)
}

// env is what checks of a level read.
func (l *LevelPlan) env(found *metric.Level, figures any) assert.Env {
	env := assert.Env{found, l.baseline.plain}
	if l.baseline.hasFormula {
		env = append(env, figures, l.baseline.formula)
	}
	return env
}

// countable reports whether the level's sessions can be counted before it runs.
func (l *LevelPlan) countable() bool { return l.ordinals() == l.Sessions }

// shortfall is a figure that a check reads and a level cannot give.
type shortfall struct {
	path    string // ttft.p95
	needs   int
	sends   int
	yield   int
	missing bool   // not a matter of samples: the baseline has no such figure
	why     string // not a matter of samples either: why it can't be known
	fix     string // ... and what to write
	levels  []axis
}

// decidable notes what the checks read at a level and can never be known there.
// A check that asks known(…) says itself what is to happen then.
func (p *planner) decidable(ph *PhasePlan, l *LevelPlan) {
	for _, c := range ph.Checks {
		if !c.at(l) {
			continue
		}
		for _, need := range c.check.Needs() {
			yield := ph.Workload.Yield(need.Path)
			if need.Root == levelRoot && !need.Asked && l.countable() && l.Sessions*yield < need.Samples {
				c.short(shortfall{path: need.Path + "." + need.Figure, needs: need.Samples, sends: l.Sessions, yield: yield}, l.axis())
			}
		}
		for _, path := range c.check.Reads() {
			if s, never := ph.never(path, l); never && !slices.Contains(c.check.Asked(), path) {
				c.short(s, l.axis())
				continue
			}
			name := strings.TrimPrefix(path, "requests.")
			if !slices.Contains(c.check.Asked(), path) && ph.Workload.Yield(name) == 0 {
				c.short(shortfall{path: path, needs: 1}, l.axis())
			}
			asked := slices.Contains(c.check.Asked(), path)
			if strings.HasPrefix(path, "baseline.") && !asked && !l.baseline.has(path) {
				c.short(shortfall{path: path, missing: true}, l.axis())
			}
		}
	}
}

func (c *CheckPlan) short(s shortfall, level axis) {
	i := slices.IndexFunc(c.shortfalls, func(have shortfall) bool { return have.path == s.path })
	if i < 0 {
		c.shortfalls = append(c.shortfalls, s)
		i = len(c.shortfalls) - 1
	}
	c.shortfalls[i].levels = append(c.shortfalls[i].levels, level)
}

// undecidable refuses the checks that some level could never decide.
func (p *planner) undecidable(ph *PhasePlan) {
	for _, c := range ph.Checks {
		for _, s := range c.shortfalls {
			message, fix := p.explain(s, ph)
			if message == "" {
				continue
			}
			p.fault(c.Spec.Expr.Diagnose(0, len([]rune(c.Spec.Expr.String())), message, fix))
		}
	}
}

func (p *planner) explain(s shortfall, ph *PhasePlan) (message, fix string) {
	levels := "level " + joinedAxes(s.levels)
	switch {
	case s.why != "":
		return fmt.Sprintf("%s can't be known: %s", s.path, s.why), s.fix
	case s.missing && p.plan.Baseline == nil && p.options.NoBaseline:
		return "", ""
	case s.missing && p.plan.Baseline == nil:
		return fmt.Sprintf("%s can't be known: the scenario has no baseline", s.path), "baseline: FILE at the top of the scenario"
	case s.missing:
		return fmt.Sprintf("%s can't be known: the baseline has no such figure at %s", s.path, levels),
			fmt.Sprintf(`when: "known(%s)"`, s.path)
	case s.yield == 0 && !ph.Spec.Stream:
		return fmt.Sprintf("%s can't be known: without streaming there are no token events", s.path), "stream: true, or a check on e2e"
	case s.yield == 0:
		return fmt.Sprintf("%s can't be known: the sessions of this phase may give no sample of it", s.path), "leave the check out, or ask known(…) first"
	}
	message = fmt.Sprintf("%s needs %d samples, %s sends %d requests", s.path, s.needs, levels, s.sends)
	if len(s.levels) > 1 {
		message = fmt.Sprintf("%s needs %d samples; %s send too few (%s: %d requests)", s.path, s.needs, levels, s.levels[0], s.sends)
	}
	requests := (s.needs + s.yield - 1) / s.yield
	fix = fmt.Sprintf("load: {requests: %d}, or requests: auto", requests)
	switch load := ph.Spec.Load; {
	case load.Mode == "wave":
		slots := s.levels[0].concurrency
		fix = fmt.Sprintf("load: {mode: wave, waves: %d}", (requests+slots-1)/slots)
	case load.Mode == "rate" && load.Duration > 0:
		fix = fmt.Sprintf("a longer duration: %d requests take about %v at %s", requests, time.Duration(float64(requests)/s.levels[0].rate*float64(time.Second)).Round(time.Second), s.levels[0])
	}
	if enough, ok := s.enough(ph); ok {
		fix += fmt.Sprintf(`, or when: "%s"`, enough.where())
	}
	return message, fix
}

// enough is the first level from which on every level has the samples; false: there
// is none.
func (s shortfall) enough(ph *PhasePlan) (axis, bool) {
	all := axes(ph.Spec)
	last := slices.Index(all, s.levels[len(s.levels)-1])
	if last+1 < len(all) {
		return all[last+1], true
	}
	return axis{}, false
}
