package engine_test

import (
	"slices"
	"strings"
	"testing"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

// warmLadder has measured prompts that its warm-ups sent before.
const warmLadder = `
  - name: decode
    kind: fixed-token
    concurrency: [1, 8]
    cache: warm
    warmup: {scope: SCOPE, requests: COUNT, output_tokens: 4}
    workload: {prompt: {ids: IDS, tokens: 512}, output_tokens: 384}
    checks: {correct: [ok_count == issued]}
`

func warmPhases(scope, count, ids string) string {
	return strings.NewReplacer("SCOPE", scope, "COUNT", count, "IDS", ids).Replace(warmLadder)
}

func TestAWarmCacheIsHit(t *testing.T) {
	affine := "affine, base: 1000, request: 1543, position: 7919, modulo: 48000"
	for name, c := range map[string]struct{ scope, count, ids string }{
		"one prompt per slot":              {"level", "1x", "random"},
		"every prompt sent once before":    {"level", "5x", "random"},
		"more than are sent again":         {"level", "9x", "random"},
		"the same prompts at all levels":   {"phase", "3", "random"},
		"affine prompts":                   {"level", "1x", affine},
		"affine prompts of the phase":      {"phase", "8", affine},
		"a constant prompt, sent once":     {"phase", "1", "constant, id: 7"},
		"fewer prompts than there is room": {"level", "2", "random"},
	} {
		t.Run(name, func(t *testing.T) {
			r := healthy(t, warmPhases(c.scope, c.count, c.ids))
			if r.Verdict.Decision != engine.Go || len(fired(r)) > 0 {
				t.Fatalf("verdict %s, guards %v: %v", r.Verdict.Decision, fired(r), r.Verdict.Reasons)
			}
			for _, l := range r.Phases[0].Levels {
				// Of 512 ids all blocks of 16 but the last, whose end is computed again.
				if ratio, _ := l.Figures.CachedRatio.Number(); ratio != 496.0/512 {
					t.Errorf("C=%d: cached ratio %g", l.Concurrency, ratio)
				}
			}
		})
	}
}

func TestAWarmCacheThatIsNotHitIsInvalid(t *testing.T) {
	full := func(c *simserver.Config) { c.KVCapacity = 2048 } // two sequences of 896 tokens, and no room for what was there before
	for name, change := range map[string]func(*simserver.Config){
		"no prefix cache":      func(c *simserver.Config) { c.PrefixCache = false },
		"a cache that is full": full,
	} {
		t.Run(name, func(t *testing.T) {
			cfg := simserver.Healthy()
			change(&cfg)
			r := world{server: cfg}.run(t, plan(t, header+warmPhases("level", "5x", "random"), engine.PlanOptions{}))
			if got := fired(r); !slices.Equal(got, []string{"cache-cold"}) || r.Verdict.Decision != engine.Invalid {
				t.Errorf("verdict %s, guards %v", r.Verdict.Decision, got)
			}
		})
	}
}

func TestWhereCachedTokensAreNotReportedAWarmCacheIsNotChecked(t *testing.T) {
	cfg := simserver.Healthy()
	cfg.ReportCached = false
	r := world{server: cfg}.run(t, plan(t, header+warmPhases("level", "1x", "random"), engine.PlanOptions{}))
	if r.Verdict.Decision != engine.Go {
		t.Errorf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
	}
	for _, l := range r.Phases[0].Levels {
		if !slices.ContainsFunc(l.Guards, func(g engine.GuardResult) bool { return g.ID == "cache-cold" && g.Status == engine.NotChecked }) {
			t.Errorf("C=%d: guards %v do not say that the cache was not checked", l.Concurrency, l.Guards)
		}
	}
}

func TestEachEndpointsCacheIsWarmed(t *testing.T) {
	src := strings.Replace(header, `"http://sim"`, `["http://sim-a", "http://sim-b", "http://sim-c"]`, 1)
	for _, count := range []string{"1x", "4", "7"} {
		r := world{server: simserver.Healthy()}.run(t, plan(t, src+warmPhases("level", count, "random"), engine.PlanOptions{}))
		if r.Verdict.Decision != engine.Go {
			t.Errorf("%s warm-up requests: verdict %s: %v", count, r.Verdict.Decision, r.Verdict.Reasons)
		}
	}
}
