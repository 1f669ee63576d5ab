package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"scenario/internal/canary"
	"scenario/internal/metric"
	"scenario/internal/target"
)

// FlushResult says whether the prefix cache was emptied before a level.
type FlushResult struct {
	Flushed  bool   `json:"flushed" doc:"each server took the order to empty its prefix cache, and none was seen to keep it"`
	Verified bool   `json:"verified" doc:"a prompt that was in each cache before was not any more"`
	Why      string `json:"why,omitempty" doc:"why it was not emptied"`
}

// flushTries is how often a busy server is asked, a second apart: its counters may
// still show what has just ended.
const flushTries = 5

// flush empties the prefix cache of every endpoint before a level, where the phase
// asks for it. Nothing of this run is in flight then.
func (p *phaseRun) flush(ctx context.Context, result *LevelResult) {
	if p.plan.Spec.CacheFlush != "level" {
		return
	}
	f := &FlushResult{Flushed: true, Verified: true}
	for endpoint := range p.runner.endpoints() {
		verified, why := p.flushOne(ctx, endpoint)
		f.Verified = f.Verified && verified
		if why != "" {
			f.Flushed = false
			if p.runner.endpoints() > 1 {
				why = fmt.Sprintf("endpoint %d: %s", endpoint, why)
			}
			f.Why = strings.TrimPrefix(f.Why+"; "+why, "; ")
		}
	}
	result.Flush = f
}

// flushOne empties one prefix cache. A prompt that was found in it before must not
// be found in it after.
func (p *phaseRun) flushOne(ctx context.Context, endpoint int) (verified bool, why string) {
	r := p.runner
	task := r.withCanaries().ask(1, canary.Kinds())[0]
	p.cachedOf(ctx, task, endpoint)
	before, _ := p.cachedOf(ctx, task, endpoint).Number()
	var err error
	for try := range flushTries {
		err = target.Flush(ctx, r.Client, r.facts, endpoint)
		var fault *target.FlushError
		if !errors.As(err, &fault) || !fault.Busy || try == flushTries-1 || !sleep(ctx, time.Second) {
			break
		}
	}
	if err != nil {
		return false, err.Error()
	}
	after, told := p.cachedOf(ctx, task, endpoint).Number()
	if after > 0 {
		return false, fmt.Sprintf("the server took the order, and %.0f tokens of a prompt were still cached", after)
	}
	return before > 0 && told, ""
}

// cachedOf sends a prompt and returns how much of it came from the prefix cache.
func (p *phaseRun) cachedOf(ctx context.Context, task canary.Task, endpoint int) metric.Number {
	a, ok := p.send(ctx, manner{api: p.plan.API, limit: 1}, task, endpoint, canaryTries)
	if !ok || a.request.Failed() {
		return metric.Number{}
	}
	return a.request.CachedTokens
}

func flushGuard() Guard {
	return Guard{
		ID:     "not-flushed",
		Doc:    "cache_flush: level, and the prefix cache was not emptied before the level: no way is known, the server refused, worked for others, or kept a prompt all the same",
		Effect: Warn,
		check: func(e *evidence) finding {
			if e.flush == nil || e.flush.Flushed {
				return silent()
			}
			return fires("the prefix cache was not emptied: " + e.flush.Why)
		},
	}
}
