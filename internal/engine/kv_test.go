package engine_test

import (
	"slices"
	"strings"
	"testing"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

func TestKVCapacityThatTheServerStatesMarksLevels(t *testing.T) {
	phases := `
  - name: decode
    kind: fixed-token
    concurrency: [1, 4, 8]
    workload: {prompt: {ids: random, tokens: 256}, output_tokens: 256}
    checks: {correct: [ok_count == issued]}
`
	constant := strings.Replace(phases, "ids: random", "ids: constant, id: 23066", 1)
	for name, c := range map[string]struct {
		phases, stated string
		change         func(*simserver.Config)
		want           []int // levels that are marked
	}{
		"asked of the server":              {phases, "", nil, []int{8}},
		"the scenario says more":           {phases, ", kv_capacity_tokens: 4096", nil, []int{8}}, // and the server preempts
		"the scenario says less":           {phases, ", kv_capacity_tokens: 512", nil, []int{4, 8}},
		"nobody knows":                     {phases, "", func(c *simserver.Config) { c.Metrics = false }, nil},
		"equal prompts that are shared":    {constant, "", nil, nil},
		"equal prompts that are not":       {constant, "", func(c *simserver.Config) { c.PrefixCache = false }, []int{8}},
		"equal prompts, too many for that": {constant, ", kv_capacity_tokens: 1024", nil, []int{4, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := simserver.Healthy()
			cfg.KVCapacity = 2560 // holds 5 sessions of 512 tokens
			if c.change != nil {
				c.change(&cfg)
			}
			src := strings.Replace(header, "proxy: off", "proxy: off"+c.stated, 1) + c.phases
			r := world{server: cfg}.run(t, plan(t, src, engine.PlanOptions{}))
			var marked []int
			for _, l := range r.Phases[0].Levels {
				if slices.ContainsFunc(l.Guards, func(g engine.GuardResult) bool { return g.ID == "kv-bound" && g.Status == engine.Fired }) {
					marked = append(marked, l.Concurrency)
				}
			}
			if !slices.Equal(marked, c.want) || r.Verdict.Decision != engine.Go {
				t.Errorf("marked %v, want %v; verdict %s %v", marked, c.want, r.Verdict.Decision, r.Verdict.Reasons)
			}
			disagrees := slices.ContainsFunc(r.Target.Notes, func(n string) bool { return strings.Contains(n, "the scenario's number counts") })
			if disagrees != (c.stated != "") {
				t.Errorf("notes %q", r.Target.Notes)
			}
		})
	}
}
