package metric

import (
	"fmt"
	"time"
)

// Limits bound the latencies of one request; zero: not limited.
type Limits struct {
	TTFT, TTFC, TPOT, E2E time.Duration
}

// IsZero reports whether nothing is limited.
func (l Limits) IsZero() bool { return l == Limits{} }

// attainment is whether a request kept its limits.
type attainment int8

const (
	missedLimit attainment = iota
	keptLimits
	untold // its limits are kept as far as its latencies are known, and some are not
)

// of judges one request. Only a good one can attain. A latency that was not
// measured keeps no limit, unless there was nothing to wait for: a reply of one
// token has no token after its first, and one that ends in tool calls may have no
// content.
func (l Limits) of(r *Request) attainment {
	if !r.OK {
		return missedLimit
	}
	result := keptLimits
	for _, limit := range []struct {
		most    time.Duration
		got     Duration
		nothing bool // there was nothing to wait for
		missing bool // what is waited for did not come, which is known
	}{
		{l.TTFT, r.TTFT, false, false},
		{l.TTFC, r.TTFC, r.Content == "" && r.FinishReason == "tool_calls", r.Content == ""},
		{l.TPOT, r.TPOT, !decoded(r), false},
		{l.E2E, r.E2E, false, false},
	} {
		switch {
		case limit.most == 0 || limit.nothing:
		case !limit.got.known && !limit.missing:
			result = untold
		case !limit.got.known || limit.got.value > limit.most:
			return missedLimit
		}
	}
	return result
}

// Attain works out goodput and slo_attainment_ratio of requests that have limits.
// Goodput is that of DistServe (Zhong et al., OSDI 2024): the rate of requests that
// meet every limit. A server that drops or fails its slow requests can raise it,
// so that the ratio is over all that were issued: failed, mismatched and timed-out
// requests attain nothing.
//
// Both are unknown without limits, and where too many requests (more than 1 % of
// the issued ones) would attain but for a latency that was not measured, or were cut
// short by the end of the load (drain: cancel). Fewer count as if they had not.
func (l *Level) Attain(limits Limits) {
	if limits.IsZero() {
		return
	}
	attained, unclear := 0, l.CutCount
	all := l.Issued + l.CutCount
	for _, r := range l.Requests {
		switch limits.of(r) {
		case keptLimits:
			attained++
		case untold:
			unclear++
		}
	}
	if tooFew(all, unclear) {
		l.partial = append(l.partial, fmt.Sprintf("goodput is unknown: %d of %d requests have not every latency that is limited", unclear, all))
		return
	}
	l.SLOAttainmentRatio = Ratio(Count(attained), Count(all))
	if window, ok := l.Window.Duration(); ok {
		l.Goodput = Ratio(Count(attained), Known(window.Seconds()))
	} else if l.Issued > 0 && l.OKCount == 0 {
		l.Goodput = Known(0)
	}
}
