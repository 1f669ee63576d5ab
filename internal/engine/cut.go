package engine

import (
	"fmt"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
)

// A request that is cut off at the end of a window was hanging, and not merely
// under way, if it had been silent for longer than hangingAfter, and for more than
// hangingTimes the longest silence of any request that came back good.
const (
	hangingAfter = 5 * time.Second
	hangingTimes = 5
)

// cutOff is what is known of a request that was cancelled at the end of a window:
// when its first tokens came, if they did.
func cutOff(reply *chat.Reply, moments metric.Stamps) *metric.Request {
	r := measure(reply, moments)
	r.OK, r.Outcome, r.Error = false, metric.OutcomeCut, "cancelled at the end of the window"
	for i, e := range reply.Events {
		after := metric.Span(e.At.Sub(reply.Written))
		if i == 0 {
			r.TTFT = after
		}
		if e.Kind&chat.ContentEvent != 0 {
			r.TTFC = after
			break
		}
	}
	return r
}

// settle looks at the requests that were cut off: one that was hanging is no request
// that merely did not come to its end, but one that timed out.
func (l *loaded) settle() {
	longest, known := l.longestSilence()
	if !known {
		return
	}
	limit := max(hangingAfter, hangingTimes*longest)
	var cut []*metric.Request
	for _, r := range l.offered.Cut {
		silent := time.Duration(r.At.Closed - max(r.At.LastToken, r.At.Written))
		if silent <= limit {
			cut = append(cut, r)
			continue
		}
		r.Outcome = metric.OutcomeTimeout
		r.Error = fmt.Sprintf("silent for %v when the window ended, and no good request ever was for more than %v", silent.Round(time.Millisecond), longest.Round(time.Millisecond))
		r.TTFT, r.TTFC = metric.Duration{}, metric.Duration{}
		l.requests = append(l.requests, r)
	}
	if len(cut) < len(l.offered.Cut) {
		l.offered.Cut = cut
		inOrder(l.requests)
	}
}

// longestSilence is the longest time that a good request let pass without a token;
// false: there is none.
func (l *loaded) longestSilence() (longest time.Duration, known bool) {
	for _, r := range l.requests {
		if !r.OK {
			continue
		}
		known = true
		first := r.At.FirstToken
		if first == 0 {
			first = r.At.Closed
		}
		stall, _ := r.Stall.Duration()
		longest = max(longest, stall, time.Duration(first-r.At.Written))
	}
	return longest, known
}
