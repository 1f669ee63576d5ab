package metric

import (
	"math"
	"testing"
	"time"
)

// even is a good request whose tokens come evenly, the first at once.
func even(index int, from, to int64, tokens int) *Request {
	r := good(index, from, from, to, to, tokens)
	gap := float64(to-from) * float64(ms) / float64(tokens-1)
	for range tokens - 1 {
		r.Gaps = append(r.Gaps, gap)
	}
	return r
}

// generations are requests of two slots, each of 101 tokens in a second, one after
// the other.
func generations(n int) []*Request {
	var requests []*Request
	for i := range n {
		for slot := range 2 {
			from := int64(1000*i + 500*slot)
			requests = append(requests, even(2*i+slot, from, from+1000, 101))
		}
	}
	return requests
}

func TestSteadyPartRunsFromTheLastSlotsFirstTokenToTheLastStart(t *testing.T) {
	l := NewLevel(2, generations(5))
	// From 500 ms to 4500 ms, in which 7 requests end that began after it, and one
	// that began before; each brings a token at its start and 100 after it.
	if d, _ := l.Steady.Duration(); d != 4*time.Second {
		t.Errorf("the steady part has %v, want 4s", d)
	}
	if got := value(t, l.OutputTPSSteady); math.Abs(got-202) > 1 {
		t.Errorf("output_tps_steady = %v, want about 202", got)
	}
	if got := value(t, l.OutputTPS); math.Abs(got-1010/5.5) > 1e-9 {
		t.Errorf("output_tps = %v, want %v", got, 1010/5.5)
	}
	if l := NewLevel(2, generations(3)); l.OutputTPSSteady != (Number{}) {
		t.Errorf("with two generations in it, output_tps_steady is %v", l.OutputTPSSteady)
	}
	if l := (Offered{Concurrency: 2, Waves: true}).Level(generations(5)); l.Steady != (Duration{}) {
		t.Error("waves have a steady part")
	}
}

func TestWindowIsSteadyToItsEnd(t *testing.T) {
	o := Offered{Concurrency: 2, Full: 1000*ms + 1, End: 5000*ms + 1}
	l := o.Level(generations(6))
	if d, _ := l.Steady.Duration(); d != 4*time.Second {
		t.Errorf("after a ramp of 1s a window of 5s is steady for %v, want 4s", d)
	}
	if got := value(t, l.InflightMean); got != 2 {
		t.Errorf("inflight_mean = %v, want 2", got)
	}
}

func TestCutOffRequestsEndTheSteadyPartAndCountAsSlower(t *testing.T) {
	all := generations(6)
	requests, cut := all[:9], all[9:]
	var last []*Request
	for i, r := range cut {
		c := &Request{Index: r.Index, Outcome: OutcomeCut, At: Stamps{Written: r.At.Written, Closed: 5500*ms + 1}}
		if i == 0 {
			c.TTFT, c.At.FirstToken = Span(70*time.Millisecond), r.At.Written+70*ms
		}
		last = append(last, c)
	}
	o := Offered{Concurrency: 2, End: 5500*ms + 1, Cut: last}
	l := o.Level(requests)
	// The first request that was cut off began at 4500 ms.
	if d, _ := l.Steady.Duration(); d != 4*time.Second || l.Issued != 9 || l.CutCount != 3 {
		t.Errorf("steady for %v, issued %d, cut %d", d, l.Issued, l.CutCount)
	}
	if d, _ := l.Window.Duration(); d != 5500*time.Millisecond {
		t.Errorf("rates are over %v, want 5.5s: to the moment of the cut", d)
	}
	for name, c := range map[string]struct {
		d     Durations
		q     float64
		known bool
		want  time.Duration
	}{
		"ttft p50":        {l.TTFT, 0.5, true, 0},
		"e2e p50":         {l.E2E, 0.5, true, time.Second},
		"e2e of the last": {l.E2E, 0.75, false, 0},
	} {
		got, known := c.d.Quantile(c.q)
		if c.d.Count() != 12 || known != c.known || known && time.Duration(got) != c.want {
			t.Errorf("%s of %d samples = %v (known %v)", name, c.d.Count(), time.Duration(got), known)
		}
	}
}

func TestSamplesBeyondAreLargerThanAnyMeasured(t *testing.T) {
	var values []float64
	for i := range 100 {
		values = append(values, float64(i))
	}
	d := NewDurations(values)
	d.beyond = 20
	for q, want := range map[float64]float64{0.5: 59.5, 0.75: 89.25} {
		if got, ok := d.Quantile(q); !ok || got != want {
			t.Errorf("q %v = %v (known %v), want %v", q, got, ok, want)
		}
	}
	check := func(d Durations) {
		t.Helper()
		if _, ok := d.Quantile(0.9); ok {
			t.Error("a percentile among the samples beyond is known")
		}
		if _, ok := d.Mean(); ok {
			t.Error("the mean is known")
		}
		if _, ok := d.Max(); ok {
			t.Error("the largest is known")
		}
		if least, ok := d.Min(); !ok || least != 0 || d.Count() != 120 {
			t.Errorf("least %v of %d", least, d.Count())
		}
	}
	check(d)
	data, err := d.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var again Durations
	if err := again.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	check(again)
	d.summarise()
	check(d)
}
