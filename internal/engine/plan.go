package engine

import (
	"fmt"
	"math"
	"time"

	"scenario/internal/assert"
	"scenario/internal/chat"
	"scenario/internal/diag"
	"scenario/internal/formula"
	"scenario/internal/metric"
	"scenario/internal/spec"
)

// Plan is a scenario that can be run: every expression compiled, every level
// with its number of sessions, everything that could only turn out undecided
// after an hour of load refused.
type Plan struct {
	Scenario *spec.Scenario
	Baseline *spec.Baseline // nil: none
	Phases   []*PhasePlan
	Seed     uint64
	Nonce    string
	Partial  []string // options that left parts of the scenario out
	// NotCovered is what of production the file's levels do not cover, as far as that
	// is known before the run.
	NotCovered []string
}

// PhasePlan is one phase of a plan.
type PhasePlan struct {
	Spec     *spec.Phase
	Kind     *Kind
	Workload Workload
	API      chat.API
	Cache    string // cold, any
	Levels   []*LevelPlan
	Checks   []*CheckPlan
	Summary  []*CheckPlan // of the phase as a whole
	Guards   []GuardPlan
	Formula  *formula.Formula // nil: none

	scope *assert.Scope
}

// LevelPlan is one level of a phase.
type LevelPlan struct {
	Concurrency int     // sessions kept in flight; 0: at a rate
	Rate        float64 // sessions started per second; 0: not at a rate
	Gated       bool
	Sessions    int // 0: as many as come to be within a window
	Ordinal     int // sessions of the ladder before this level
	Repeats     int // how often it is run
	Repeat      int // which of them this is, from 0
	Warmups     int // sent before this level, as far as the warm-up's scope goes
	Profile     Profile
	KV          *KVDemand

	Lasts    time.Duration // time within which the load starts its sessions, where the plan tells; 0: it does not
	inFlight int           // at a rate: most sessions at once
	baseline baselineRow
}

// CheckPlan is one check of a phase.
type CheckPlan struct {
	Group Group
	Spec  spec.Check
	check *assert.Check
	when  *assert.Check // nil: always

	shortfalls []shortfall
	used       bool // it exists at some level
}

// PlanOptions choose what of a scenario is run.
type PlanOptions struct {
	Kinds  []Kind
	Phases []string // names; empty: all
	When   string   // condition on levels; empty: all
	Nonce  string
	Dir    string // the folder of the scenario's file
	// NoBaseline: the scenario names a baseline that could not be read, which has
	// been said; what is missing because of it is no fault of its own.
	NoBaseline bool
}

// NewPlan makes the plan of a scenario, or says everything that is wrong with it.
func NewPlan(s *spec.Scenario, baseline *spec.Baseline, o PlanOptions) (*Plan, diag.List) {
	p := &planner{options: o, plan: &Plan{Scenario: s, Baseline: baseline, Seed: s.Seed, Nonce: o.Nonce}}
	selected := p.selection()
	for i := range s.Phases {
		p.phase(&s.Phases[i], selected)
	}
	p.unmatchedBaseline()
	if o.When != "" && !p.faults.HasErrors() {
		p.plan.Partial = append(p.plan.Partial, "--when "+o.When)
		p.nothingSelected()
	}
	p.production()
	p.faults.Sort()
	if p.faults.HasErrors() {
		return nil, p.faults
	}
	return p.plan, p.faults
}

// planner collects the faults of a plan in the making.
type planner struct {
	options PlanOptions
	plan    *Plan
	faults  diag.List

	coverage coverage
}

func (p *planner) fault(d diag.Diagnostic) { p.faults = append(p.faults, d) }

// phase plans one phase; a phase that is not selected is checked and left out.
func (p *planner) phase(s *spec.Phase, selected map[string]bool) {
	kind := p.kind(s.Kind.String())
	ph := &PhasePlan{Spec: s, Kind: kind, API: kind.API, Cache: s.Cache, Guards: tune(s.Guards)}
	switch s.API {
	case "chat":
		ph.API = chat.Chat
	case "completions":
		ph.API = chat.Completions
	}
	if f, ok := formula.Find(s.Formula.String()); ok {
		ph.Formula = &f
		p.method(s, &f)
	}
	workload, faults := kind.New(Setup{Phase: s, API: ph.API, Seed: p.plan.Seed, Nonce: p.plan.Nonce, Dir: p.options.Dir})
	p.faults = append(p.faults, faults...)
	ph.scope = scopeOf(ph.Formula, s.Load.Mode)
	p.compile(ph)
	p.summary(ph)
	if workload == nil || faults.HasErrors() {
		return
	}
	ph.Workload = workload
	if ph.Cache == "" {
		ph.Cache = workload.Profile(1).CacheDefault
	}
	p.checkLimits(ph)
	p.levels(ph)
	if len(selected) == 0 || selected[s.Name] {
		p.plan.Phases = append(p.plan.Phases, ph)
	}
}

// method refuses a formula whose method sends its requests in another way: its
// figures would bear the name of a measurement that was not made.
func (p *planner) method(s *spec.Phase, f *formula.Formula) {
	if s.Load.Mode != f.Mode {
		p.fault(s.Formula.Diagnose(0, len([]rune(f.ID)), fmt.Sprintf("the method of %s is not that of this phase's load: %s", f.ID, f.Doc), "load: {mode: "+f.Mode+"}"))
	}
}

// kind is the kind with a name; that it exists has been checked with the schema.
func (p *planner) kind(name string) *Kind {
	for i := range p.options.Kinds {
		if p.options.Kinds[i].Name == name {
			return &p.options.Kinds[i]
		}
	}
	panic("engine: a scenario of an unknown kind passed the schema: " + name)
}

// tooMany is the fault of a level that sends more than can be planned.
func tooMany(s *spec.Phase, l *LevelPlan, a axis) diag.Diagnostic {
	fix := map[string]string{"wave": "fewer waves", "rate": "a lower rate, or an earlier end"}[s.Load.Mode]
	if fix == "" {
		fix = "fewer requests, or a smaller error_budget"
	}
	sends := fmt.Sprintf("%d requests", l.Sessions)
	if s.Load.Mode == "rate" && s.Load.Duration > 0 {
		sends = "more than that" // nobody counts further
	}
	return s.Load.At.Diagnose(fmt.Sprintf("level %s would send %s: at most %d can be planned", a, sends, mostSessions), fix)
}

// sentAgain is the fault of a cold phase whose file has fewer prompts than it sends
// up to a level. How many a window sends is not known before; a guard will see.
func sentAgain(ph *PhasePlan, l *LevelPlan, a axis) *diag.Diagnostic {
	data := l.Profile.Data
	if data == nil || ph.Cache != "cold" || l.ordinals() != l.Sessions || l.Ordinal+l.Sessions*l.Repeats <= data.Prompts {
		return nil
	}
	d := ph.Spec.At.Key("cache").Diagnose(fmt.Sprintf("up to level %s the phase sends %d prompts, and %s has %d: those that are sent again are not cold", a, l.Ordinal+l.Sessions*l.Repeats, data.File, data.Prompts), "write cache: any, or fewer requests")
	return &d
}

// levels works out the ladder of a phase.
func (p *planner) levels(ph *PhasePlan) {
	s := ph.Spec
	rows := p.baselineRows(ph)
	gate := p.gate(s.Gate, ph.scope)
	when := p.flag("--when", p.options.When, ph.scope)
	ordinal, gated := 0, 0
	var ladder []*LevelPlan
	for _, a := range axes(s) {
		l := &LevelPlan{
			Concurrency: a.concurrency, Rate: a.rate, Gated: true, Ordinal: ordinal, Repeats: s.Repeats,
			Profile: ph.Workload.Profile(max(1, a.concurrency)), baseline: rows.at(a),
		}
		if a.rate > 0 {
			l.inFlight = s.Load.MaxInFlight
		}
		env := l.planEnv()
		if gate != nil {
			l.Gated = p.decided(gate, env, s.Gate, a)
		}
		if l.Gated {
			gated++
		}
		l.Sessions = p.sessions(ph, l)
		if l.Sessions > mostSessions {
			p.fault(tooMany(s, l, a))
		}
		if l.Rate > 0 && l.Sessions == 0 {
			p.fault(s.Load.At.Diagnose(fmt.Sprintf("level %s starts nothing within %s", a, metric.Clock(s.Load.Duration)), "a longer duration, or requests in its place"))
		}
		ordinal += l.ordinals() * l.Repeats
		if d := sentAgain(ph, l, a); d != nil {
			p.fault(*d)
			return
		}
		l.Warmups = warmups(s, l, len(p.plan.Scenario.Target.BaseURLs))
		l.KV = demand(s, l, p.plan.Scenario.Target.KVCapacityTokens)
		if when == nil || when.Eval(env) == assert.Holds {
			ph.Levels = append(ph.Levels, l)
		}
		ladder = append(ladder, l)
		p.decidable(ph, l)
		p.judged(ph, l)
	}
	p.unused(ph)
	rows.unused(p)
	if gated == 0 && len(axes(s)) > 0 {
		p.fault(s.Gate.Diagnose(0, len([]rune(s.Gate.String())), "the gate is false at every level: nothing of this phase would count for the verdict", "widen the gate, or remove it"))
	}
	p.undecidable(ph)
	p.decidableSummary(ph, ladder)
	p.covered(ph, ladder)
}

// mostSessions bounds a level: what is more is a slip of the pen.
const mostSessions = 10_000_000

// warmups is how many sessions are sent before a level and enter no figure: in
// scope run or phase before the first that is run, else before each.
func warmups(s *spec.Phase, l *LevelPlan, endpoints int) int {
	if s.Warmup.Off {
		return 0
	}
	n := s.Warmup.Requests.Resolve(l.least(), l.least())
	if s.Warmup.PerEndpoint {
		n *= endpoints
	}
	return n
}

// sessions is how many sessions a level sends.
func (p *planner) sessions(ph *PhasePlan, l *LevelPlan) int {
	s := ph.Spec
	switch s.Load.Mode {
	case "wave":
		return s.Load.Waves * l.Concurrency
	case "window":
		l.Lasts = s.Load.Duration
		return 0
	case "rate":
		sessions := 0
		if s.Load.Duration == 0 {
			sessions = s.Load.Sessions.Resolve(0, p.auto(ph, l))
		}
		due := ph.schedule(p.plan.Seed, l, min(sessions, mostSessions+1))
		if l.Lasts = s.Load.Duration; l.Lasts == 0 && len(due) > 0 {
			l.Lasts = due[len(due)-1]
		}
		return len(due)
	}
	return s.Load.Sessions.Resolve(l.Concurrency, p.auto(ph, l))
}

// ordinals is how many places of the phase's ladder the level takes: of a window,
// whose sessions nobody can count before, as many as a level may have, so that the
// places after it do not depend on how it went.
func (l *LevelPlan) ordinals() int {
	if l.Sessions == 0 && l.Rate == 0 {
		return mostSessions
	}
	return l.Sessions
}

// leastSessions is what auto comes to at a rate, where no check needs more: it has
// no slots to make a multiple of.
const leastSessions = 20

// auto is the larger of five sessions per slot and what the phase's own checks
// need at this level, with room for the failures that the error budget allows.
func (p *planner) auto(ph *PhasePlan, l *LevelPlan) int {
	sessions := 5 * l.Concurrency
	if l.Rate > 0 {
		sessions = leastSessions
	}
	for _, c := range ph.Checks {
		if !c.at(l) {
			continue
		}
		for _, need := range c.check.Needs() {
			if yield := ph.Workload.Yield(need.Path); need.Root == levelRoot && !need.Asked && yield > 0 {
				sessions = max(sessions, (need.Samples+yield-1)/yield)
			}
		}
	}
	for _, c := range ph.Summary {
		for _, need := range c.check.Needs() {
			if name, ok := ofLevel(need.Path); ok && !need.Asked && ph.Workload.Yield(name) > 0 {
				yield := ph.Workload.Yield(name)
				sessions = max(sessions, (need.Samples+yield-1)/yield)
			}
		}
	}
	if budget := ph.Spec.ErrorBudget; budget > 0 && budget < 1 {
		return int(math.Ceil(float64(sessions) / (1 - budget)))
	}
	return sessions
}
