package metric

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestQuantilesInterpolateLinearly(t *testing.T) {
	d := NewNumbers([]float64{50, 10, 40, 20, 30})
	if p50, ok := d.Quantile(0.5); !ok || p50 != 30 {
		t.Errorf("p50 = %v, %v; want 30", p50, ok)
	}
	if p95, ok := d.Quantile(0.95); ok {
		t.Errorf("p95 of five samples is %v: it takes 59", p95)
	}
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	n := NewNumbers(hundred)
	for q, want := range map[float64]float64{0.5: 50.5, 0.9: 90.1, 0.95: 95.05} {
		if got, ok := n.Quantile(q); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("the %v quantile of 1..100 = %v, %v; want %v", q, got, ok, want)
		}
	}
	if _, ok := n.Quantile(0.99); ok {
		t.Error("p99 of 100 samples is known: it takes 299")
	}
	for _, q := range []float64{0, 1, -1, 2, math.NaN()} {
		if v, ok := n.Quantile(q); ok {
			t.Errorf("the %v quantile is %v", q, v)
		}
	}
}

func TestOneSlowRequestIsSeenInTheTail(t *testing.T) {
	// A first request that pays for a warm-up moves the mean and the maximum.
	samples := make([]float64, 300)
	for i := range samples {
		samples[i] = 58e6
	}
	samples[0] = 1537e6
	d := NewDurations(samples)
	p99, ok := d.Quantile(0.99)
	if !ok || p99 != 58e6 {
		t.Errorf("p99 = %v, %v; want 58 ms", time.Duration(p99), ok)
	}
	if longest, _ := d.Max(); longest != 1537e6 {
		t.Errorf("max = %v, want 1.537 s", time.Duration(longest))
	}
	if mean, _ := d.Mean(); math.Abs(mean-(1537e6+299*58e6)/300) > 1 {
		t.Errorf("mean = %v", time.Duration(mean))
	}
}

func TestMinSamples(t *testing.T) {
	for q, want := range map[float64]int{0.5: 5, 0.9: 29, 0.95: 59, 0.99: 299, 0.999: 2995, 0.1: 29, 0.01: 299, 0: math.MaxInt, 1: math.MaxInt, -1: math.MaxInt, math.NaN(): math.MaxInt} {
		if got := MinSamples(q); got != want {
			t.Errorf("MinSamples(%v) = %d, want %d", q, got, want)
		}
	}
	for i := 1; i < 1000; i++ {
		q := float64(i) / 1000
		tail := max(q, 1-q)
		n := MinSamples(q)
		if 1-math.Pow(tail, float64(n)) < 0.95 || n > 1 && 1-math.Pow(tail, float64(n-1)) >= 0.95 {
			t.Errorf("MinSamples(%v) = %d is not the smallest", q, n)
		}
	}
	for _, q := range []float64{math.SmallestNonzeroFloat64, 1e-12, math.Nextafter(1, 0)} {
		if n := MinSamples(q); n < 1e12 {
			t.Errorf("MinSamples(%v) = %d", q, n)
		}
	}
}

func TestUnknownIsNotANumber(t *testing.T) {
	for name, n := range map[string]Number{
		"zero value": {}, "NaN": Known(math.NaN()), "infinity": Known(math.Inf(1)), "negative count": Count(-1),
		"by zero": Ratio(Known(1), Known(0)), "zero by zero": Ratio(Known(0), Known(0)), "of unknown": Ratio(Number{}, Known(1)),
	} {
		if v, ok := n.Number(); ok {
			t.Errorf("%s: %v is known", name, v)
		}
		if data, err := json.Marshal(n); err != nil || string(data) != "null" {
			t.Errorf("%s: JSON %s, %v; want null", name, data, err)
		}
	}
}

func TestJSONKeepsNanoseconds(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 999, time.Microsecond, 1234567891, 3*time.Hour + 7} {
		data, err := json.Marshal(Span(d))
		if err != nil {
			t.Fatal(err)
		}
		var back Duration
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("%v: %v", d, err)
		}
		if got, ok := back.Duration(); !ok || got != d {
			t.Errorf("%v became %s and then %v", d, data, got)
		}
	}
	for _, v := range []float64{0, 1, -1, 0.1, 172.031, 1e-12, 1e15, 123456789.123, 1e300} {
		data, _ := json.Marshal(Known(v))
		var back Number
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		if got, ok := back.Number(); !ok || math.Abs(got-v) > 1e-9*max(1, math.Abs(v)) {
			t.Errorf("%v became %s and then %v", v, data, got)
		}
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{785: "785", 9999: "9999", 93184: "93.2k", 1570000: "1.57M", 2048000: "2.05M", 1e9: "1.00G"} {
		if got := Short(v); got != want {
			t.Errorf("Short(%v) = %q, want %q", v, got, want)
		}
	}
}
