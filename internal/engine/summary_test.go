package engine_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

// scalingPhase is a ladder on a server that scales up to its slots, with a summary.
func scalingPhase(extra string) string {
	return `
  - name: decode
    kind: fixed-token
    concurrency: [1, 2, 4, 8]
    workload: {prompt: {ids: random, tokens: 64}, output_tokens: 64}
` + extra
}

func TestSummaryChecksCountInTheVerdict(t *testing.T) {
	const correct = "    checks: {correct: [ok_count == issued]}\n"
	for name, c := range map[string]struct {
		phases  string
		exit    int
		state   engine.State
		reasons []string
	}{
		"holds": {
			scalingPhase(correct + "    summary: {slo: [knee >= 2, 'slo_capacity == 8', peak_output_tps > 1], valid: [len(levels) == 4], correct: ['all(levels, .error_ratio == 0)']}\n"),
			0, engine.Accepted, nil,
		},
		"an slo fails": {
			scalingPhase(correct + "    summary: {slo: [slo_capacity >= 16]}\n"), 1, engine.Missed,
			[]string{"decode summary missed: slo_capacity >= 16 fails: slo_capacity = 8"},
		},
		"a correct check fails": {
			scalingPhase(correct + "    summary: {correct: ['all(levels, .issued > 20)'], slo: [knee > 100]}\n"), 3, engine.Rejected,
			[]string{"decode summary rejected: all(levels, .issued > 20) fails: levels[0] has .issued = 5"},
		},
		"a valid check fails": {
			scalingPhase(correct + "    summary: {valid: [len(levels) > 4]}\n"), 4, engine.InvalidLevel,
			[]string{"decode summary invalid: len(levels) > 4 fails: levels = 4 elements"},
		},
		"what is unknown is undecided": {
			scalingPhase(correct + "    summary: {slo: ['wall == \"kv\"']}\n"), 4, engine.UndecidedLevel,
			[]string{"decode summary undecided: wall == \"kv\" undecided: wall was not measured"},
		},
		"rejected levels enter nothing": {
			scalingPhase("    gate: concurrency <= 2\n    checks: {correct: [issued <= 10]}\n    summary: {slo: [slo_capacity <= 2, peak_output_tps > 0], valid: [len(levels) == 2]}\n"), 0, engine.Accepted, nil,
		},
		"what fails for want of levels is undecided": {
			scalingPhase("    gate: concurrency <= 2\n    checks: {correct: [ok_count == issued], valid: [issued <= 10]}\n    summary: {slo: [slo_capacity >= 8]}\n"), 4, engine.UndecidedLevel,
			[]string{"decode summary undecided: slo_capacity >= 8 undecided: it fails over the accepted levels, and C=4 is invalid, C=8 is invalid"},
		},
		"no level is accepted": {
			scalingPhase("    checks: {correct: [ok_count == issued], slo: [ttft.p50 < us(1)]}\n    summary: {slo: [slo_capacity == 0, 'all(levels, .ok_count > 0)']}\n"), 1, engine.UndecidedLevel,
			[]string{
				"decode C=1 missed: ttft.p50 < us(1) fails: ttft.p50 = ", "decode C=2 missed: ", "decode C=4 missed: ", "decode C=8 missed: ",
				"decode summary undecided: all(levels, .ok_count > 0) undecided: levels is empty",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := healthy(t, c.phases)
			s := r.Phases[0].Summary
			if r.Verdict.ExitCode != c.exit || s == nil || s.State != c.state || !s.Gated {
				t.Errorf("exit %d, want %d; summary %+v, want %s", r.Verdict.ExitCode, c.exit, s, c.state)
			}
			if len(r.Verdict.Reasons) != len(c.reasons) {
				t.Fatalf("reasons %q", r.Verdict.Reasons)
			}
			for i, want := range c.reasons {
				if !strings.HasPrefix(r.Verdict.Reasons[i], want) {
					t.Errorf("reason %q, want %q", r.Verdict.Reasons[i], want)
				}
			}
		})
	}
}

func TestASummaryNeedsItsPhase(t *testing.T) {
	summary := "    checks: {correct: [ok_count == issued]}\n    summary: {slo: [knee >= 16]}\n"
	p := plan(t, header+scalingPhase(summary), engine.PlanOptions{When: "concurrency <= 2"})
	r := world{server: simserver.Healthy()}.run(t, p)
	s := r.Phases[0].Summary
	if r.Verdict.ExitCode != 0 || s.State != engine.Skipped || s.Gated || s.Reason != "not judged: --when leaves out 2 of the phase's levels" {
		t.Errorf("partial: exit %d, summary %+v", r.Verdict.ExitCode, s)
	}

	second := strings.Replace(scalingPhase("    requires: [decode]\n"+summary), "name: decode", "name: second", 1)
	r = healthy(t, scalingPhase("    checks: {correct: [ok_count < 0]}\n")+strings.TrimPrefix(second, "\n"))
	s = r.Phases[1].Summary
	if s.State != engine.Skipped || !s.Gated || s.Reason != "requires decode, which was rejected" || r.Phases[1].Scaling != nil {
		t.Errorf("skipped phase: summary %+v, scaling %+v", s, r.Phases[1].Scaling)
	}

	r = healthy(t, scalingPhase("    checks: {correct: [ok_count == issued]}\n    summary: {correct: [len(levels) > 9]}\n")+strings.TrimPrefix(second, "\n"))
	if got := r.Phases[1].Levels[0]; got.State != engine.Skipped || got.Reason != "requires decode, whose summary was rejected" {
		t.Errorf("after a summary that is rejected: %s, %s", got.State, got.Reason)
	}
}

func TestEfficiencyAndElasticityCompareWithAcceptedLevels(t *testing.T) {
	r := healthy(t, scalingPhase("    checks: {correct: [concurrency != 2 or ok_count < 0, ok_count == issued], slo: [efficiency > 0.1, {expr: elasticity > 0.1, when: concurrency > 1}]}\n"))
	levels := r.Phases[0].Levels
	tps := map[int]float64{}
	for _, l := range levels {
		if l.State == engine.Accepted {
			tps[l.Concurrency], _ = l.Figures.OutputTPS.Number()
		}
	}
	if len(tps) != 3 {
		t.Fatalf("accepted %v", tps)
	}
	four := levels[2].Figures
	efficiency, _ := four.Efficiency.Number()
	elasticity, _ := four.Elasticity.Number()
	if math.Abs(efficiency-tps[4]/(4*tps[1])) > 1e-12 {
		t.Errorf("efficiency %v, want %v", efficiency, tps[4]/(4*tps[1]))
	}
	// C=2 was rejected: the step is from C=1.
	if want := math.Log(tps[4]/tps[1]) / math.Log(4); math.Abs(elasticity-want) > 1e-12 {
		t.Errorf("elasticity %v, want %v", elasticity, want)
	}
	if _, known := levels[0].Figures.Elasticity.Number(); known {
		t.Error("the first level has an elasticity")
	}
	var steps []int
	for _, s := range r.Phases[0].Scaling.Steps {
		steps = append(steps, s.From, s.To)
	}
	if diff := cmp.Diff([]int{1, 4, 4, 8}, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

func TestLevelsBoundByTheKVCacheMakeNoStep(t *testing.T) {
	cfg := simserver.Healthy()
	cfg.KVCapacity = 640 // five sessions of 128 tokens
	r := world{server: cfg}.run(t, plan(t, header+scalingPhase("    checks: {correct: [ok_count == issued]}\n    summary: {valid: ['wall == \"kv\"', knee == 4, slo_capacity == 8]}\n"), engine.PlanOptions{}))
	if r.Verdict.ExitCode != 0 {
		t.Errorf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
	}
	l := r.Phases[0].Levels[3].Figures
	if _, known := l.Efficiency.Number(); known {
		t.Error("a level that the KV cache bounds has an efficiency")
	}
}
