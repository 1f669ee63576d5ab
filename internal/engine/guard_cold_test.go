package engine

import (
	"slices"
	"strings"
	"testing"

	"scenario/internal/metric"
)

func TestCacheCold(t *testing.T) {
	cached := func(counts ...int) []*metric.Request {
		return replies(len(counts), func(i int, r *metric.Request) {
			r.Endpoint = i % 2
			r.CachedTokens = metric.Count(counts[i])
		})
	}
	for name, c := range map[string]struct {
		requests  []*metric.Request
		block     int
		status    GuardStatus // empty: silent
		mentioned string
	}{
		"all but a block of 16":             {cached(240, 240, 240, 240), 16, "", ""},
		"a block too few":                   {cached(224, 224, 224, 224), 16, Fired, "87.5 % of the prompt tokens came from the prefix cache, and at least 91.8 % had to"},
		"an unknown block may be large":     {cached(128, 128, 128, 128), 0, "", ""},
		"less than with an unknown block":   {cached(112, 112, 112, 112), 0, Fired, "43.8 %"},
		"one replica of two has none":       {cached(255, 0, 255, 0), 16, Fired, "(endpoint 1)"},
		"zeros left out by one":             {cached(255, -1, 255, -1), 16, Fired, "(endpoint 1)"},
		"no counts":                         {cached(-1, -1, -1, -1), 16, NotChecked, "reports no cached tokens"},
		"prompts that fit into one block":   {cached(0, 0, 0, 0), 528, NotChecked, "one block of the prefix cache (528 tokens)"},
		"nothing came back":                 {cached()[:0], 16, "", ""},
		"a first request that was not sent": {cached(240, 240, 240, 240, 240, 0), 16, Fired, "(endpoint 1)"},
	} {
		e := scene(c.requests)
		e.phase.Cache, e.block, e.several = "warm", c.block, true
		results := watch(tune(nil), e)
		i := slices.IndexFunc(results, func(r GuardResult) bool { return r.ID == "cache-cold" })
		switch {
		case i < 0 && c.status == "":
		case i < 0:
			// The same words may have been said by an earlier guard.
			t.Errorf("%s: the guard says nothing; all: %v", name, results)
		case results[i].Status != c.status || !strings.Contains(results[i].Message, c.mentioned):
			t.Errorf("%s: %v", name, results[i])
		}
	}
}
