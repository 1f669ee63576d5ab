package engine

import (
	"fmt"

	"scenario/internal/metric"
)

// promptSet is the prompts that a warm-up has sent: those that the measured
// sessions of a phase with a warm cache send again.
type promptSet struct {
	concurrency int // of the level before which they were sent
	first       int // number of the first among the phase's warm-up sessions
	count       int
	repeat      int // run of the level
}

// place is the place of one of the set's warm-up sessions.
func (s promptSet) place(index, endpoints int) Place {
	return Place{
		Concurrency: s.concurrency, Index: index, Ordinal: -1 - s.first - index, Repeat: s.repeat,
		Endpoint: index % endpoints, Purpose: Warmup,
	}
}

// place is the place of a measured session. Where the cache is warm, session i
// sends again the prompt of warm-up session i mod n, to the endpoint that has
// seen it: each prompt was sent before, and no two of n sessions in a row are the
// same one.
func (p *phaseRun) place(l *LevelPlan, index int) Place {
	endpoints := p.runner.endpoints()
	at := Place{
		Concurrency: l.Concurrency, Index: index, Ordinal: l.Ordinal + index, Repeat: l.Repeat,
		Endpoint: (l.Ordinal + index) % endpoints,
	}
	if p.plan.Cache == "warm" && p.warm.count > 0 {
		again := p.warm.place(index%p.warm.count, endpoints)
		at.Again, at.Endpoint = &again, again.Endpoint
	}
	return at
}

// Prompt is the place whose prompt the session at a place sends: its own, or
// that of the warm-up session that it repeats.
func (p Place) Prompt() Place {
	if p.Again != nil {
		return *p.Again
	}
	return p
}

// cacheCold looks at each endpoint as if it were the only one. A server reuses
// whole blocks, and never a prompt's last token: a block per request may be
// missing, and beside it a small share.
func cacheCold(e *evidence) finding {
	if e.phase.Cache != "warm" {
		return silent()
	}
	whole := e.whole()
	if len(whole) == 0 {
		return silent()
	}
	if _, wrong := first(whole, func(r *metric.Request) bool { return r.CachedTooMany }); wrong > 0 {
		return unchecked(fmt.Sprintf("%d of %d replies count more cached tokens than their prompts have", wrong, len(whole)))
	}
	if !metric.ReportsCached(whole) {
		return unchecked("the server reports no cached tokens: that the cache was warm rests on the warm-up alone")
	}
	block := e.threshold("block")
	if e.block > 0 {
		block = float64(e.block)
	}
	due := 0.0
	for _, replies := range byEndpoint(whole) {
		reported := metric.ReportsCached(replies)
		cached, prompts, least := 0.0, 0.0, 0.0
		for _, r := range replies {
			p, stated := r.PromptTokens.Number()
			if !stated {
				continue
			}
			c, _ := r.Cached(reported).Number()
			cached += c
			prompts += p
			least += max(0, (1-e.threshold("max_ratio"))*p-block)
		}
		due += least
		if cached < least {
			message := fmt.Sprintf("%.1f %% of the prompt tokens came from the prefix cache, and at least %.1f %% had to: these are not the figures of a warm cache", 100*cached/prompts, 100*least/prompts)
			if e.several {
				message += fmt.Sprintf(" (endpoint %d)", replies[0].Endpoint)
			}
			return fires(message)
		}
	}
	if due == 0 {
		return unchecked(fmt.Sprintf("prompts of at most %d tokens fit into one block of the prefix cache (%.0f tokens): hits cannot be told", e.level.Profile.PromptTokens, block))
	}
	return silent()
}
