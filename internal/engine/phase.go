package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"scenario/internal/formula"
	"scenario/internal/metric"
)

// phaseRun is one phase while it runs.
type phaseRun struct {
	runner  *Runner
	plan    *PhasePlan
	compose *Composer
	result  *PhaseResult
	heads   map[string]int // heads of all prompts sent, and how often
	warmed  int            // warm-up sessions sent
}

// run runs the levels of a phase in order. reason, if any, is why the whole
// phase is skipped.
func (p *phaseRun) run(ctx context.Context, reason string) {
	p.runner.observe(PhaseStarted{p.plan})
	for _, l := range p.plan.Levels {
		if reason == "" {
			reason = p.runner.died
		}
		result := &LevelResult{Concurrency: l.Concurrency, Gated: l.Gated, Planned: l.Sessions, KV: l.KV}
		p.result.Levels = append(p.result.Levels, result)
		switch why := p.runner.misfit(l); {
		case ctx.Err() != nil:
			result.State, result.Reason = IncompleteLevel, "interrupted before it began"
		case reason != "":
			result.State, result.Reason = Skipped, reason
		case why != "":
			result.State, result.Reason = Skipped, why
		default:
			p.level(ctx, l, result)
		}
		p.runner.observe(LevelEnded{p.plan, result})
		p.runner.update()
		if reason == "" && p.plan.Spec.FailFast && result.State != Accepted {
			reason = fmt.Sprintf("fail_fast: level C=%d is %s", l.Concurrency, result.State)
		}
	}
}

// level runs one level: warm-up, load, judgement.
func (p *phaseRun) level(ctx context.Context, l *LevelPlan, result *LevelResult) {
	now := time.Now()
	result.Started = &now
	live := &Live{Planned: l.Sessions}
	p.runner.observe(LevelStarted{p.plan, l, live})
	if l.Warmups > 0 {
		warmup := p.warmUp(ctx, l)
		if p.plan.Spec.Warmup.Scope == "run" {
			p.result.Warmup = warmup
		} else {
			result.Warmup = warmup
		}
	}
	live.WarmedUp.Store(true)
	run := &load{runner: p.runner, phase: p.plan, level: l, compose: p.compose, live: live}
	loaded := run.run(ctx)
	result.Wall = metric.Span(loaded.wall)
	for _, r := range loaded.requests {
		p.heads[r.Asked.HeadHash]++
	}
	found := metric.NewLevel(l.Concurrency, loaded.requests)
	result.summarise(loaded.requests)
	formulas, figures := compute(p.plan.Formula, l.Concurrency, loaded)
	if ctx.Err() != nil {
		result.State, result.Reason = IncompleteLevel, fmt.Sprintf("interrupted after %d of %d requests", len(loaded.requests), l.Sessions)
		result.place(found, formulas)
		return
	}
	e := &evidence{phase: p.plan, level: l, found: found, heads: p.heads, budget: p.plan.Spec.ErrorBudget}
	e.died = p.lifeSign(ctx, loaded)
	if e.died == "" {
		p.sendAgain(ctx, l, e)
	}
	if ctx.Err() != nil {
		result.State, result.Reason = IncompleteLevel, "interrupted before it was judged"
		result.place(found, formulas)
		return
	}
	judge(p.plan, l, e, figures, result)
	if e.died != "" {
		p.runner.died = fmt.Sprintf("the target died in phase %s at C=%d", p.plan.Spec.Name, l.Concurrency)
	}
	if loaded.hung && e.died == "" {
		result.Notes = append(result.Notes, fmt.Sprintf("stopped after %d of %d requests: the last %d all ran into a timeout", len(loaded.requests), l.Sessions, max(timeoutsInRow, l.Concurrency)))
	}
	result.place(found, formulas)
}

// compute works out the phase's formula.
func compute(f *formula.Formula, concurrency int, l loaded) (formulas map[string]any, figures any) {
	if f == nil {
		return nil, nil
	}
	figures = f.Compute(formula.Level{Concurrency: concurrency, Requests: l.requests, Wall: l.wall})
	return map[string]any{f.ID: figures}, figures
}

// lifeSignTries is how often a target that failed requests is asked whether it
// still answers, a second apart.
const lifeSignTries = 3

// lifeSign asks a target that failed requests for one more small completion. It
// returns how the target failed if it did not answer at all.
func (p *phaseRun) lifeSign(ctx context.Context, l loaded) string {
	if !slices.ContainsFunc(l.requests, (*metric.Request).Failed) {
		return ""
	}
	last := ""
	for try := range lifeSignTries {
		if try > 0 && !sleep(ctx, time.Second) {
			return ""
		}
		requests, err := p.probe(ctx, 1+try)
		if err != nil || len(requests) == 0 || !requests[0].Failed() {
			return ""
		}
		last = requests[0].Outcome + ": " + requests[0].Error
	}
	return last
}

// probe sends one small session of the phase.
func (p *phaseRun) probe(ctx context.Context, n int) ([]*metric.Request, error) {
	const ordinals = -1 << 20 // apart from those of warm-ups
	return p.runner.aside(ctx, p.plan, p.compose, Place{
		Concurrency: 1, Index: n, Ordinal: ordinals - n, Endpoint: n % p.runner.endpoints(), Purpose: Probe,
	})
}

// mostSentAgain bounds how many prompts are sent again.
const mostSentAgain = 5

// sendAgain sends the prompts of degenerate replies once more, one at a time: a
// server that computes wrongly under load answers them soundly alone, a model
// that falls into such a text by itself does so again. At other temperatures
// than 0 the second reply says nothing of the first.
func (p *phaseRun) sendAgain(ctx context.Context, l *LevelPlan, e *evidence) {
	i := slices.IndexFunc(p.plan.Guards, func(g GuardPlan) bool { return g.ID == "degenerate" })
	greedy := p.plan.Spec.Temperature.Set && p.plan.Spec.Temperature.Value == 0
	if p.plan.Guards[i].Effect == effectOff || !greedy || !needsReplay(e.found.Requests, p.plan.Guards[i].threshold("max_forced_ratio")) {
		return
	}
	for _, r := range e.found.Requests {
		if !r.Degenerate || e.resent == mostSentAgain {
			continue
		}
		requests, err := p.runner.aside(ctx, p.plan, p.compose, Place{
			Concurrency: l.Concurrency, Index: r.Index, Ordinal: l.Ordinal + r.Index, Endpoint: r.Endpoint,
		})
		if err != nil {
			return
		}
		for _, again := range requests {
			if again.Failed() {
				continue
			}
			e.resent++
			if !again.Degenerate {
				e.sound++
			}
		}
	}
}

// sleep waits, or returns false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
