package metric

import (
	"fmt"
	"time"
)

// OneTokenPerEvent is the most tokens an event may carry on average, and
// fullEvents the fewest, for the time between events to be called inter-token
// latency.
const (
	OneTokenPerEvent = 1.05
	fullEvents       = 0.95
)

// coverage is the least share of the requests that should have a latency for which
// the distribution over those that have it is theirs: the others may be the slow
// ones.
const coverage = 0.99

// latencies makes the distributions of a level's latencies.
func (l *Level) latencies(good []*Request) {
	every := func(*Request) bool { return true }
	said := func(r *Request) bool { return r.Content != "" }
	for _, latency := range []struct {
		name   string
		to     *Durations
		of     func(*Request) Duration
		should func(*Request) bool
	}{
		{"ttft", &l.TTFT, func(r *Request) Duration { return r.TTFT }, every},
		{"ttfc", &l.TTFC, func(r *Request) Duration { return r.TTFC }, said},
		{"e2e", &l.E2E, func(r *Request) Duration { return r.E2E }, every},
		{"tpot", &l.TPOT, func(r *Request) Duration { return r.TPOT }, decoded},
		{"stall", &l.Stall, func(r *Request) Duration { return r.Stall }, decoded},
		{"start_lag", &l.StartLag, func(r *Request) Duration { return r.StartLag }, every},
	} {
		*latency.to = l.pool(latency.name, good, latency.of, latency.should)
	}
	l.countCut()
	speeds := make([]float64, 0, len(good))
	for _, d := range l.TPOT.values {
		speeds = append(speeds, float64(time.Second)/d)
	}
	l.UserTPS = NewNumbers(speeds)
	l.gaps(good)
}

// pool makes a distribution of one latency of the requests, unknown if too few of
// those that should have it do.
func (l *Level) pool(name string, good []*Request, of func(*Request) Duration, should func(*Request) bool) Durations {
	values := make([]float64, 0, len(good))
	due, missing := 0, 0
	for _, r := range good {
		d, ok := of(r).Duration()
		if ok {
			values = append(values, float64(d))
		}
		if should(r) {
			due++
			if !ok {
				missing++
			}
		}
	}
	if len(values) > 0 && tooFew(due, missing) {
		l.partial = append(l.partial, fmt.Sprintf("%s is unknown: only %d of %d good requests that should have it do", name, due-missing, due))
		return Durations{}
	}
	return NewDurations(values)
}

// tooFew reports whether too many of the requests that should have a latency do not.
func tooFew(due, missing int) bool { return Exceeds(missing, 1-coverage, due) }

// Exceeds reports whether n things are more than a share of so many. A product that
// floating point has rounded down (0.29 × 100) makes none of them too many.
func Exceeds(n int, share float64, of int) bool {
	const rounding = 1e-9
	return float64(n) > share*float64(of)+rounding
}

// decoded reports whether a request has a token after its first, as far as is known.
func decoded(r *Request) bool { return !r.OutputTokens.known || r.OutputTokens.value > 1 }

// gaps pools the times between events, where requests have them as they should.
// They are inter-token latencies only if no request put several tokens into its
// events, or none, or kept some of them to itself.
func (l *Level) gaps(good []*Request) {
	total, due, missing, single := 0, 0, 0, true
	for _, r := range good {
		total += len(r.Gaps)
		if decoded(r) {
			due++
			if len(r.Gaps) == 0 {
				missing++
			}
		}
		perEvent, ok := r.TokensPerEvent.Number()
		hidden := r.ReasoningTokens.value > 0 && r.Reasoning == ""
		if r.Events > 0 && (!ok || perEvent > OneTokenPerEvent || perEvent < fullEvents || hidden) {
			single = false
		}
	}
	if tooFew(due, missing) {
		return // as many as have no stall, which says so
	}
	pooled := make([]float64, 0, total)
	for _, r := range good {
		pooled = append(pooled, r.Gaps...)
	}
	l.Gap = NewDurations(pooled)
	if single {
		l.ITL = l.Gap
	}
}
