package engine_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

// among has short requests, beside which a canary takes its time.
const among = `
  - name: decode
    kind: fixed-token
    concurrency: [1, 8]
    canaries: interleaved
    load: {LOAD}
    workload: {prompt: {ids: random, tokens: 256}, output_tokens: 32}
    checks: {correct: [ok_count == issued, canary_pass_ratio == 1]}
`

func TestInterleavedCanariesHoldSlotsOfTheLoad(t *testing.T) {
	for load, want := range map[string][]int{
		"requests: 1000":             {50, 50},
		"requests: 40":               {20, 20},
		"requests: 8":                {20, 20},
		"mode: window, duration: 9s": {20, 20}, // the least, at least
	} {
		t.Run(load, func(t *testing.T) {
			r := healthy(t, strings.Replace(among, "LOAD", load, 1))
			if r.Verdict.Decision != engine.Go || len(fired(r)) > 0 {
				t.Fatalf("verdict %v, guards %v", r.Verdict, fired(r))
			}
			for i, l := range r.Phases[0].Levels {
				exact := !strings.Contains(load, "window")
				if c := l.Canaries; c.Sent < want[i] || exact && c.Sent != want[i] || c.Right != c.Sent || c.Calibrated {
					t.Errorf("C=%d: %+v, want %d", l.Concurrency, c, want[i])
				}
				if held, _ := l.Figures.InflightMean.Number(); l.Planned > l.Concurrency && held < 0.97*float64(l.Concurrency) || held > float64(l.Concurrency) {
					t.Errorf("C=%d: %g in flight", l.Concurrency, held)
				}
				if l.Figures.Issued != l.Figures.OKCount || exact && l.Figures.Issued != l.Planned {
					t.Errorf("C=%d: %d of %d requests, %d good", l.Concurrency, l.Figures.Issued, l.Planned, l.Figures.OKCount)
				}
			}
		})
	}
}

func TestInterleavedCanariesSeeWhatIsWrongUnderLoad(t *testing.T) {
	phases := strings.NewReplacer("LOAD", "requests: 64", "canary_pass_ratio == 1", "ok_count >= 0").Replace(among)
	for _, name := range []string{"wrong-under-load", "swapped-streams"} {
		persona, _ := simserver.Find(name)
		r := world{server: simserver.Healthy().With(persona)}.run(t, plan(t, header+phases, engine.PlanOptions{}))
		if got := fired(r); !slices.Equal(got, []string{"canary-failed"}) || r.Verdict.ExitCode != engine.ExitRejected {
			t.Errorf("%s: guards %v, verdict %v", name, got, r.Verdict)
		}
	}
}

func TestNoMoreThanTheLevelIsInFlightWithInterleavedCanaries(t *testing.T) {
	var most atomic.Int64
	s := &student{}
	s.says = func(right string, _, inFlight int) string {
		for {
			seen := most.Load()
			if int64(inFlight) <= seen || most.CompareAndSwap(seen, int64(inFlight)) {
				return right
			}
		}
	}
	phases := strings.NewReplacer("LOAD", "requests: 64", "tokens: 256", "tokens: 64").Replace(among)
	if r := (world{handler: s}).run(t, plan(t, header+phases, engine.PlanOptions{})); r.Verdict.Decision != engine.Go {
		t.Error(r.Verdict)
	}
	if most.Load() != 8 {
		t.Errorf("%d requests in flight, want 8", most.Load())
	}
}

func TestCanariesOfOtherLoads(t *testing.T) {
	wrong, _ := simserver.Find("wrong-under-load")
	for name, c := range map[string]struct {
		phase string
		sent  int
	}{
		"waves":  {"concurrency: 16\n    load: {mode: wave, waves: 2}", 32},
		"window": {"concurrency: 16\n    load: {mode: window, duration: 10s}", 32},
		"rate":   {"load: {mode: rate, rates: [4], requests: 40, max_in_flight: 24}", 48},
	} {
		t.Run(name, func(t *testing.T) {
			phases := "\n  - name: decode\n    kind: fixed-token\n    " + c.phase + `
    workload: {prompt: {ids: random, tokens: 256}, output_tokens: 256}
    checks: {correct: [ok_count >= 0]}
`
			r := healthy(t, phases)
			if got := r.Phases[0].Levels[0].Canaries; r.Verdict.Decision != engine.Go || got.Sent != c.sent || got.Right != c.sent {
				t.Errorf("verdict %v, canaries %+v, want %d", r.Verdict, got, c.sent)
			}
			r = world{server: simserver.Healthy().With(wrong)}.run(t, plan(t, header+phases, engine.PlanOptions{}))
			if got := fired(r); !slices.Equal(got, []string{"canary-failed"}) {
				t.Errorf("wrong under load: guards %v", got)
			}
		})
	}
}

func TestEachEndpointIsAskedAtOneRequestAtATime(t *testing.T) {
	src := strings.Replace(header, `"http://sim"`, `["http://sim-a", "http://sim-b"]`, 1)
	r := world{server: simserver.Healthy()}.run(t, plan(t, src+ladder, engine.PlanOptions{}))
	c := r.Phases[0].Levels[0].Canaries
	if r.Verdict.Decision != engine.Go || c.Calibrated || len(c.Endpoints) != 2 || c.Endpoints[0].Sent != 10 || c.Endpoints[1].Right != 10 {
		t.Errorf("verdict %v, canaries %+v", r.Verdict, c)
	}
}
