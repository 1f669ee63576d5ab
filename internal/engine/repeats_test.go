package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

// repeatedPhase is a phase whose levels are run three times.
func repeatedPhase(checks string) string {
	return `
  - name: decode
    kind: fixed-token
    concurrency: [1, 4]
    repeats: 3
    canaries: off
    workload: {prompt: {ids: random, tokens: 64}, output_tokens: 64}
    checks: ` + checks + "\n"
}

func TestRepeatsArePooled(t *testing.T) {
	store := &memory{}
	r := world{server: simserver.Healthy(), store: store}.run(t, plan(t, header+repeatedPhase("{correct: [ok_count == issued, issued <= 20]}"), engine.PlanOptions{}))
	if r.Verdict.ExitCode != 0 {
		t.Fatalf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
	}
	for i, l := range r.Phases[0].Levels {
		each := []int{5, 20}[i]
		if l.Planned != 3*each || l.Figures.Issued != 3*each || l.Figures.TTFT.Count() != 3*each || l.Outcomes["ok"] != 3*each {
			t.Errorf("C=%d: planned %d, issued %d, ttft.n %d, outcomes %v; want %d of each", l.Concurrency, l.Planned, l.Figures.Issued, l.Figures.TTFT.Count(), l.Outcomes, 3*each)
		}
		if l.Warmup.Sent != 3*l.Concurrency {
			t.Errorf("C=%d: %d requests of warm-ups, want %d", l.Concurrency, l.Warmup.Sent, 3*l.Concurrency)
		}
		var rates []float64
		for _, one := range l.Repeats {
			rate, _ := one.Figures.OutputTPS.Number()
			rates = append(rates, rate)
			if one.State != engine.Accepted || one.Figures.Issued != each || len(one.Checks) != 2 {
				t.Errorf("C=%d repeat %d: %s, issued %d, %d checks", l.Concurrency, one.Repeat, one.State, one.Figures.Issued, len(one.Checks))
			}
		}
		slices.Sort(rates)
		if got, _ := l.Figures.OutputTPS.Number(); len(rates) != 3 || got != rates[1] {
			t.Errorf("C=%d: output_tps %v, of %v", l.Concurrency, got, rates)
		}
		if l.Concurrency == 4 {
			if _, known := l.Figures.Elasticity.Number(); !known {
				t.Error("the pooled level has no elasticity")
			}
		}
	}

	prompts, lines := map[string]bool{}, map[string]int{}
	for _, line := range store.lines {
		var request struct {
			Concurrency, Repeat int
			Asked               struct {
				Hash string `json:"prompt_sha256"`
			}
		}
		if err := json.Unmarshal([]byte(line), &request); err != nil {
			t.Fatal(err)
		}
		prompts[request.Asked.Hash] = true
		lines[fmt.Sprintf("C=%d repeat %d", request.Concurrency, request.Repeat)]++
	}
	if len(prompts) != 75 {
		t.Errorf("%d different prompts in 75 requests", len(prompts))
	}
	want := map[string]int{"C=1 repeat 1": 5, "C=1 repeat 2": 5, "C=1 repeat 3": 5, "C=4 repeat 1": 20, "C=4 repeat 2": 20, "C=4 repeat 3": 20}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("stored requests (-want +got):\n%s", diff)
	}
}

func TestTheWorstRepeatIsTheLevelsState(t *testing.T) {
	ok := engine.Accepted
	for name, c := range map[string]struct {
		checks string
		state  engine.State
		states []engine.State
		why    string
	}{
		// The 11th completion is of the second repeat: a probe, a warm-up and five
		// requests come before its own warm-up.
		"one fails": {
			"{correct: [ok_count > 0]}", engine.Rejected,
			[]engine.State{ok, engine.Rejected, ok},
			"errors: repeat 2 of 3: 1 of 5 requests failed",
		},
		"a check of one fails": {
			"{correct: [issued > 0], valid: [ok_count == issued]}\n    error_budget: 0.5\n    load: {requests: 5}", engine.InvalidLevel,
			[]engine.State{ok, engine.InvalidLevel, ok},
			"repeat 2: ok_count == issued fails: ok_count = 4, issued = 5",
		},
		"every one misses": {
			"{correct: [issued > 0], slo: [e2e.mean < us(1)]}\n    error_budget: 0.5\n    load: {requests: 6}", engine.Missed,
			[]engine.State{engine.Missed, engine.Missed, engine.Missed},
			"repeat 1: e2e.mean < us(1) fails: e2e.mean = ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := &faulty{reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
				if n == 11 {
					http.Error(w, `{"error":{"message":"busy"}}`, http.StatusInternalServerError)
					return
				}
				good(w, a)
			}}
			p := plan(t, header+repeatedPhase(c.checks), engine.PlanOptions{})
			l := world{handler: server}.run(t, p).Phases[0].Levels[0]
			var states []engine.State
			for _, one := range l.Repeats {
				states = append(states, one.State)
				if (one.Figures != nil) != l.State.Shown() || one.Figures == nil && one.Withheld == nil {
					t.Errorf("repeat %d of a level that is %s: figures shown %v", one.Repeat, l.State, one.Figures != nil)
				}
			}
			if l.State != c.state || !slices.Equal(states, c.states) || !strings.HasPrefix(l.Why(), c.why) {
				t.Errorf("%s of %v, want %s of %v: %q", l.State, states, c.state, c.states, l.Why())
			}
			if found := l.Found(); found.Issued != 3*p.Phases[0].Levels[0].Sessions {
				t.Errorf("%d requests in the level's figures", found.Issued)
			}
		})
	}
}

func TestRepeatsThatAreInterrupted(t *testing.T) {
	stop := func(cancel context.CancelFunc, m *memory) {
		m.onLine = func(n int) {
			if n == 7 {
				cancel()
			}
		}
	}
	r := world{server: simserver.Healthy(), store: &memory{}, cancelled: stop}.run(t, plan(t, header+repeatedPhase("{correct: [ok_count == issued]}"), engine.PlanOptions{}))
	l := r.Phases[0].Levels[0]
	if l.State != engine.IncompleteLevel || len(l.Repeats) != 2 || !strings.HasPrefix(l.Reason, "repeat 2 of 3: interrupted after ") || l.Figures != nil {
		t.Errorf("%s, %q, %d repeats", l.State, l.Reason, len(l.Repeats))
	}
}

func TestAffinePromptsRunOnThroughRepeats(t *testing.T) {
	p := plan(t, header+strings.Replace(repeatedPhase("{correct: [ok_count == issued]}"), "ids: random, tokens: 64", "ids: affine, tokens: 64, base: 1000, request: 1543, position: 7919, modulo: 20011", 1), engine.PlanOptions{})
	r := world{server: simserver.Healthy()}.run(t, p)
	if r.Verdict.ExitCode != 0 {
		t.Errorf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
	}
	if first, second := p.Phases[0].Levels[0], p.Phases[0].Levels[1]; first.Ordinal != 0 || second.Ordinal != 15 {
		t.Errorf("the levels begin at requests %d and %d of the ladder, want 0 and 15", first.Ordinal, second.Ordinal)
	}
}

func TestRepeatsInEveryModeOfLoad(t *testing.T) {
	for name, lines := range map[string]string{
		"closed, with canaries": "    concurrency: [1, 4]\n",
		"wave":                  "    concurrency: [1, 4]\n    load: {mode: wave, waves: 2}\n",
		"window":                "    concurrency: [1, 4]\n    load: {mode: window, duration: 5s}\n",
		"rate":                  "    load: {mode: rate, rates: [2, 8], requests: 20}\n",
		"warm":                  "    concurrency: [1, 4]\n    cache: warm\n",
		"warm-up of the phase":  "    concurrency: [1, 4]\n    warmup: {scope: phase, requests: 3}\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, header+"  - name: decode\n    kind: fixed-token\n    repeats: 2\n"+lines+
				"    workload: {prompt: {ids: random, tokens: 512}, output_tokens: 64}\n    checks: {correct: [ok_count == issued, issued > 1]}\n", engine.PlanOptions{})
			r := world{server: simserver.Healthy()}.run(t, p)
			if r.Verdict.ExitCode != 0 {
				t.Fatalf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
			}
			for _, l := range r.Phases[0].Levels {
				each := l.Repeats[0].Figures.Issued + l.Repeats[1].Figures.Issued
				if len(l.Repeats) != 2 || l.Figures.Issued != each || l.Name() == "" || l.Figures.Rate != l.Rate {
					t.Errorf("%s: %d repeats, %d requests of %d, rate %v", l.Name(), len(l.Repeats), l.Figures.Issued, each, l.Figures.Rate)
				}
				first, _ := l.Repeats[0].Figures.OutputTPS.Number()
				second, _ := l.Repeats[1].Figures.OutputTPS.Number()
				if got, _ := l.Figures.OutputTPS.Number(); got < min(first, second) || got > max(first, second) {
					t.Errorf("%s: output_tps %v of %v and %v", l.Name(), got, first, second)
				}
			}
		})
	}
}
