package engine

import (
	"fmt"
	"slices"

	"scenario/internal/diag"
	"scenario/internal/metric"
	"scenario/internal/spec"
)

// ProductionResult is what the scenario says that production will do, and what of it
// no level that counts has done.
type ProductionResult struct {
	Concurrency int      `json:"concurrency,omitempty" doc:"requests in flight at the busiest time"`
	Context     int      `json:"context,omitempty" doc:"longest context, prompt and answer, in tokens"`
	Features    []string `json:"features,omitempty" doc:"features that production uses"`
	NotCovered  []string `json:"not_covered,omitempty" doc:"what no level that counts has covered"`
	Effect      Effect   `json:"effect,omitempty" doc:"what that does to the verdict"`
}

// A context is covered by a length that is within this share of it: templates take
// some tokens, and answers are shorter than their limit.
const contextShare = 0.99

// prover is a workload that proves less than its kind can.
type prover interface{ Features() []string }

// features are what a phase proves that is not of its size.
func (ph *PhasePlan) features() []string {
	features := ph.Kind.Features
	if w, ok := ph.Workload.(prover); ok {
		features = w.Features()
	}
	if ph.Spec.Stream {
		return features
	}
	return slices.DeleteFunc(slices.Clone(features), func(f string) bool { return f == "streaming" })
}

// coverage is what the levels that count do.
type coverage struct {
	concurrency float64
	rates       bool // levels of a rate are among them, whose concurrency the run tells
	context     int
	unsized     bool // the length of some is not known before the run
	features    []string
}

// add adds a level of the plan. found are its figures; nil: it has none, or they are
// withheld, and then what was planned stands.
func (c *coverage) add(ph *PhasePlan, l *LevelPlan, found *metric.Level) {
	c.features = append(c.features, ph.features()...)
	c.concurrency = max(c.concurrency, float64(l.Concurrency))
	prompt, output := l.Profile.PromptTokens, l.Profile.OutputTokens
	if found == nil {
		c.rates = c.rates || l.Rate > 0
		c.unsized = c.unsized || prompt == 0
		c.context = max(c.context, prompt+output)
		return
	}
	if held, ok := found.InflightMean.Number(); ok && l.Rate > 0 {
		c.concurrency = max(c.concurrency, held)
	}
	if longest, ok := found.PromptTokens.Max(); ok {
		prompt = int(longest)
	}
	if least, ok := found.OutputTokens.Min(); ok && !l.Profile.Forced {
		output = min(output, int(least))
	}
	c.context = max(c.context, prompt+output)
}

// gap is something that production does and no level that counts.
type gap struct {
	key     string // of production
	feature string
	message string
}

// gaps are what of production the levels do not cover.
func (c *coverage) gaps(production spec.Production) []gap {
	var list []gap
	if n := production.Concurrency; float64(n) > c.concurrency && !c.rates {
		list = append(list, gap{key: "concurrency", message: fmt.Sprintf("production has %d requests in flight, levels that count go to %s", n, metric.Short(c.concurrency))})
	}
	if n := production.Context; float64(c.context) < contextShare*float64(n) && !c.unsized {
		list = append(list, gap{key: "context", message: fmt.Sprintf("production has contexts of %d tokens, levels that count go to %d", n, c.context)})
	}
	for _, feature := range production.Features {
		if !slices.Contains(c.features, feature) {
			list = append(list, gap{key: "features", feature: feature, message: fmt.Sprintf("production uses %s, and no level that counts does", feature)})
		}
	}
	return list
}

// covered notes what a phase's levels cover, whether they are run or not: what a
// partial run leaves out is not the file's fault.
func (p *planner) covered(ph *PhasePlan, ladder []*LevelPlan) {
	for _, l := range ladder {
		if l.Gated {
			p.coverage.add(ph, l, nil)
		}
	}
}

// production names what of production the file does not cover.
func (p *planner) production() {
	production := p.plan.Scenario.Production
	if p.faults.HasErrors() {
		return // of a phase that has faults nobody knows what it covers
	}
	for _, g := range p.coverage.gaps(production) {
		p.plan.NotCovered = append(p.plan.NotCovered, g.message)
		at, fix := production.At.Key(g.key), "widen a gate, or add levels"
		if g.key == "features" {
			at, fix = at.Item(slices.Index(production.Features, g.feature)), p.proves(g.feature)
		}
		d := at.Diagnose(g.message+": the run can't be GO (guard not-covered)", fix)
		d.Severity = diag.Warning
		p.fault(d)
	}
}

// proves says what would cover a feature.
func (p *planner) proves(feature string) string {
	for _, k := range p.options.Kinds {
		if slices.Contains(k.Features, feature) {
			return "add a phase of kind " + k.Name
		}
	}
	return "this version has no kind of phase that does"
}

// notCovered is the guard of what production will do. It looks at the run as a whole.
func notCovered() Guard {
	return Guard{
		ID:     "not-covered",
		Doc:    "production declares a concurrency, a context (within 1 %) or a feature that no level which counts reaches; judged once, for the whole run, by the strongest of the effects that phases give it. In a partial run it is a note",
		Effect: Void,
		check:  func(*evidence) finding { return silent() },
	}
}

// declare keeps what production will do.
func (r *Runner) declare() {
	production := r.Plan.Scenario.Production
	if !production.At.Exists() {
		return
	}
	r.result.Production = &ProductionResult{
		Concurrency: production.Concurrency, Context: production.Context, Features: production.Features,
		NotCovered: r.Plan.NotCovered, Effect: r.Plan.coverEffect(),
	}
}

// coverEffect is the effect of the guard not-covered: the strongest that a phase
// has it at, and a note in a partial run.
func (p *Plan) coverEffect() Effect {
	effect := effectOff
	for _, ph := range p.Phases {
		if e := ph.guard("not-covered").Effect; e.atLeast(effect) {
			effect = e
		}
	}
	if len(p.Partial) > 0 && effect.Decides() {
		return Warn
	}
	return effect
}

// cover works out, at the end of a run, what its levels have covered.
func (r *Runner) cover() {
	if r.result.Production == nil || len(r.Plan.Partial) > 0 {
		return
	}
	var c coverage
	for i, phase := range r.result.Phases {
		ph := r.Plan.Phases[i]
		for j, l := range phase.Levels {
			if l.Gated {
				c.add(ph, ph.Levels[j], l.Figures)
			}
		}
	}
	c.rates, c.unsized = false, false
	r.result.Production.NotCovered = nil
	for _, g := range c.gaps(r.Plan.Scenario.Production) {
		r.result.Production.NotCovered = append(r.result.Production.NotCovered, g.message)
	}
}

// Decides reports whether something that production does is not covered, with an
// effect on the verdict.
func (p *ProductionResult) Decides() bool {
	return p != nil && len(p.NotCovered) > 0 && p.Effect.Decides()
}
