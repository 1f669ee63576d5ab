package engine_test

import (
	"cmp"
	"slices"
	"testing"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

// ladder is long enough for every persona to show its fault at C = 8.
const ladder = `
  - name: decode
    kind: fixed-token
    concurrency: [1, 8]
    workload: {prompt: {ids: random, tokens: 512}, output_tokens: 384}
    checks: {correct: [ok_count >= 0]}
`

// longLoad is long enough to show that the server does not stay as it is.
const longLoad = `
  - name: decode
    kind: fixed-token
    concurrency: 8
    workload: {prompt: {ids: random, tokens: 512}, output_tokens: 384}
    load: {requests: 10x}
    checks: {correct: [ok_count >= 0]}
`

// tagged reports whether some level has a tag.
func tagged(r *engine.Result, id string) bool {
	for _, p := range r.Phases {
		for _, l := range p.Levels {
			if slices.ContainsFunc(l.Guards, func(g engine.GuardResult) bool { return g.ID == id && g.Effect == engine.Tag }) {
				return true
			}
		}
	}
	return false
}

// laterPersonas are the personas whose guards this build does not have: it does
// not see their faults. Whoever builds a guard moves its persona up to the table
// of TestEachPersonaTripsItsGuardAndNoOther; TestLaterGuardsAreNotThereYet fails
// until then. The tests of the simulated server show that the faults are real.
func laterPersonas() map[string]string {
	return map[string]string{}
}

// A personaResult is what a run against a persona comes to.
type personaResult struct {
	guard    string // the only one that fires, with no more than a tag where the run is GO; empty: none does
	decision engine.Decision
	exit     int
	phases   string // where the ladder does not show the fault
}

func TestEachPersonaTripsItsGuardAndNoOther(t *testing.T) {
	healthy := personaResult{"", engine.Go, 0, ""}
	want := map[string]personaResult{
		"buffered":           {"buffered-stream", engine.Invalid, engine.ExitInvalid, ""},
		"caps-concurrency":   {"server-capped", engine.Go, 0, ""},
		"chatty":             healthy,
		"dies":               {"died", engine.NoGo, engine.ExitRejected, ""},
		"eight-per-event":    healthy,
		"errors-under-load":  {"errors", engine.NoGo, engine.ExitRejected, ""},
		"evicts":             {"cache-cold", engine.Invalid, engine.ExitInvalid, warmPhases("level", "1x", "random")},
		"foreign-traffic":    {"other-traffic", engine.Invalid, engine.ExitInvalid, ""},
		"ignores-ignore-eos": {"early-stop", engine.Invalid, engine.ExitInvalid, ""},
		"keeps-cache":        healthy,
		"lost-text":          {"lost-text", engine.Invalid, engine.ExitInvalid, ""},
		"one-answer":         {"same-outputs", engine.NoGo, engine.ExitRejected, ""},
		"repeats":            {"degenerate", engine.NoGo, engine.ExitRejected, ""},
		"restarts":           {"target-changed", engine.Invalid, engine.ExitInvalid, ""},
		"short-prompt":       {"truncated-prompt", engine.NoGo, engine.ExitRejected, ""},
		"slows-down":         {"not-steady", engine.Invalid, engine.ExitInvalid, longLoad},
		"swapped-streams":    {"canary-failed", engine.NoGo, engine.ExitRejected, ""},
		"usage-last":         healthy,
		"warm-cache":         {"cache-warm", engine.Invalid, engine.ExitInvalid, ""},
		"wrong-under-load":   {"canary-failed", engine.NoGo, engine.ExitRejected, ""},
	}
	for name := range laterPersonas() {
		want[name] = healthy
	}
	for _, persona := range simserver.Personas() {
		t.Run(persona.Name, func(t *testing.T) {
			w, ok := want[persona.Name]
			if !ok {
				t.Fatal("the persona has no line in this table")
			}
			if _, later := laterPersonas()[persona.Name]; persona.Sound != (w == healthy && !later) {
				t.Errorf("the persona is sound: %v; its line says otherwise", persona.Sound)
			}
			r := world{server: simserver.Healthy().With(persona)}.run(t, plan(t, header+cmp.Or(w.phases, ladder), engine.PlanOptions{}))
			var guards []string
			if w.decision == engine.Go && w.guard != "" && !tagged(r, w.guard) {
				t.Errorf("no level has the tag %s", w.guard)
			}
			if w.guard != "" && w.decision != engine.Go {
				guards = []string{w.guard}
			}
			if got := fired(r); !slices.Equal(got, guards) {
				t.Errorf("guards fired: %v, want %v alone", got, guards)
			}
			if r.Verdict.Decision != w.decision || r.Verdict.ExitCode != w.exit {
				t.Errorf("verdict %s, exit %d; want %s, %d: %v", r.Verdict.Decision, r.Verdict.ExitCode, w.decision, w.exit, r.Verdict.Reasons)
			}
			for _, p := range r.Phases {
				for _, l := range p.Levels {
					if l.State != engine.Accepted && l.Figures != nil {
						t.Errorf("C=%d is %s and its figures are not withheld", l.Concurrency, l.State)
					}
				}
			}
		})
	}
	if len(want) != len(simserver.Personas()) {
		t.Errorf("the table has %d personas, the simulated server %d", len(want), len(simserver.Personas()))
	}
}

func TestLaterGuardsAreNotThereYet(t *testing.T) {
	for persona, guard := range laterPersonas() {
		if !slices.Contains(engine.LaterGuards(), guard) {
			t.Errorf("the guard %s is there: move %s to the table of those that trip theirs", guard, persona)
		}
	}
}

func TestHealthyServersGo(t *testing.T) {
	for name, change := range map[string]func(*simserver.Config){
		"plain":                  func(*simserver.Config) {},
		"cached tokens untold":   func(c *simserver.Config) { c.ReportCached = false },
		"no prefix cache":        func(c *simserver.Config) { c.PrefixCache = false },
		"eight tokens per event": func(c *simserver.Config) { c.StreamInterval = 8 },
		"no tokenizer":           func(c *simserver.Config) { c.Tokenize = false },
		"two slots":              func(c *simserver.Config) { c.Slots = 2 },
		"hardly any KV cache":    func(c *simserver.Config) { c.KVCapacity = 2048 }, // sequences are preempted
		"no metrics":             func(c *simserver.Config) { c.Metrics = false },
		"large blocks":           func(c *simserver.Config) { c.BlockSize = 128 },
		"slow prefill":           func(c *simserver.Config) { c.PrefillRate = 500 },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := simserver.Healthy()
			change(&cfg)
			r := world{server: cfg}.run(t, plan(t, header+ladder, engine.PlanOptions{}))
			if r.Verdict.Decision != engine.Go || len(fired(r)) > 0 {
				t.Errorf("verdict %s, guards %v: %v", r.Verdict.Decision, fired(r), r.Verdict.Reasons)
			}
		})
	}
}
