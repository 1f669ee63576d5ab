package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"scenario/internal/metric"
	"scenario/internal/target"
)

// overtime is why a level was stopped before its load was done, though nobody
// interrupted it.
type overtime struct{ reason string }

func (o *overtime) Error() string { return o.reason }

// bound is a context that ends when the level may take no longer, by its own
// max_duration or by the run's deadline, whichever comes first.
func (r *Runner) bound(ctx context.Context, ph *PhasePlan) (context.Context, context.CancelFunc) {
	ctx, done := r.within(ctx)
	most := ph.Spec.Load.MaxDuration
	if most == 0 {
		return ctx, done
	}
	limited, cancel := context.WithTimeoutCause(ctx, most, &overtime{fmt.Sprintf("max_duration of %s reached", metric.Clock(most))})
	return limited, func() { cancel(); done() }
}

// within is a context that the run's deadline ends.
func (r *Runner) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.Deadline == 0 {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, r.end(), &overtime{r.late()})
}

// share says how much of a level's load there was.
func (l *LevelPlan) share(issued int) string {
	if l.Sessions == 0 {
		return fmt.Sprintf("%d requests", issued)
	}
	return fmt.Sprintf("%d of %d requests", issued, l.Sessions)
}

// condemn rejects a level that was stopped before its end, if what there was of it
// shows that the server is broken. Checks are not asked: they are written for all of
// the load.
func condemn(ph *PhasePlan, e *evidence, result *LevelResult) {
	guards := watch(ph.Guards, e)
	if soundness(guards, nil) == Rejected {
		result.Notes = append(result.Notes, result.Reason)
		result.Guards, result.State, result.Reason = guards, Rejected, ""
	}
}

// late says that the run's deadline was reached.
func (r *Runner) late() string {
	return fmt.Sprintf("the run's deadline of %s was reached", metric.Clock(r.Deadline))
}

// end is the moment of the run's deadline.
func (r *Runner) end() time.Time {
	if r.Began.IsZero() {
		return r.Info.Started.Add(r.Deadline)
	}
	return r.Began.Add(r.Deadline)
}

// boundPreflight is the preflight, which the run's deadline ends too.
func (r *Runner) boundPreflight(ctx context.Context) (*target.Facts, []string, error) {
	limited, cancel := r.within(ctx)
	defer cancel()
	facts, reasons, err := r.preflight(limited)
	if why, limit := stopped(limited); err != nil && limit && ctx.Err() == nil {
		err = errors.New(why + " before the target had given a completion")
	}
	return facts, reasons, err
}

// skipAll leaves out every level, before the target has been asked anything.
func (r *Runner) skipAll(why string) {
	for _, ph := range r.Plan.Phases {
		result := newPhaseResult(ph)
		for _, l := range ph.Levels {
			result.Levels = append(result.Levels, &LevelResult{Concurrency: l.Concurrency, Rate: l.Rate, State: Skipped, Reason: why, Gated: l.Gated, Planned: l.Sessions, KV: l.KV})
		}
		r.result.Phases = append(r.result.Phases, result)
	}
}

// pastDeadline is why nothing more is started; empty: there is time left.
func (r *Runner) pastDeadline() string {
	if r.Deadline > 0 && !time.Now().Before(r.end()) {
		return r.late()
	}
	return ""
}

// stopped says why a level's context ended before its load was done: the reason, and
// whether it is a limit and not an interruption. Empty: it has not ended.
func stopped(ctx context.Context) (reason string, limit bool) {
	var o *overtime
	switch {
	case ctx.Err() == nil:
		return "", false
	case errors.As(context.Cause(ctx), &o):
		return o.reason, true
	}
	return "interrupted", false
}
