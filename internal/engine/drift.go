package engine

import (
	"context"
	"fmt"
	"math"
	"time"

	"scenario/internal/metric"
)

// driftPlanned is how long a phase must be planned to take for the target to be
// looked at for drift without being asked for.
const driftPlanned = 5 * time.Minute

// driftOrdinals is where the numbers of the requests begin that look for drift, apart
// from those of probes and warm-ups.
const driftOrdinals = -1 << 21

// DriftResult is the target alone with one request, before the first and after the
// last level of a phase.
type DriftResult struct {
	Measure string           `json:"measure" doc:"what is compared: e2e of requests of forced length, else tpot"`
	Before  metric.Durations `json:"before" doc:"of the requests before the first level"`
	After   metric.Durations `json:"after" doc:"of those after the last"`
	Failed  string           `json:"failed,omitempty" doc:"why they cannot be compared"`
}

func driftGuard() Guard {
	return Guard{
		ID:     "drift",
		Doc:    "requests at C=1 before the first and after the last level of a phase, with at least 2 levels, planned to take more than 5 minutes and without a formula, or asked for by n: the medians of their end-to-end latency (TPOT, where lengths are not forced) differ, and the confidence intervals of the medians (order statistics, 93.75 %; of 5 their range) don't overlap",
		Effect: Undecide,
		Thresholds: []Threshold{
			{Name: "n", Default: 5, Min: 5, Max: 1000, Doc: "requests before, and as many after; setting it asks for them however long the phase takes"},
			share("max_change", 0.05, "largest change of the median"),
		},
		check: drifted,
	}
}

func drifted(e *evidence) finding {
	d := e.drift
	switch {
	case d == nil:
		return silent()
	case d.Failed != "":
		return unchecked(d.Failed)
	}
	before, _ := d.Before.Quantile(0.5)
	after, _ := d.After.Quantile(0.5)
	low, high, ok := d.Before.MedianInterval()
	least, most, both := d.After.MedianInterval()
	if !ok || !both || before == 0 {
		return unchecked("too few requests came back good to compare the target before and after the phase")
	}
	change := after/before - 1
	if math.Abs(change) <= e.threshold("max_change")+1e-9 || least <= high && low <= most {
		return silent()
	}
	word := "longer"
	if change < 0 {
		word = "shorter"
	}
	return fires(fmt.Sprintf("alone with one request the target took %.0f %% %s after the phase than before (median %s of %d requests): its levels are not of one state of the target",
		100*math.Abs(change), word, d.Measure, d.After.Count()))
}

// driftWatch looks for drift over one phase.
type driftWatch struct {
	sent   int // requests, for their numbers
	began  time.Time
	before []*metric.Request
	asked  bool // the target is looked at
}

// asksForDrift reports whether the target is looked at around the phase, and whether
// the plan could tell: it cannot where no baseline says how long a level takes.
func (ph *PhasePlan) asksForDrift() (looked, planned bool) {
	guard := ph.guard("drift")
	_, asked := guard.set["n"]
	switch {
	case guard.Effect == effectOff:
		return false, true
	case asked:
		return true, true
	case len(ph.Levels) < 2 || ph.Formula != nil:
		return false, true
	}
	total := time.Duration(0)
	for _, l := range ph.Levels {
		d, known := l.Expected()
		if !known {
			return false, false
		}
		total += d
	}
	return total > driftPlanned, true
}

// DriftRequests is how many requests look for drift before the phase's first level,
// and again after its last; 0: none do.
func (ph *PhasePlan) DriftRequests() int {
	if looked, _ := ph.asksForDrift(); !looked {
		return 0
	}
	return 1 + int(ph.guard("drift").threshold("n"))
}

// lookBefore sends the requests before the first level that is run.
func (p *phaseRun) lookBefore(ctx context.Context) {
	if !p.drift.began.IsZero() {
		return
	}
	p.drift.began = time.Now()
	if p.drift.asked, _ = p.plan.asksForDrift(); p.drift.asked {
		p.drift.before = p.single(ctx)
	}
}

// lookAfter sends them again after the last level, and lets the guard judge all that
// were measured in between.
func (p *phaseRun) lookAfter(ctx context.Context) {
	if p.drift.began.IsZero() || ctx.Err() != nil || p.runner.died != "" {
		return
	}
	_, planned := p.plan.asksForDrift()
	switch {
	case p.drift.asked:
		p.result.Drift = compareDrift(p.drift.before, p.single(ctx))
		if ctx.Err() != nil {
			return
		}
	case !planned && time.Since(p.drift.began) > driftPlanned:
		p.result.Drift = &DriftResult{Failed: "the phase took more than 5 minutes, and how long it takes was not known before: n: 5 asks for the requests that tell"}
	default:
		return
	}
	guard := p.plan.guard("drift")
	g, ok := guard.result(drifted(&evidence{drift: p.result.Drift, threshold: guard.threshold}))
	for _, l := range p.result.Levels {
		if ok && l.measured() {
			l.weigh(g)
		}
	}
}

// single sends requests one after the other, on the first level's terms. The first is
// not counted: it may wake the target up.
func (p *phaseRun) single(ctx context.Context) []*metric.Request {
	p.runner.observe(Waiting{"one request at a time, to see whether the target drifts"})
	var kept []*metric.Request
	for i := range p.plan.DriftRequests() {
		at := Place{
			Concurrency: 1, Index: p.drift.sent, Ordinal: driftOrdinals - p.drift.sent,
			Endpoint: i % p.runner.endpoints(), Purpose: Warmup,
		}
		p.drift.sent++
		requests, err := p.runner.aside(ctx, p.plan, p.compose, at)
		if err != nil {
			return kept
		}
		for _, r := range requests {
			p.heads[r.Asked.HeadHash]++
			if r.Outcome == metric.OutcomeTimeout {
				return kept
			}
		}
		if i > 0 {
			kept = append(kept, requests...)
		}
	}
	return kept
}

// compareDrift makes the distributions that are compared: of end-to-end latencies
// where all lengths were forced, so that they are of the same work, else of the time
// per output token.
func compareDrift(before, after []*metric.Request) *DriftResult {
	d := &DriftResult{Measure: "e2e"}
	of := func(r *metric.Request) metric.Duration { return r.E2E }
	for _, r := range append(before[:len(before):len(before)], after...) {
		if !r.Asked.Forced {
			d.Measure, of = "tpot", func(r *metric.Request) metric.Duration { return r.TPOT }
		}
	}
	pool := func(requests []*metric.Request) metric.Durations {
		var values []float64
		for _, r := range requests {
			if v, known := of(r).Duration(); known && r.OK {
				values = append(values, float64(v))
			}
		}
		return metric.NewDurations(values)
	}
	d.Before, d.After = pool(before), pool(after)
	if d.Before.Count() < 5 || d.After.Count() < 5 {
		d.Failed = fmt.Sprintf("of the requests at C=1 before and after the phase %d and %d tell their time: at least 5 of each must", d.Before.Count(), d.After.Count())
	}
	return d
}
