package engine

import (
	"context"
	"fmt"
	"strings"

	"scenario/internal/assert"
)

// SummaryResult is what became of the checks of a phase as a whole.
type SummaryResult struct {
	State  State         `json:"state" doc:"accepted, missed, rejected, invalid or undecided, as of a level; incomplete or skipped: not judged"`
	Reason string        `json:"reason,omitempty" doc:"why it was not judged"`
	Gated  bool          `json:"gated" doc:"counts for the verdict"`
	Checks []CheckResult `json:"checks,omitempty" doc:"the checks under summary"`
}

// conclude judges the phase once, over its accepted levels.
func (p *phaseRun) conclude(ctx context.Context) {
	p.result.Scaling = scaling(p.result.Levels)
	if len(p.plan.Summary) == 0 {
		return
	}
	s := &SummaryResult{State: Skipped, Reason: p.skipped, Gated: true}
	p.result.Summary = s
	switch left := len(axes(p.plan.Spec)) - len(p.plan.Levels); {
	case ctx.Err() != nil:
		s.State, s.Reason = IncompleteLevel, "interrupted before it was judged"
	case left > 0:
		s.Gated, s.Reason = false, fmt.Sprintf("not judged: --when leaves out %d of the phase's levels", left)
	case p.skipped != "":
	default:
		p.judgeSummary(s)
	}
}

// judgeSummary evaluates the checks. What fails is undecided where levels were not
// decided themselves: with them it might have held.
func (p *phaseRun) judgeSummary(s *SummaryResult) {
	s.Reason = ""
	open := p.openLevels()
	env := assert.Env{p.result.Scaling}
	var results []*CheckResult
	for _, c := range p.plan.Summary {
		r := c.evaluate(env)
		if r.Result == CheckFails && open != "" {
			r.Result = CheckUndecided
			r.Reason = "it fails over the accepted levels, and " + open
		}
		results = append(results, r)
		s.Checks = append(s.Checks, *r)
	}
	if s.State = soundness(nil, results); s.State == Accepted {
		s.State = speed(results)
	}
}

// openLevels says which levels were not decided; empty: all were.
func (p *phaseRun) openLevels() string {
	var names []string
	for _, l := range p.result.Levels {
		switch l.State {
		case InvalidLevel, UndecidedLevel, IncompleteLevel, Skipped:
			names = append(names, fmt.Sprintf("%s is %s", l.Name(), l.State))
		}
	}
	return strings.Join(names, ", ")
}

// Why is the first thing that kept the summary from being accepted, in words.
func (s *SummaryResult) Why() string {
	return (&LevelResult{State: s.State, Reason: s.Reason, Checks: s.Checks}).Why()
}
