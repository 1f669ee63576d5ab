package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"scenario/internal/chat"
	"scenario/internal/target"
)

// Runner runs a plan against a target.
type Runner struct {
	Plan     *Plan
	Client   *chat.Client
	Clock    chat.Clock    // the client's
	Observer Observer      // nil: nobody watches
	Store    Store         // nil: nothing is kept
	Wait     time.Duration // how long to wait for a target that does not work yet
	BaseURLs []string      // as they may be printed
	Info     RunInfo
	Scenario ScenarioInfo
	Baseline *BaselineInfo
	Tool     string
	// Calibrate tries the client with so many streams against a server that does
	// nothing; nil: no trial is made.
	Calibrate func(ctx context.Context, streams int) (*Trial, error)
	// Deadline is how long the run may take; 0: as long as it does. What is not done
	// by then is incomplete, or skipped.
	Deadline time.Duration
	// Began is the moment that the deadline counts from; zero: the start of Run.
	Began time.Time
	// Nap waits for the last stretch before a request that is due on a schedule; nil:
	// the runtime's timers do.
	Nap func(time.Duration)
	// Descriptors is how many connections this process may open; 0: not known.
	Descriptors int

	result   *Result
	facts    *target.Facts
	died     string
	trial    *Trial
	server   *serverLook
	warmed   bool // a warm-up of scope run has been sent
	canaries *canaries
	fits     map[*PhasePlan]*PromptFit
	storeErr error
}

// Run runs the plan to its end, or until ctx is cancelled: then the result is
// valid and incomplete. The error says that the result could not be stored.
func (r *Runner) Run(ctx context.Context) (*Result, error) {
	r.Info.Started = time.Now()
	r.Info.Seed, r.Info.Nonce = r.Plan.Seed, r.Plan.Nonce
	r.Info.Partial = r.Plan.Partial
	r.result = &Result{Schema: ResultSchema, Tool: r.Tool, Scenario: r.Scenario, Run: r.Info, Baseline: r.Baseline, Phases: []*PhaseResult{}}
	r.declare()
	r.update()
	unusable := r.run(ctx)
	r.result.Run.Interrupted = ctx.Err() != nil
	r.result.Run.Complete = ctx.Err() == nil
	r.result.Run.Ended = time.Now()
	if ctx.Err() == nil && unusable == "" {
		r.cover()
	}
	r.result.Verdict = decide(r.result, unusable)
	if r.storeErr != nil {
		r.result.Verdict = r.result.Verdict.unstored()
	}
	if r.Store != nil {
		if err := r.Store.Result(r.result); err != nil {
			r.storeErr = errors.Join(r.storeErr, err)
			r.result.Verdict = r.result.Verdict.unstored()
		}
	}
	return r.result, r.storeErr
}

// run returns why the target could not be used at all, if so.
func (r *Runner) run(ctx context.Context) string {
	if why := r.pastDeadline(); why != "" {
		r.skipAll(why)
		return ""
	}
	facts, reasons, err := r.boundPreflight(ctx)
	if err != nil {
		return err.Error()
	}
	r.facts, r.result.Target = facts, facts
	r.observe(TargetFound{facts})
	r.server = newServerLook(ctx, r.Client, facts)
	var phases []*phaseRun
	for i, ph := range r.Plan.Phases {
		p := &phaseRun{
			runner: r, plan: ph, heads: map[string]int{},
			compose: NewComposer(ph.Spec, ph.API, facts.Model, facts.LimitField()),
			result:  newPhaseResult(ph),
		}
		p.result.Prompts, p.result.Data = r.fits[ph], ph.data()
		r.result.Phases = append(r.result.Phases, p.result)
		reason := reasons[i]
		if reason == "" {
			reason = r.unmet(ph)
		}
		p.run(ctx, reason)
		phases = append(phases, p)
	}
	r.lookAgain(ctx)
	for _, p := range phases {
		if ctx.Err() == nil {
			p.conclude(ctx) // anew: a level's state may be another one
		}
	}
	return ""
}

// newPhaseResult is a phase of which no level has been run.
func newPhaseResult(ph *PhasePlan) *PhaseResult {
	return &PhaseResult{Name: ph.Spec.Name, Kind: ph.Kind.Name, Assumed: ph.Spec.Assumed, Cache: ph.Cache, API: apiName(ph.API), Canaries: ph.Spec.Canaries, Tuned: tuned(ph.Guards), Levels: []*LevelResult{}}
}

// unmet is the first phase that this one requires and that was not valid and
// correct at all of its gated levels.
func (r *Runner) unmet(ph *PhasePlan) string {
	for _, name := range ph.Spec.Requires {
		for _, done := range r.result.Phases {
			if done.Name != name.String() {
				continue
			}
			if bad := slices.IndexFunc(done.Levels, func(l *LevelResult) bool { return l.Gated && !l.State.Shown() }); bad >= 0 {
				return "requires " + done.Name + ", which was " + string(done.Levels[bad].State)
			}
			if !slices.ContainsFunc(done.Levels, func(l *LevelResult) bool { return l.Gated }) {
				return "requires " + done.Name + ", of which no level that counts was run"
			}
			if s := done.Summary; s != nil && s.Gated && !s.State.Shown() {
				return "requires " + done.Name + ", whose summary was " + string(s.State)
			}
		}
	}
	return ""
}

func (r *Runner) observe(e Event) {
	if r.Observer != nil {
		r.Observer.Observe(e)
	}
}

// keep writes a finished request down; the first error is kept too.
func (r *Runner) keep(line RequestLine) {
	if r.Store != nil {
		if err := r.Store.Request(line); err != nil && r.storeErr == nil {
			r.storeErr = err
		}
	}
}

// update stores the result as it stands: incomplete, until the run has ended.
func (r *Runner) update() {
	r.result.Run.Ended = time.Now()
	r.result.Verdict = Verdict{Incomplete, ExitInterrupted, []string{"the run has not ended"}}
	if r.Store != nil {
		if err := r.Store.Result(r.result); err != nil && r.storeErr == nil {
			r.storeErr = err
		}
	}
}

func (r *Runner) endpoints() int { return max(1, len(r.BaseURLs)) }

func apiName(api chat.API) string {
	if api == chat.Chat {
		return "chat"
	}
	return "completions"
}
