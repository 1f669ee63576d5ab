package engine_test

import (
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

func TestEachPersonaTripsItsGuardAndNoOther(t *testing.T) {
	want := map[string]struct {
		guard    string
		decision engine.Decision
		exit     int
	}{
		"dies":               {"died", engine.NoGo, engine.ExitRejected},
		"errors-under-load":  {"errors", engine.NoGo, engine.ExitRejected},
		"ignores-ignore-eos": {"early-stop", engine.Invalid, engine.ExitInvalid},
		"one-answer":         {"same-outputs", engine.NoGo, engine.ExitRejected},
		"repeats":            {"degenerate", engine.NoGo, engine.ExitRejected},
		"short-prompt":       {"truncated-prompt", engine.NoGo, engine.ExitRejected},
		"warm-cache":         {"cache-warm", engine.Invalid, engine.ExitInvalid},
	}
	for _, persona := range simserver.Personas() {
		t.Run(persona.Name, func(t *testing.T) {
			w, ok := want[persona.Name]
			if !ok {
				t.Fatal("the persona has no line in this table")
			}
			r := world{server: simserver.Healthy().With(persona)}.run(t, plan(t, header+ladder, engine.PlanOptions{}))
			if got := fired(r); !slices.Equal(got, []string{w.guard}) {
				t.Errorf("guards fired: %v, want %s alone", got, w.guard)
			}
			if r.Verdict.Decision != w.decision || r.Verdict.ExitCode != w.exit {
				t.Errorf("verdict %s, exit %d; want %s, %d", r.Verdict.Decision, r.Verdict.ExitCode, w.decision, w.exit)
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

func TestHealthyServersGo(t *testing.T) {
	for name, change := range map[string]func(*simserver.Config){
		"plain":                  func(*simserver.Config) {},
		"cached tokens untold":   func(c *simserver.Config) { c.ReportCached = false },
		"no prefix cache":        func(c *simserver.Config) { c.PrefixCache = false },
		"eight tokens per event": func(c *simserver.Config) { c.StreamInterval = 8 },
		"no tokenizer":           func(c *simserver.Config) { c.Tokenize = false },
		"two slots":              func(c *simserver.Config) { c.Slots = 2 },
		"hardly any KV cache":    func(c *simserver.Config) { c.KVCapacity = 2048 },
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
