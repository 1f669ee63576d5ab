package engine

import (
	"fmt"

	"scenario/internal/metric"
)

// defaultBlock is the largest block of a prefix cache that is taken for granted,
// in tokens: a cold prompt may share one block with others.
const defaultBlock = 128

func cacheGuards() []Guard {
	return []Guard{
		{
			ID:     "prompts-repeat",
			Doc:    "cache: cold, and two prompts of the phase share their first 64 ids",
			Effect: Void,
			check: func(e *evidence) finding {
				if e.phase.Cache != "cold" || e.level.Profile.ConstantPrompt {
					return silent()
				}
				_, n := first(e.found.Requests, func(r *metric.Request) bool {
					return r.Asked.HeadHash != "" && e.heads[r.Asked.HeadHash] > 1
				})
				if n == 0 {
					return silent()
				}
				return fires(fmt.Sprintf("%d of %d prompts share their start with another: they are not cold", n, e.found.Issued))
			},
		},
		{
			ID:     "cache-warm",
			Doc:    "cache: cold, and more of the prompts came from the prefix cache than 2 % and one block (128 tokens, at most a quarter of the prompt) per request",
			Effect: Void,
			Thresholds: []Threshold{
				share("max_ratio", 0.02, "largest share of cached prompt tokens, beyond the block"),
				{Name: "block", Default: defaultBlock, Max: 1 << 16, Doc: "tokens of one block of the prefix cache"},
			},
			After: []string{"prompts-repeat"},
			check: cacheWarm,
		},
		{
			ID:     "cache-cold",
			Doc:    "cache: warm, and an endpoint found fewer of the prompts in its prefix cache than all but 2 % and one block (as the server states it, else 128 tokens) per request",
			Effect: Void,
			Thresholds: []Threshold{
				share("max_ratio", 0.02, "largest share of prompt tokens that may be missing, beyond the block"),
				{Name: "block", Default: defaultBlock, Max: 1 << 16, Doc: "tokens of one block of the prefix cache, where the server does not state it"},
			},
			After: []string{"died", "errors"},
			check: cacheCold,
		},
		flushGuard(),
		{
			ID:     "cache-unverified",
			Doc:    "cache: cold, and neither replies nor the server's counters tell the cached tokens: whether prompts were cold could not be checked",
			Effect: Warn,
			check: func(e *evidence) finding {
				if e.phase.Cache != "cold" {
					return silent()
				}
				whole := e.whole()
				if _, wrong := first(whole, func(r *metric.Request) bool { return r.CachedTooMany }); wrong > 0 {
					return fires(fmt.Sprintf("%d of %d replies count more cached tokens than their prompts have: that the cache was cold rests on the prompts alone", wrong, len(whole)))
				}
				if len(whole) == 0 || metric.ReportsCached(whole) {
					return silent()
				}
				if _, known := e.cachedByServer(); known {
					return silent()
				}
				return fires("the server reports no cached tokens: that the cache was cold rests on the prompts alone")
			},
		},
	}
}

func cacheWarm(e *evidence) finding {
	if e.phase.Cache != "cold" {
		return silent()
	}
	cached, prompts, allowed := 0.0, 0.0, 0.0
	whole := e.whole()
	reported := metric.ReportsCached(whole)
	for _, r := range whole {
		c, _ := r.Cached(reported).Number()
		p, stated := r.PromptTokens.Number()
		if !stated {
			continue
		}
		cached += c
		prompts += p
		allowed += e.threshold("max_ratio")*p + min(e.threshold("block"), p/4)
	}
	if !reported {
		cached, _ = e.cachedByServer() // none where it does not tell either: cache-unverified says so
	}
	if cached <= allowed || prompts == 0 {
		return silent()
	}
	return fires(fmt.Sprintf("%.1f %% of the prompt tokens came from the prefix cache: throughput and TTFT are not cold figures", 100*cached/prompts))
}
