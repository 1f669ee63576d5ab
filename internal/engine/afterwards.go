package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"scenario/internal/metric"
)

// What is only known after a level has been judged: that the target drifted over the
// phase, or is another one by the end of the run.

// weigh adds what a guard found after the level had been judged.
func (l *LevelResult) weigh(g GuardResult) {
	l.Guards = append(l.Guards, g)
	if g.Status != Fired || !g.Effect.Decides() {
		return
	}
	state := stateOf(g.Effect)
	order := []State{Rejected, InvalidLevel, UndecidedLevel, Missed, Accepted}
	was, now := slices.Index(order, l.State), slices.Index(order, state)
	if was < 0 || was <= now { // not judged, or as bad already
		return
	}
	shown := l.State.Shown()
	l.State = state
	if shown {
		l.withhold()
	}
}

// withhold takes back figures that were to be shown.
func (l *LevelResult) withhold() {
	l.Figures, l.Withheld = nil, l.Figures
	l.Formulas, l.WithheldFormulas = nil, l.Formulas
	l.Wall = metric.Duration{}
	l.withholdRepeats()
	for i := range l.Checks {
		c := &l.Checks[i]
		if c.Group == SLO {
			c.Result, c.Reason, c.Values, c.Offenders = CheckNotJudged, "", nil, nil
		}
		c.withhold()
	}
}

// measured reports whether a level was run to its end and judged.
func (l *LevelResult) measured() bool { return l.Found() != nil && l.State != IncompleteLevel }

// guard is the phase's plan for a guard.
func (ph *PhasePlan) guard(id string) GuardPlan {
	i := slices.IndexFunc(ph.Guards, func(g GuardPlan) bool { return g.ID == id })
	return ph.Guards[i]
}

// lookAgain compares the target with what it was before the load, once more at the
// run's end. What is seen only then counts against the last level that was measured.
func (r *Runner) lookAgain(ctx context.Context) {
	var last *LevelResult
	var phase *PhasePlan
	for i, p := range r.result.Phases {
		for _, l := range p.Levels {
			if l.measured() {
				last, phase = l, r.Plan.Phases[i]
			}
		}
	}
	if last == nil || ctx.Err() != nil || r.died != "" {
		return
	}
	r.server.read(ctx)
	load := &serverLoad{restarted: r.server.takeRestart()}
	for try := range severalLooks {
		if try > 0 && !sleep(ctx, time.Second) {
			return
		}
		if load.changed, load.unseen = r.server.changed(ctx); !strings.HasPrefix(load.unseen, noAnswer) {
			break
		}
	}
	if ctx.Err() != nil {
		return
	}
	if strings.HasPrefix(load.unseen, noAnswer) {
		load.changed, load.unseen = append(load.changed, load.unseen), ""
	}
	told := slices.ContainsFunc(last.Guards, func(g GuardResult) bool { return g.ID == "target-changed" })
	guard := phase.guard("target-changed")
	if told || guard.Effect == effectOff || load.restarted == "" && len(load.changed) == 0 {
		return
	}
	found := targetChanged(&evidence{server: load})
	found.message = "at the end of the run " + found.message
	if g, ok := guard.result(found); ok {
		last.weigh(g)
	}
}
