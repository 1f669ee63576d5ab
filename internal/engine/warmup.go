package engine

import (
	"context"
	"sync"

	"scenario/internal/metric"
)

// warmBefore sends what the phase's warm-up asks for before this level, and returns what
// became of it; nil: nothing was sent before this level.
func (p *phaseRun) warmBefore(ctx context.Context, l *LevelPlan, result *LevelResult) *WarmupResult {
	if l.Warmups == 0 {
		return nil
	}
	told := &p.result.Warmup
	switch p.plan.Spec.Warmup.Scope {
	case "run":
		if p.runner.warmed {
			return nil
		}
		p.runner.warmed = true
	case "phase":
		if p.result.Warmup != nil {
			return nil
		}
	default:
		told = &result.Warmup
	}
	*told = p.warmUp(ctx, l)
	return *told
}

// warmUp sends a number of sessions that enter no figure, at most a level's
// concurrency at once. It gives up on a target that hangs.
func (p *phaseRun) warmUp(ctx context.Context, l *LevelPlan) *WarmupResult {
	issuing, stop := context.WithCancel(ctx)
	defer stop()
	result := &WarmupResult{}
	var mu sync.Mutex
	inRow := 0
	p.warm = promptSet{concurrency: l.Concurrency, first: p.warmed, count: l.Warmups, repeat: l.Repeat}
	p.warmed += l.Warmups
	closed{concurrency: l.least(), sessions: l.Warmups}.pace(issuing, func(index int) func(moment) {
		return func(moment) {
			at := p.warm.place(index, p.runner.endpoints())
			at.MaxOutput = p.plan.Spec.Warmup.OutputTokens
			requests, err := p.runner.aside(ctx, p.plan, p.compose, at)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, r := range requests {
				p.heads[r.Asked.HeadHash]++
				result.add(r)
				if inRow++; r.Outcome != metric.OutcomeTimeout {
					inRow = 0
				}
			}
			if inRow >= hangs(l.least()) {
				stop()
			}
		}
	})
	return result
}

// add counts a request of a warm-up.
func (w *WarmupResult) add(r *metric.Request) {
	w.Sent++
	if r.OK {
		return
	}
	w.Failed++
	if w.Error == "" {
		w.Error = r.Outcome + ": " + r.Error
	}
}
