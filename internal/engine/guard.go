package engine

import (
	"slices"

	"scenario/internal/metric"
	"scenario/internal/spec"
)

// Effect is what a guard does to the level it fires on.
type Effect string

// The effects, from the mildest. A tag is a label on the figures, a warning is
// printed.
const (
	effectOff Effect = "off"
	Tag       Effect = "tag"
	Warn      Effect = "warn"
	Undecide  Effect = "undecided"
	Void      Effect = "invalid"
	Reject    Effect = "reject"
)

// atLeast reports whether e weighs as much as other.
func (e Effect) atLeast(other Effect) bool {
	order := []Effect{effectOff, Tag, Warn, Undecide, Void, Reject}
	return slices.Index(order, e) >= slices.Index(order, other)
}

// Decides reports whether the effect changes a level's state.
func (e Effect) Decides() bool { return e.atLeast(Undecide) }

// Guard is a built-in check that needs no line in the scenario. A scenario tunes
// it by its id.
type Guard struct {
	ID         string
	Doc        string // what fires it
	Effect     Effect
	Thresholds []Threshold
	// After lists the guards that explain what this one sees: it stays silent
	// where one of them has fired with an effect that weighs as much as its own.
	After []string

	check func(*evidence) finding
}

// Threshold is a number of a guard that a scenario may set.
type Threshold struct {
	Name    string
	Default float64
	Min     float64 // least value a scenario may set
	Max     float64 // ... and largest
	Doc     string
}

// share is a threshold between 0 and 1.
func share(name string, value float64, doc string) Threshold {
	return Threshold{Name: name, Default: value, Max: 1, Doc: doc}
}

// finding is what a guard's check saw.
type finding struct {
	fired     bool
	message   string // with the numbers
	mild      Effect // an effect below the guard's own; empty: its own
	unchecked string // why it could not be checked; empty: it was
	decisive  bool   // unchecked here is not a note: the level is undecided
}

func silent() finding { return finding{} }

func fires(message string) finding { return finding{fired: true, message: message} }

// warns is a finding that is worth a line, and not the guard's effect.
func warns(message string) finding { return finding{fired: true, message: message, mild: Warn} }

func unchecked(why string) finding { return finding{unchecked: why} }

// undecidable is a finding of a guard that must be able to see, and cannot.
func undecidable(why string) finding { return finding{unchecked: why, decisive: true} }

// evidence is what guards look at: the level's requests and figures, and what
// else the run knows.
type evidence struct {
	phase *PhasePlan
	level *LevelPlan
	found *metric.Level

	model string // that requests name
	// sharesProcess: the server runs in this process, so that its CPU time cannot
	// be told from the client's.
	sharesProcess bool

	server    *serverLoad    // what the server's counters say; nil: nothing was asked
	software  string         // the server, as Facts name it
	drift     *DriftResult   // of the whole phase, after its last level; nil: not yet, or not asked for
	block     int            // tokens in a block of the target's prefix cache; 0: not known
	several   bool           // the target has several base URLs
	ladder    []*LevelResult // the phase's levels so far
	warmup    *WarmupResult  // sent just before the level; nil: none
	died      string         // how the target stopped answering; empty: it did not
	flush     *FlushResult   // of the prefix cache before the level; nil: not asked for
	canaries  *CanaryResult  // sent before and after the load; nil: none
	heads     map[string]int // heads of all prompts the phase has sent, and how often
	missed    int            // sessions of a schedule that were never started
	resent    int            // degenerate replies whose prompts were sent again, alone
	sound     int            // ... and came back sound
	unsent    []string       // why others, that were sent again too, failed
	threshold func(string) float64
}

// whole are the requests that came back whole, whatever their counts.
func (e *evidence) whole() []*metric.Request {
	return slices.DeleteFunc(slices.Clone(e.found.Requests), func(r *metric.Request) bool { return r.Failed() })
}

// byEndpoint splits requests by the endpoint they went to: a fault of one of many
// replicas is judged as if it were the only one.
func byEndpoint(requests []*metric.Request) [][]*metric.Request {
	var groups [][]*metric.Request
	for _, r := range requests {
		for len(groups) <= r.Endpoint {
			groups = append(groups, nil)
		}
		groups[r.Endpoint] = append(groups[r.Endpoint], r)
	}
	return slices.DeleteFunc(groups, func(g []*metric.Request) bool { return len(g) == 0 })
}

// Guards are all guards of this build, in the order they are looked at and listed.
func Guards() []Guard {
	return slices.Concat(transportGuards(), lengthGuards(), textGuards(), canaryGuards(), cacheGuards(), streamGuards(), serverGuards(), tagGuards(), []Guard{notCovered()})
}

// LaterGuards are the guards of the language that this build does not have.
func LaterGuards() []string {
	return []string{
		"overlimit-accepted", "crosstalk", "zero-visible", "contract",
	}
}

// GuardStatus is what became of a guard at a level.
type GuardStatus string

// The statuses that are told; a guard that looked and saw nothing has none.
const (
	Fired      GuardStatus = "fired"
	NotChecked GuardStatus = "not_checked"
)

// GuardResult is a guard that fired or could not be checked.
type GuardResult struct {
	ID      string      `json:"id" doc:"the guard"`
	Status  GuardStatus `json:"status" doc:"fired or not_checked"`
	Effect  Effect      `json:"effect" doc:"reject, invalid, undecided, warn or tag"`
	Message string      `json:"message" doc:"what it saw, with numbers, or why it was not checked"`
}

// watch runs the phase's guards over a level.
func watch(guards []GuardPlan, e *evidence) []GuardResult {
	var results []GuardResult
	fired := map[string]Effect{}
	for _, g := range guards {
		if g.Effect == effectOff {
			continue
		}
		if slices.ContainsFunc(g.After, func(id string) bool { return fired[id] != "" && fired[id].atLeast(g.Effect) }) {
			continue
		}
		e.threshold = g.threshold
		found := g.check(e)
		if r, ok := g.result(found); ok && !(found.unchecked != "" && told(results, r)) {
			results = append(results, r)
			if r.Status == Fired {
				fired[g.ID] = r.Effect
			}
		}
	}
	return results
}

// told reports whether an earlier guard has told the same, and weighs as much: what
// the target does not say is said once, not by every guard that asks for it.
func told(results []GuardResult, r GuardResult) bool {
	return slices.ContainsFunc(results, func(earlier GuardResult) bool {
		return earlier.Status == r.Status && earlier.Message == r.Message && earlier.Effect.atLeast(r.Effect)
	})
}

// result is what is told of a finding; false: nothing.
func (g GuardPlan) result(f finding) (GuardResult, bool) {
	switch {
	case f.fired && f.mild != "" && g.Effect.atLeast(f.mild):
		return GuardResult{g.ID, Fired, f.mild, f.message}, true
	case f.fired:
		return GuardResult{g.ID, Fired, g.Effect, f.message}, true
	case f.decisive && g.tuned:
		return GuardResult{g.ID, Fired, g.Effect, f.unchecked}, true
	case f.decisive:
		return GuardResult{g.ID, Fired, Undecide, f.unchecked}, true
	case f.unchecked != "":
		return GuardResult{g.ID, NotChecked, g.Effect, f.unchecked}, true
	}
	return GuardResult{}, false
}

// GuardPlan is a guard as a phase has tuned it.
type GuardPlan struct {
	Guard
	Effect  Effect
	Because string

	tuned bool // the scenario set the effect
	set   map[string]float64
}

func (g GuardPlan) threshold(name string) float64 {
	if v, ok := g.set[name]; ok {
		return v
	}
	for _, t := range g.Thresholds {
		if t.Name == name {
			return t.Default
		}
	}
	panic("guard " + g.ID + " has no threshold " + name)
}

// tuned lists the guards that a phase has changed.
func tuned(guards []GuardPlan) []TunedGuard {
	var list []TunedGuard
	for _, g := range guards {
		if g.Because != "" {
			list = append(list, TunedGuard{g.ID, g.Effect, g.set, g.Because})
		}
	}
	return list
}

// tune applies a phase's settings. The settings' names have been checked.
func tune(settings []spec.GuardSetting) []GuardPlan {
	guards := Guards()
	plans := make([]GuardPlan, len(guards))
	for i, g := range guards {
		plans[i] = GuardPlan{Guard: g, Effect: g.Effect}
		for _, s := range settings {
			if s.ID != g.ID {
				continue
			}
			plans[i].Because, plans[i].set = s.Because, s.Thresholds
			if s.Effect != "" {
				plans[i].Effect, plans[i].tuned = Effect(s.Effect), true
			}
			if s.Off {
				plans[i].Effect = effectOff
			}
		}
	}
	return plans
}
