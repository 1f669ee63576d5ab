package metric

import (
	"math"
	"testing"
	"time"
)

func TestGoodputCountsRequestsThatKeepEveryLimit(t *testing.T) {
	const s = int64(1000)
	slowTPOT := good(1, 0, 100, 2*s, 2*s, 11) // 190 ms per token
	noUsage := good(2, 0, 100, s, s, 10)
	noUsage.OutputTokens, noUsage.TPOT = Number{}, Duration{}
	one := good(3, 0, 100, 100, 100, 1)
	silent := good(4, 0, 100, s, s, 10) // thinks and says nothing
	said := good(5, 0, 100, s, s, 10)
	said.Content, said.TTFC = "a", Span(300*time.Millisecond)
	calls := good(6, 0, 100, s, s, 10)
	calls.FinishReason = "tool_calls"
	wrong := good(7, 0, 100, s, s, 10)
	wrong.OK, wrong.Outcome = false, OutcomeLengthMismatch
	for name, c := range map[string]struct {
		limits Limits
		r      *Request
		want   attainment
	}{
		"at the limit":                  {Limits{TTFT: 100 * time.Millisecond}, said, keptLimits},
		"over one of two":               {Limits{TTFT: time.Second, TPOT: 100 * time.Millisecond}, slowTPOT, missedLimit},
		"within both":                   {Limits{TTFT: time.Second, TPOT: 200 * time.Millisecond}, slowTPOT, keptLimits},
		"an unknown latency":            {Limits{TTFT: time.Second, TPOT: time.Second}, noUsage, untold},
		"unknown, but another is over":  {Limits{TTFT: 99 * time.Millisecond, TPOT: time.Second}, noUsage, missedLimit},
		"unknown, and not limited":      {Limits{E2E: time.Second}, noUsage, keptLimits},
		"one token has none after it":   {Limits{TPOT: time.Millisecond}, one, keptLimits},
		"content that never came":       {Limits{TTFC: time.Minute}, silent, missedLimit},
		"content in time":               {Limits{TTFC: 300 * time.Millisecond}, said, keptLimits},
		"content late":                  {Limits{TTFC: 299 * time.Millisecond}, said, missedLimit},
		"tool calls in place of it":     {Limits{TTFC: time.Millisecond, E2E: time.Second}, calls, keptLimits},
		"a reply of the wrong length":   {Limits{E2E: time.Minute}, wrong, missedLimit},
		"a request that failed":         {Limits{E2E: time.Minute}, failed(8, OutcomeTimeout, 0, 10), missedLimit},
		"e2e over":                      {Limits{E2E: 999 * time.Millisecond}, said, missedLimit},
		"all four":                      {Limits{time.Second, time.Second, time.Second, time.Second}, said, keptLimits},
		"all four, e2e over by a nanos": {Limits{time.Second, time.Second, time.Second, time.Second - 1}, said, missedLimit},
	} {
		if got := c.limits.of(c.r); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestGoodputIsARateAndAttainmentAShareOfTheIssued(t *testing.T) {
	limits := Limits{TTFT: 150 * time.Millisecond}
	// Four in two seconds: two in time, one late, one failed.
	l := NewLevel(2, []*Request{
		good(0, 0, 100, 1000, 1000, 10), good(1, 0, 150, 1000, 1000, 10),
		good(2, 1000, 1200, 2000, 2000, 10), failed(3, OutcomeHTTPError, 1000, 1010),
	})
	l.Attain(limits)
	if got := value(t, l.Goodput); got != 1 {
		t.Errorf("goodput %v, want 1", got)
	}
	if got := value(t, l.SLOAttainmentRatio); got != 0.5 {
		t.Errorf("slo_attainment_ratio %v, want 0.5", got)
	}

	for name, c := range map[string]struct {
		limits   Limits
		requests func(i int) *Request
		n        int
		want     float64 // attainment; NaN: unknown
		goodput  float64
	}{
		"no limits":     {Limits{}, func(i int) *Request { return good(i, 0, 1, 1000, 1000, 2) }, 4, math.NaN(), math.NaN()},
		"none was sent": {limits, nil, 0, math.NaN(), math.NaN()},
		"all failed":    {limits, func(i int) *Request { return failed(i, OutcomeTimeout, 0, 10) }, 4, 0, 0},
		"one in 100 unknown": {limits, func(i int) *Request {
			r := good(i, 0, 1, 1000, 1000, 2)
			if i == 7 {
				r.TTFT = Duration{}
			}
			return r
		}, 100, 0.99, 99},
		"two in 100 unknown": {limits, func(i int) *Request {
			r := good(i, 0, 1, 1000, 1000, 2)
			if i < 2 {
				r.TTFT = Duration{}
			}
			return r
		}, 100, math.NaN(), math.NaN()},
	} {
		var requests []*Request
		for i := range c.n {
			requests = append(requests, c.requests(i))
		}
		l := NewLevel(2, requests)
		l.Attain(c.limits)
		for figure, pair := range map[string][2]float64{"slo_attainment_ratio": {or(l.SLOAttainmentRatio), c.want}, "goodput": {or(l.Goodput), c.goodput}} {
			if got, want := pair[0], pair[1]; !(got == want || math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s: %s %v, want %v", name, figure, got, want)
			}
		}
		if unknown := name == "two in 100 unknown"; unknown != (len(l.Partial()) > 0 && l.Partial()[len(l.Partial())-1] == "goodput is unknown: 2 of 100 requests have not every latency that is limited") {
			t.Errorf("%s: notes %q", name, l.Partial())
		}
	}
}

func TestRequestsThatWereCutShortAreNotLeftOut(t *testing.T) {
	level := func(whole, cut int) *Level {
		var requests, rest []*Request
		for i := range whole {
			requests = append(requests, good(i, 0, 100, 1000, 1000, 10))
		}
		for i := range cut {
			rest = append(rest, failed(whole+i, "", 900, 1000))
		}
		l := Offered{Concurrency: 2, Cut: rest}.Level(requests)
		l.Attain(Limits{TTFT: time.Second})
		return l
	}
	if got := or(level(99, 1).SLOAttainmentRatio); got != 0.99 {
		t.Errorf("one of 100: %v, want 0.99", got)
	}
	if got := or(level(98, 2).SLOAttainmentRatio); !math.IsNaN(got) {
		t.Errorf("two of 100: %v, want unknown", got)
	}
}

// or is the number, or NaN where it is unknown.
func or(n Number) float64 {
	if v, ok := n.Number(); ok {
		return v
	}
	return math.NaN()
}
