package engine

import (
	"context"
	"sync"

	"scenario/internal/metric"
)

// warmUp sends a number of sessions that enter no figure, at most a level's
// concurrency at once.
func (p *phaseRun) warmUp(ctx context.Context, l *LevelPlan) *WarmupResult {
	result := &WarmupResult{}
	var mu sync.Mutex
	first := p.warmed
	p.warmed += l.Warmups
	closed{l.Concurrency, l.Warmups}.pace(ctx, func(index int) func() {
		return func() {
			requests, err := p.runner.aside(ctx, p.plan, p.compose, Place{
				Concurrency: l.Concurrency, Index: index, Ordinal: -1 - first - index,
				Endpoint: index % p.runner.endpoints(), Purpose: Warmup, MaxOutput: p.plan.Spec.Warmup.OutputTokens,
			})
			mu.Lock()
			defer mu.Unlock()
			p.count(result, requests, err)
		}
	})
	return result
}

// count adds the requests of one warm-up session.
func (p *phaseRun) count(result *WarmupResult, requests []*metric.Request, err error) {
	if err != nil {
		return
	}
	for _, r := range requests {
		result.Sent++
		p.heads[r.Asked.HeadHash]++
		if !r.OK {
			result.Failed++
			if result.Error == "" {
				result.Error = r.Outcome + ": " + r.Error
			}
		}
	}
}
