package engine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"scenario/internal/assert"
	"scenario/internal/metric"
	"scenario/internal/spec"
)

// laterSummaryNames are variables of a phase's summary that this build does not
// measure.
var laterSummaryNames = []string{"overlimit_refused", "max_verified_length", "ttft_curve", "prefill_tps_marginal"}

// SummaryScope is what a check under summary can read.
func SummaryScope() *assert.Scope {
	return assert.NewScope(assert.Root{Type: reflect.TypeFor[metric.Scaling]()}).Later(laterSummaryNames...)
}

// summaryScope is what it can read in a phase with this mode of load.
func summaryScope(mode string) *assert.Scope {
	absent := map[string]string{}
	for _, name := range fieldNames(reflect.TypeFor[metric.Level](), "levels") {
		absent[name] = "is a figure of one level: a check under summary looks at levels, as in all(levels, .output_tps > 100)"
	}
	if mode == "rate" {
		for _, name := range []string{"knee", "scaling_class", "wall"} {
			absent[name] = "is not known in load.mode: rate: it is about concurrency"
		}
	}
	return SummaryScope().Without(absent)
}

// ofThePhase are the variables that a level has not, and why.
func ofThePhase() map[string]string {
	absent := map[string]string{}
	for _, name := range fieldNames(reflect.TypeFor[metric.Scaling]()) {
		absent[name] = "is a figure of the phase as a whole: its checks stand under summary"
	}
	return absent
}

// fieldNames are the variables of a struct but some.
func fieldNames(t reflect.Type, but ...string) []string {
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if _, documented := f.Tag.Lookup("doc"); documented && !slices.Contains(but, name) {
			names = append(names, name)
		}
	}
	return names
}

// summary compiles the checks of a phase as a whole.
func (p *planner) summary(ph *PhasePlan) {
	scope := summaryScope(ph.Spec.Load.Mode)
	for _, group := range []struct {
		name   Group
		checks []spec.Check
	}{
		{Valid, ph.Spec.Summary.Valid},
		{Correct, ph.Spec.Summary.Correct},
		{SLO, ph.Spec.Summary.SLO},
	} {
		for _, s := range group.checks {
			if !s.When.Empty() {
				p.fault(s.When.Diagnose(0, len([]rune(s.When.String())), "a check under summary has no when: it is judged once, for the whole phase", "filter(levels, .concurrency <= 32) looks at some of its levels"))
			}
			if check := p.expression(s.Expr, scope, assert.Measured); check != nil {
				ph.Summary = append(ph.Summary, &CheckPlan{Group: group.name, Spec: s, check: check})
			}
		}
	}
}

// of is a path below the phase's levels, as one of them names it.
func ofLevel(path string) (string, bool) { return strings.CutPrefix(path, "levels.") }

// decidableSummary refuses what a summary reads and can never be known.
func (p *planner) decidableSummary(ph *PhasePlan, levels []*LevelPlan) {
	for _, c := range ph.Summary {
		refuse := func(message, fix string) {
			p.fault(c.Spec.Expr.Diagnose(0, len([]rune(c.Spec.Expr.String())), message, fix))
		}
		asked := c.check.Asked()
		for _, need := range c.check.Needs() {
			name, ok := ofLevel(need.Path)
			switch yield := ph.Workload.Yield(name); {
			case !ok || need.Asked:
			case need.Quantile > 0 && metric.Condensed(name) && !metric.Printed(need.Quantile):
				refuse(fmt.Sprintf("of %s only p50, p90, p95 and p99 are kept once a level is over", need.Path), "write a check of the level, under checks")
			case yield == 0:
				p.neverInAny(ph, name, levels, refuse)
			case !ph.reaches(name, need.Samples, levels):
				refuse(fmt.Sprintf("%s.%s needs %d samples, and no level of the phase sends so many requests", need.Path, need.Figure, need.Samples),
					fmt.Sprintf("load: {requests: %d}, or requests: auto", (need.Samples+yield-1)/yield))
			}
		}
		for _, path := range c.check.Reads() {
			name, ok := ofLevel(path)
			switch {
			case path == "knee" || path == "scaling_class":
				if len(levels) < 2 && !slices.Contains(asked, path) {
					refuse(path+" can't be known: it takes two levels or more, and the phase has one", "add levels to concurrency")
				}
			case !ok || slices.Contains(asked, path):
			case name == "elasticity" && !slices.Contains(c.check.Reads(), "levels.concurrency"):
				refuse("the first level has no elasticity: with it among the levels, this may never be decided", fmt.Sprintf("filter(levels, .concurrency > %d)", axes(ph.Spec)[0].concurrency))
			case name == "requests" || strings.HasPrefix(name, "requests."):
				refuse("requests are looked at while their level is judged, and are not kept for the summary", "write the check under checks, for each level")
			default:
				p.neverInAny(ph, name, levels, refuse)
			}
		}
	}
}

// reaches reports whether some level gives so many samples of a variable.
func (ph *PhasePlan) reaches(variable string, samples int, levels []*LevelPlan) bool {
	return slices.ContainsFunc(levels, func(l *LevelPlan) bool { return !l.countable() || l.Sessions*ph.Workload.Yield(variable) >= samples })
}

// neverInAny refuses a figure that no level can have.
func (p *planner) neverInAny(ph *PhasePlan, name string, levels []*LevelPlan, refuse func(message, fix string)) {
	if ph.Workload.Yield(name) == 0 {
		refuse(fmt.Sprintf("levels.%s can't be known: the sessions of this phase may give no sample of it", name), "leave the check out, or ask known(…) first")
		return
	}
	var why shortfall
	for _, l := range levels {
		s, never := ph.never(name, l)
		if !never {
			return
		}
		why = s
	}
	if strings.HasPrefix(why.fix, "when: ") {
		why.fix = "" // a summary has none
	}
	if why.why != "" {
		refuse(fmt.Sprintf("levels.%s can't be known: %s", name, why.why), why.fix)
	}
}
