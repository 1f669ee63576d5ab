package engine

import (
	"slices"

	"scenario/internal/metric"
	"scenario/internal/spec"
)

// Effect is what a guard does to the level it fires on.
type Effect string

// The effects. A warning is printed; a tag is a label on the figures.
const (
	Reject    Effect = "reject"
	Void      Effect = "invalid"
	Undecide  Effect = "undecided"
	Warn      Effect = "warn"
	Tag       Effect = "tag"
	effectOff Effect = "off"
)

// Guard is a built-in check that needs no line in the scenario. A scenario tunes
// it by its id.
type Guard struct {
	ID         string
	Doc        string // what fires it
	Effect     Effect
	Thresholds []Threshold
	// After lists the guards that explain what this one sees: it stays silent
	// where one of them has fired.
	After []string

	check func(*evidence) finding
}

// Threshold is a number of a guard that a scenario may set.
type Threshold struct {
	Name    string
	Default float64
	Doc     string
}

// finding is what a guard's check saw.
type finding struct {
	fired     bool
	message   string // with the numbers
	unchecked string // why it could not be checked; empty: it was
	decisive  bool   // unchecked here is not a note: the level is undecided
}

func silent() finding { return finding{} }

func fires(message string) finding { return finding{fired: true, message: message} }

func unchecked(why string) finding { return finding{unchecked: why} }

// evidence is what guards look at: the level's requests and figures, and what
// else the run knows.
type evidence struct {
	phase *PhasePlan
	level *LevelPlan
	found *metric.Level

	died      string         // how the target stopped answering; empty: it did not
	heads     map[string]int // heads of all prompts the phase has sent, and how often
	resent    int            // degenerate replies whose prompts were sent again, alone
	sound     int            // ... and came back sound
	budget    float64
	threshold func(string) float64
}

// good are the requests that came back whole, whatever their counts.
func (e *evidence) whole() []*metric.Request {
	return slices.DeleteFunc(slices.Clone(e.found.Requests), func(r *metric.Request) bool { return r.Failed() })
}

// Guards are all guards of this build, in the order they are looked at and listed.
func Guards() []Guard {
	return slices.Concat(transportGuards(), lengthGuards(), textGuards(), cacheGuards(), streamGuards(), tagGuards())
}

// GuardResult is a guard that fired, could not be checked, or was switched off.
type GuardResult struct {
	ID      string `json:"id" doc:"the guard"`
	Status  string `json:"status" doc:"fired, not_checked or off"`
	Effect  Effect `json:"effect" doc:"reject, invalid, undecided, warn or tag"`
	Message string `json:"message" doc:"what it saw, with numbers; why it was not checked; or why it is off"`
	Because string `json:"because,omitempty" doc:"the scenario's reason for tuning it"`
}

// watch runs the phase's guards over a level.
func watch(guards []GuardPlan, e *evidence) []GuardResult {
	var results []GuardResult
	fired := map[string]bool{}
	for _, g := range guards {
		if g.Effect == effectOff {
			results = append(results, GuardResult{ID: g.ID, Status: "off", Effect: g.Guard.Effect, Message: "switched off", Because: g.Because})
			continue
		}
		if slices.ContainsFunc(g.After, func(id string) bool { return fired[id] }) {
			continue
		}
		e.threshold = g.threshold
		f := g.check(e)
		switch {
		case f.fired:
			fired[g.ID] = true
			results = append(results, GuardResult{ID: g.ID, Status: "fired", Effect: g.Effect, Message: f.message, Because: g.Because})
		case f.unchecked != "" && f.decisive:
			results = append(results, GuardResult{ID: g.ID, Status: "fired", Effect: Undecide, Message: f.unchecked, Because: g.Because})
		case f.unchecked != "":
			results = append(results, GuardResult{ID: g.ID, Status: "not_checked", Effect: g.Effect, Message: f.unchecked, Because: g.Because})
		}
	}
	return results
}

// GuardPlan is a guard as a phase has tuned it.
type GuardPlan struct {
	Guard
	Effect  Effect
	Because string
	set     map[string]float64
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
				plans[i].Effect = Effect(s.Effect)
			}
			if s.Off {
				plans[i].Effect = effectOff
			}
		}
	}
	return plans
}

// LaterGuards are the guards of the language that this build does not have.
func LaterGuards() []string {
	return []string{
		"overlimit-accepted", "canary-failed", "crosstalk", "zero-visible", "contract", "cache-cold", "client-bound",
		"other-traffic", "target-changed", "not-steady", "drift", "spec-decode-synthetic", "not-covered",
		"server-capped", "read-stamps",
	}
}
