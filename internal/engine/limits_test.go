package engine_test

import "testing"

func TestLimitsGiveGoodputThatChecksRead(t *testing.T) {
	phase := func(limits, check string) string {
		return `
  - name: decode
    kind: fixed-token
    concurrency: 4
    ` + limits + `
    workload: {prompt: {ids: random, tokens: 256}, output_tokens: 64}
    checks: {correct: [ok_count == issued], slo: ["` + check + `"]}
`
	}
	for name, c := range map[string]struct {
		limits, check string
		exit          int
	}{
		"all keep them":           {"limits: {ttft: 1m, tpot: 1m, e2e: 1h}", "slo_attainment_ratio == 1 and within(goodput, request_rate, 0.000001)", 0},
		"none does":               {"limits: {tpot: 1us}", "slo_attainment_ratio == 0 and goodput == 0", 0},
		"too few do":              {"limits: {tpot: 1us}", "slo_attainment_ratio >= 0.99", 1},
		"no limits are asked for": {"", "not known(goodput)", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := healthy(t, phase(c.limits, c.check))
			if r.Verdict.ExitCode != c.exit {
				t.Errorf("exit %d, want %d: %v", r.Verdict.ExitCode, c.exit, r.Verdict.Reasons)
			}
		})
	}
}
