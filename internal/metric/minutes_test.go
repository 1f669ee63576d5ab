package metric

import (
	"math"
	"testing"
	"time"
)

func TestMinutesOfALongWindow(t *testing.T) {
	// One slot, a request a second: 60 tokens each in the first two minutes, half of
	// them in the third and the half minute after it, and every fifth fails in the third.
	var requests []*Request
	for i := range 210 {
		from := int64(1000 * i)
		switch {
		case i < 120:
			requests = append(requests, even(i, from+100, from+1000, 60))
		case i < 180 && i%5 == 0:
			requests = append(requests, failed(i, OutcomeTimeout, from, from+1000))
		default:
			requests = append(requests, even(i, from+100, from+1000, 30))
		}
	}
	l := Offered{Concurrency: 1, Start: 1, End: 210_000*ms + 1}.Level(requests)
	if len(l.Minutes) != 3 {
		t.Fatalf("%d minutes, want the three whole ones", len(l.Minutes))
	}
	for i, want := range []struct {
		issued, good, failed int
		tps                  float64
	}{{60, 60, 0, 60}, {60, 60, 0, 60}, {60, 48, 12, 24}} {
		m := l.Minutes[i]
		if tps := value(t, m.OutputTPS); m.Index != i || m.Issued != want.issued || m.OKCount != want.good || m.ErrorCount != want.failed || math.Abs(tps-want.tps) > 1 {
			t.Errorf("minute %d: %+v, want %+v", i, m, want)
		}
		if p50, ok := m.TTFTP50.Duration(); !ok || p50 != 0 {
			t.Errorf("minute %d: ttft p50 %v (known %v)", i, p50, ok)
		}
		if _, ok := m.TTFTP95.Duration(); ok != (want.good >= 59) {
			t.Errorf("minute %d: ttft p95 of %d samples is known: %v", i, want.good, ok)
		}
	}
	if l := (Offered{Concurrency: 1, Start: 1, End: 179_000*ms + 1}).Level(requests[:179]); l.Minutes != nil {
		t.Error("a window of less than three minutes has figures per minute")
	}
	if l := (Offered{Concurrency: 1}).Level(requests); l.Minutes != nil {
		t.Error("a load by count has figures per minute")
	}
}

func TestMinutesWithoutUsageHaveNoThroughput(t *testing.T) {
	var requests []*Request
	for i := range 200 {
		r := even(i, int64(1000*i), int64(1000*i)+900, 10)
		r.OutputTokens = Number{}
		requests = append(requests, r)
	}
	l := Offered{Concurrency: 1, Start: 1, End: int64(4*time.Minute) + 1}.Level(requests)
	if _, known := l.Minutes[0].OutputTPS.Number(); known || l.Minutes[3].Issued != 20 {
		t.Errorf("%+v", l.Minutes)
	}
}
