package engine

import (
	"context"
	"slices"

	"scenario/internal/metric"
	"scenario/internal/spec"
)

// mostSentAgain bounds how many prompts are sent again.
const mostSentAgain = 5

// greedy reports whether a phase's replies are decided by their prompts.
func greedy(s *spec.Phase) bool { return s.Temperature.Set && s.Temperature.Value == 0 }

// sendAgain sends the prompts of degenerate replies once more, one at a time, to
// the next endpoint where there are several: a server that computes wrongly under
// load, or one replica that does, is told from a model that falls into such a
// text by itself. At other temperatures than 0 the second reply says nothing of
// the first.
func (p *phaseRun) sendAgain(ctx context.Context, l *LevelPlan, e *evidence) {
	i := slices.IndexFunc(p.plan.Guards, func(g GuardPlan) bool { return g.ID == "degenerate" })
	if p.plan.Guards[i].Effect == effectOff || !greedy(p.plan.Spec) {
		return
	}
	e.threshold = p.plan.Guards[i].threshold
	if _, over := overLimit(e, e.whole()); over {
		return // decided already
	}
	tries := 0
	for _, r := range e.found.Requests {
		if !isDegenerate(r) || !r.Asked.Forced {
			continue
		}
		if tries++; tries > mostSentAgain {
			return
		}
		at := p.place(l, r.Index)
		at.Endpoint = (r.Endpoint + 1) % p.runner.endpoints()
		requests, err := p.runner.aside(ctx, p.plan, p.compose, at)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			e.unsent = append(e.unsent, err.Error())
			continue
		}
		e.count(requests)
	}
}

func (e *evidence) count(again []*metric.Request) {
	for _, r := range again {
		if r.Failed() {
			e.unsent = append(e.unsent, r.Outcome+": "+r.Error)
			continue
		}
		e.resent++
		if !r.Degenerate {
			e.sound++
		}
	}
}
