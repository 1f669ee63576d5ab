package engine_test

import (
	"slices"
	"strings"
	"testing"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

// twice has two levels whose prompts are the same: the second finds them in the
// cache, unless that is emptied in between.
const twice = `
  - name: first
    kind: fixed-token
    concurrency: 8
    cache: any
    cache_flush: FLUSH
    load: {requests: 40}
    workload: {prompt: {ids: affine, tokens: 512, base: 1000, request: 1543, position: 7919, modulo: 48000}, output_tokens: 384}
    checks: {correct: [ok_count == issued]}
  - name: second
    kind: fixed-token
    concurrency: 8
    cache: any
    cache_flush: FLUSH
    load: {requests: 40}
    workload: {prompt: {ids: affine, tokens: 512, base: 1000, request: 1543, position: 7919, modulo: 48000}, output_tokens: 384}
    checks: {correct: [ok_count == issued]}
`

func TestThePrefixCacheIsEmptiedBeforeEachLevel(t *testing.T) {
	keeps, _ := simserver.Find("keeps-cache")
	for name, c := range map[string]struct {
		setting string
		change  func(*simserver.Config)
		cached  float64 // of the second phase
		flush   *engine.FlushResult
		says    string // not-flushed
	}{
		"off":      {setting: "off", cached: 496.0 / 512},
		"level":    {setting: "level", flush: &engine.FlushResult{Flushed: true, Verified: true}},
		"refused":  {setting: "level", change: func(c *simserver.Config) { c.ResetCache = false }, cached: 496.0 / 512, flush: &engine.FlushResult{}, says: "VLLM_SERVER_DEV_MODE=1"},
		"kept":     {setting: "level", change: func(c *simserver.Config) { *c = c.With(keeps) }, cached: 496.0 / 512, flush: &engine.FlushResult{}, says: "tokens of a prompt were still cached"},
		"not seen": {setting: "level", change: func(c *simserver.Config) { c.PrefixCache = false }, flush: &engine.FlushResult{Flushed: true}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := simserver.Healthy()
			if c.change != nil {
				c.change(&cfg)
			}
			r := world{server: cfg}.run(t, plan(t, header+strings.ReplaceAll(twice, "FLUSH", c.setting), engine.PlanOptions{}))
			if r.Verdict.Decision != engine.Go {
				t.Fatal(r.Verdict)
			}
			for i, p := range r.Phases {
				l := p.Levels[0]
				if cached, _ := l.Figures.CachedRatio.Number(); i == 1 && cached != c.cached {
					t.Errorf("cached ratio %g, want %g", cached, c.cached)
				}
				if (l.Flush == nil) != (c.flush == nil) || l.Flush != nil && (l.Flush.Flushed != c.flush.Flushed || l.Flush.Verified != c.flush.Verified) {
					t.Errorf("flush: %+v, want %+v", l.Flush, c.flush)
				}
				said := slices.IndexFunc(l.Guards, func(g engine.GuardResult) bool { return g.ID == "not-flushed" })
				if (said >= 0) != (c.says != "") || said >= 0 && (!strings.Contains(l.Guards[said].Message, c.says) || l.Guards[said].Effect != engine.Warn) {
					t.Errorf("guards: %v", l.Guards)
				}
			}
		})
	}
}

func TestTheCacheIsEmptiedAheadOfTheWarmUp(t *testing.T) {
	r := healthy(t, strings.Replace(warmPhases("level", "1x", "random"), "cache: warm", "cache: warm\n    cache_flush: level", 1))
	if r.Verdict.Decision != engine.Go || !r.Phases[0].Levels[1].Flush.Verified {
		t.Errorf("verdict %v, flush %+v", r.Verdict, r.Phases[0].Levels[1].Flush)
	}
}
