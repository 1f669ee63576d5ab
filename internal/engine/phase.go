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
	skipped string         // why none of it is run; empty: it is
	heads   map[string]int // heads of all prompts sent, and how often
	warmed  int            // warm-up sessions sent
	warm    promptSet      // what the last warm-up sent
	drift   driftWatch

	canaries *calibration // what canaries can ask; nil: not known yet
}

// run runs the levels of a phase in order. reason, if any, is why the whole
// phase is skipped.
func (p *phaseRun) run(ctx context.Context, reason string) {
	p.runner.observe(PhaseStarted{p.plan})
	timed, done := p.runner.within(ctx)
	defer done()
	p.skipped = reason
	for _, l := range p.plan.Levels {
		if reason == "" {
			reason = p.runner.died
		}
		l = p.sized(l)
		result := &LevelResult{Concurrency: l.Concurrency, Rate: l.Rate, Gated: l.Gated, Planned: l.Total(), KV: l.KV}
		if reason == "" {
			reason = p.runner.pastDeadline()
		}
		p.result.Levels = append(p.result.Levels, result)
		switch why := p.runner.misfit(l); {
		case ctx.Err() != nil:
			result.State, result.Reason = IncompleteLevel, "interrupted before it began"
		case reason != "":
			result.State, result.Reason = Skipped, reason
		case why != "":
			result.State, result.Reason = Skipped, why
		default:
			p.lookBefore(timed)
			p.repeated(ctx, l, result)
		}
		p.runner.observe(LevelEnded{p.plan, result})
		p.runner.update()
		if reason == "" && p.plan.Spec.FailFast && result.State != Accepted {
			reason = fmt.Sprintf("fail_fast: level %s is %s", l.Name(), result.State)
		}
	}
	p.lookAfter(timed)
	p.conclude(ctx)
	p.runner.update()
}

// level runs one level once: warm-up, load, judgement. Its figures keep the requests.
func (p *phaseRun) level(run context.Context, l *LevelPlan, result *LevelResult) {
	ctx, done := p.runner.bound(run, p.plan)
	defer done()
	now := time.Now()
	result.Started = &now
	live := &Live{Planned: l.Sessions, Lasts: l.Lasts}
	p.runner.observe(LevelStarted{p.plan, l, live})
	if why := p.runner.calibrate(ctx, l); why != "" {
		result.State, result.Reason = InvalidLevel, why
		result.Guards = []GuardResult{{"client-bound", Fired, Void, why}}
		return
	}
	p.calibrateCanaries(ctx)
	p.flush(ctx, result)
	warmup := p.warmBefore(ctx, l, result)
	result.Canaries = p.newCanaries(l)
	p.burstBefore(ctx, l, result.Canaries)
	look := p.runner.server.begin(run) // not ctx: a load that a limit of time ends is looked at, too
	p.open(ctx, l)
	live.Ends.Store(time.Now().Add(l.Lasts).UnixNano())
	live.WarmedUp.Store(true)
	measured := &load{
		runner: p.runner, phase: p.plan, level: l, compose: p.compose, live: live,
		place:    func(index int) Place { return p.place(l, index) },
		canaries: p.interleave(l, result.Canaries),
	}
	p.runner.Client.TakeLag() // of the warm-up
	before := lookAtSelf()
	loaded := measured.run(ctx)
	loaded.warmup = warmup
	for _, r := range loaded.requests {
		p.heads[r.Asked.HeadHash]++
	}
	found := loaded.offered.Level(loaded.requests)
	found.Attain(p.plan.limits())
	before.since(p.runner.Client.TakeLag(), &found.Client)
	loaded.server = look(&found.Server)
	if loaded.hung == "" {
		p.burstAfter(ctx, l, result.Canaries)
	}
	loaded.stopped, loaded.limited = stopped(ctx)
	found.CanaryPassRatio = result.Canaries.PassRatio()
	result.summarise(loaded.requests)
	result.notePreemptions(found.Server.Preemptions)
	result.Notes = append(result.Notes, found.Partial()...)
	formulas, figures := compute(p.plan.Formula, l.Concurrency, loaded)
	p.verdict(run, l, loaded, found, figures, result)
	result.place(found, formulas, loaded.wall)
}

// open opens the connections of a level before its clock starts.
func (p *phaseRun) open(ctx context.Context, l *LevelPlan) {
	endpoints := p.runner.endpoints()
	for endpoint := range endpoints {
		p.runner.Client.Open(ctx, endpoint, (l.least()+endpoints-1)/endpoints)
	}
}

// verdict decides what became of a level's load.
func (p *phaseRun) verdict(ctx context.Context, l *LevelPlan, loaded loaded, found *metric.Level, figures any, result *LevelResult) {
	issued := len(loaded.requests)
	e := &evidence{
		missed: loaded.unsent,
		phase:  p.plan, level: l, ladder: p.result.Levels, found: found, heads: p.heads, model: p.compose.Model,
		sharesProcess: p.runner.Info.Simulated != "", warmup: loaded.warmup,
		server: loaded.server, software: p.runner.facts.Server,
		block: p.runner.facts.KVBlockTokens, several: p.runner.endpoints() > 1,
		canaries: result.Canaries, flush: result.Flush,
	}
	if loaded.stopped != "" {
		result.State, result.Reason = IncompleteLevel, loaded.stopped+" after "+l.share(issued)
		if loaded.limited {
			condemn(p.plan, e, result)
		}
		return
	}
	e.died = p.lifeSign(ctx, loaded, result.Canaries)
	if e.died == "" {
		if slices.ContainsFunc(loaded.requests, unanswered) {
			p.runner.server.seekRestart(ctx, e.server)
		}
		p.sendAgain(ctx, l, e)
		p.askAgain(ctx, l, e)
	}
	if ctx.Err() != nil {
		result.State, result.Reason = IncompleteLevel, "interrupted before it was judged"
		return
	}
	judge(p.plan, l, e, figures, result)
	if e.died != "" {
		p.runner.died = fmt.Sprintf("the target died in phase %s at %s", p.plan.Spec.Name, l.Name())
	}
	if issued == 0 && result.State.Shown() {
		result.State, result.Reason = IncompleteLevel, "no request ended: nothing was measured"
	}
	if loaded.hung != "" && (issued < l.Sessions || l.Sessions == 0) {
		stopped := fmt.Sprintf("stopped after %s: %s", l.share(issued), loaded.hung)
		result.Notes = append(result.Notes, stopped)
		if result.State.Shown() {
			result.State, result.Reason = IncompleteLevel, stopped
		}
	}
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
func (p *phaseRun) lifeSign(ctx context.Context, l loaded, c *CanaryResult) string {
	if !slices.ContainsFunc(l.requests, unanswered) && (c == nil || c.Calibrated || !c.silence) {
		return ""
	}
	last := ""
	for try := range lifeSignTries {
		if try > 0 && !sleep(ctx, time.Second) {
			return ""
		}
		p.runner.observe(Waiting{"requests failed: is it alive?"})
		requests, err := p.probe(ctx, Place{Index: 1 + try, Impatient: true})
		if err != nil || len(requests) == 0 || !unanswered(requests[0]) {
			return ""
		}
		last = requests[0].Outcome + ": " + requests[0].Error
	}
	return last
}

// unanswered reports whether a request got no answer, or not all of one. A server
// that answers errors is not dead, and neither is one that this machine failed to ask.
func unanswered(r *metric.Request) bool {
	return r.Failed() && r.Outcome != metric.OutcomeHTTPError && !r.ClientFault
}

// probe sends one small session of the phase, the one of the place's index.
func (p *phaseRun) probe(ctx context.Context, at Place) ([]*metric.Request, error) {
	const ordinals = -1 << 20 // apart from those of warm-ups
	at.Concurrency, at.Purpose = 1, Probe
	at.Ordinal, at.Endpoint = ordinals-at.Index, at.Index%p.runner.endpoints()
	return p.runner.aside(ctx, p.plan, p.compose, at)
}

// sleep waits, or returns false when ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
