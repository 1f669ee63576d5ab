package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"scenario/internal/canary"
	"scenario/internal/metric"
)

// leastBurst is the fewest canaries of a burst, and calibrating how many are sent
// while nothing else runs.
const (
	leastBurst  = 10
	calibrating = 20
)

// canaries are the requests with known answers of a run.
type canaries struct {
	source *canary.Source
	issued atomic.Int64 // numbers of tasks that were given out
	// calibrations are what the model can be asked, by the API and the body that it
	// is asked through.
	calibrations map[string]*calibration
}

// calibration is what became of the canaries that were sent while nothing else ran.
type calibration struct {
	told   *CanaryCalibration
	manner manner
	kinds  []canary.Kind // that are asked under load; none: nothing is
	tally  CanaryResult  // of these kinds
}

// ask makes tasks of the kinds, which take turns.
func (c *canaries) ask(n int, kinds []canary.Kind) []canary.Task {
	tasks := make([]canary.Task, n)
	for i := range tasks {
		tasks[i] = c.source.Task(int(c.issued.Add(1))-1, kinds[i%len(kinds)])
	}
	return tasks
}

// turn is the kinds from the one whose turn it is on.
func (c *calibration) turn(n int) []canary.Kind { return c.kinds[n%len(c.kinds):] }

// withCanaries reports whether a phase sends canaries.
func (ph *PhasePlan) withCanaries() bool { return ph.Spec.Canaries != "off" }

// Canaries is how many canaries a level sends, at most so many at once: a burst
// before its load and one after, or some among its load. A level of one request at
// a time needs no bursts where the calibration, of one at a time too, stands in.
func (ph *PhasePlan) Canaries(l *LevelPlan, endpoints int) (n, width int) {
	width = l.least()
	switch {
	case ph.Spec.Canaries == "interleaved":
		return max(leastInterleaved, int(math.Ceil(interleavedShare*float64(l.Sessions)))), width
	case !ph.withCanaries(), width == 1 && endpoints == 1:
		return 0, 1
	}
	return 2 * max(leastBurst, width), width
}

// burstBefore sends the canaries that come before a level's load, burstAfter those
// that come after: where they are interleaved, what is left of the fewest.
func (p *phaseRun) burstBefore(ctx context.Context, l *LevelPlan, into *CanaryResult) {
	if p.plan.Spec.Canaries == "edges" {
		n, width := p.plan.Canaries(l, p.runner.endpoints())
		p.burst(ctx, n/2, width, into)
	}
}

func (p *phaseRun) burstAfter(ctx context.Context, l *LevelPlan, into *CanaryResult) {
	switch n, width := p.plan.Canaries(l, p.runner.endpoints()); {
	case into == nil:
	case p.plan.Spec.Canaries == "edges":
		p.burst(ctx, n/2, width, into)
	default:
		p.burst(ctx, leastInterleaved-into.Sent, width, into)
	}
}

// withCanaries are the run's canaries, made when they are first asked for.
func (r *Runner) withCanaries() *canaries {
	if r.canaries == nil {
		key := fmt.Sprintf("%s|%d", r.Plan.Nonce, r.Plan.Seed)
		r.canaries = &canaries{
			source:       canary.NewSource(key, canary.Tokens(r.facts.ContextTokens)),
			calibrations: map[string]*calibration{},
		}
	}
	return r.canaries
}

// calibrateCanaries finds out, once per run, which questions the model answers
// rightly while nothing else runs.
func (p *phaseRun) calibrateCanaries(ctx context.Context) {
	if !p.plan.withCanaries() || p.canaries != nil || ctx.Err() != nil {
		return
	}
	r := p.runner
	key := p.mannerKey()
	found := r.withCanaries().calibrations[key]
	if found == nil {
		found = &calibration{told: &CanaryCalibration{}}
		if canary.Fits(canary.Tokens(r.facts.ContextTokens)) {
			p.calibrate(ctx, found)
		} else {
			found.told.NotChecked = fmt.Sprintf("the target's context of %d tokens is too short for requests with known answers", r.facts.ContextTokens)
		}
		if ctx.Err() != nil {
			return
		}
		r.canaries.calibrations[key] = found
	}
	p.canaries, p.result.Calibration = found, found.told
}

// calibrate asks in one manner after the other until some kind is answered well,
// and of several endpoints one after the other: what one of them answers well,
// all must.
func (p *phaseRun) calibrate(ctx context.Context, c *calibration) {
	manners := p.manners()
	for endpoint := range min(p.runner.endpoints(), mostCalibrated) {
		for i, m := range manners {
			if i < len(manners)-1 && !p.suits(ctx, m, endpoint) {
				continue
			}
			answers := p.alone(ctx, m, p.runner.canaries.ask(calibrating, canary.Kinds()), endpoint)
			if ctx.Err() != nil {
				return
			}
			c.manner = m
			c.settle(answers)
			if len(c.kinds) > 0 {
				return
			}
		}
	}
}

// mostCalibrated is how many endpoints are asked before canaries are given up.
const mostCalibrated = 3

// suits reports whether a model answers in a manner at all: with an answer, whole
// and without thinking.
func (p *phaseRun) suits(ctx context.Context, m manner, endpoint int) bool {
	for _, a := range p.alone(ctx, m, p.runner.canaries.ask(1, canary.Kinds()), endpoint) {
		r := a.request
		if r.Failed() || r.Reasoning != "" || r.Content == "" || canary.Thinks(r.Content) || r.FinishReason == "length" {
			return false
		}
	}
	return ctx.Err() == nil
}

// settle keeps the kinds that were answered well enough.
func (c *calibration) settle(answers []canaryAnswer) {
	told := CanaryCalibration{Sent: len(answers), API: apiName(c.manner.api), Limit: c.manner.limit}
	c.kinds, c.tally = nil, CanaryResult{Calibrated: true}
	for _, kind := range canary.Kinds() {
		right, all := 0, 0
		for _, a := range answers {
			if a.task.Kind == kind {
				all++
				right += boolToInt(a.right)
			}
		}
		told.Right += right
		if all > 0 && float64(right) >= canary.LeastKept*float64(all) {
			c.kinds = append(c.kinds, kind)
			told.Kinds = append(told.Kinds, string(kind))
		} else {
			told.Dropped = append(told.Dropped, fmt.Sprintf("%s (%d of %d right)", kind, right, all))
		}
	}
	for _, a := range answers {
		if slices.Contains(c.kinds, a.task.Kind) || a.foreign != "" {
			c.tally.add(a, false)
		}
	}
	if len(c.kinds) == 0 {
		told.NotChecked = fmt.Sprintf("the model answers no kind of question well enough while nothing else runs: %d of %d right", told.Right, told.Sent)
		if i := slices.IndexFunc(answers, func(a canaryAnswer) bool { return !a.right }); i >= 0 {
			told.NotChecked += ", " + answers[i].words()
		}
	}
	*c.told = told
}

// burst sends canaries, at most so many at once, and counts them. It gives up on a
// target that hangs.
func (p *phaseRun) burst(ctx context.Context, n, width int, into *CanaryResult) {
	if into == nil || into.NotChecked != "" || n <= 0 || ctx.Err() != nil {
		return
	}
	issuing, stop := context.WithCancel(ctx)
	defer stop()
	tasks := p.runner.canaries.ask(n, p.canaries.kinds)
	several := p.runner.endpoints() > 1
	var mu sync.Mutex
	inRow := 0
	closed{concurrency: width, sessions: len(tasks)}.pace(issuing, func(index int) func(moment) {
		return func(moment) {
			a, ok := p.send(ctx, p.canaries.manner, tasks[index], index%p.runner.endpoints(), p.plan.Spec.Retries)
			if !ok {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			into.add(a, several)
			if inRow++; a.request.Outcome != metric.OutcomeTimeout {
				inRow = 0
			}
			if inRow >= hangs(width) {
				stop()
			}
		}
	})
}

// newCanaries is what a level's canaries are counted in; nil: the phase has none.
func (p *phaseRun) newCanaries(l *LevelPlan) *CanaryResult {
	switch n, _ := p.plan.Canaries(l, p.runner.endpoints()); {
	case !p.plan.withCanaries() || p.canaries == nil:
		return nil
	case p.canaries.told.NotChecked != "":
		tally := p.canaries.tally
		tally.NotChecked = p.canaries.told.NotChecked
		return &tally
	case n == 0:
		tally := p.canaries.tally
		return &tally
	}
	before := p.canaries.tally.total()
	return &CanaryResult{Before: &before}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
