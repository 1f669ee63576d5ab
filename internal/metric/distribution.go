package metric

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"time"
)

// Numbers is a distribution of numbers, Durations one of time spans (held in
// nanoseconds, printed in seconds). Both are exact: they keep every sample.
type (
	Numbers   struct{ samples }
	Durations struct{ samples }
)

// NewNumbers takes the samples over and sorts them.
func NewNumbers(values []float64) Numbers { return Numbers{newSamples(values)} }

// NewDurations takes the samples, in nanoseconds, over and sorts them.
func NewDurations(nanoseconds []float64) Durations { return Durations{newSamples(nanoseconds)} }

// IsDuration tells the two apart.
func (Numbers) IsDuration() bool { return false }

// IsDuration tells the two apart.
func (Durations) IsDuration() bool { return true }

// samples are sorted.
type samples []float64

func newSamples(values []float64) samples {
	values = slices.DeleteFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	slices.Sort(values)
	return values
}

// Count is the number of samples.
func (s samples) Count() int { return len(s) }

// Quantile is the q-quantile (0 < q < 1) by linear interpolation at (n−1)·q. It
// is unknown with fewer than MinSamples(q) samples.
func (s samples) Quantile(q float64) (float64, bool) {
	if !(q > 0 && q < 1) || len(s) < MinSamples(q) {
		return 0, false
	}
	return s.interpolate(q), true
}

func (s samples) interpolate(q float64) float64 {
	at := q * float64(len(s)-1)
	low := int(at)
	if low+1 >= len(s) {
		return s[len(s)-1]
	}
	return s[low] + (at-float64(low))*(s[low+1]-s[low])
}

// Mean needs one sample.
func (s samples) Mean() (float64, bool) {
	if len(s) == 0 {
		return 0, false
	}
	// Shifted by the smallest sample, so that large nanosecond values do not
	// cost the sum its last digits.
	sum := 0.0
	for _, v := range s {
		sum += v - s[0]
	}
	return s[0] + sum/float64(len(s)), true
}

// Min needs one sample.
func (s samples) Min() (float64, bool) {
	if len(s) == 0 {
		return 0, false
	}
	return s[0], true
}

// Max needs one sample.
func (s samples) Max() (float64, bool) {
	if len(s) == 0 {
		return 0, false
	}
	return s[len(s)-1], true
}

// MinSamples is how many samples the quantile q, in (0, 1), takes before it is a
// number: the smallest n with 1 − t^n ≥ 0.95, where t is the larger of q and
// 1 − q. That is what an order statistic needs to bound the quantile, on the side
// of its tail, with a confidence of 95 %: 5 for p50, 29 for p90 and p10, 59 for
// p95, 299 for p99.
func MinSamples(q float64) int {
	if !(q > 0 && q < 1) {
		return math.MaxInt
	}
	// For q close to 1, 1 − q is more exact than q.
	const risk = 0.05
	n := math.Ceil(math.Log(risk) / math.Log1p(-min(q, 1-q)))
	return int(min(n, 1<<53))
}

// MarshalJSON writes the summary; what the samples do not carry is null.
func (d Numbers) MarshalJSON() ([]byte, error) { return d.summary(1), nil }

// MarshalJSON writes the summary in seconds; what the samples do not carry is null.
func (d Durations) MarshalJSON() ([]byte, error) { return d.summary(float64(time.Second)), nil }

func (s samples) summary(unit float64) []byte {
	var b bytes.Buffer
	b.WriteString(`{"n":`)
	b.WriteString(strconv.Itoa(len(s)))
	write := func(name string, v float64, ok bool) {
		b.WriteString(`,"` + name + `":`)
		if ok {
			b.Write(appendFloat(nil, v/unit))
		} else {
			b.WriteString("null")
		}
	}
	for _, stat := range []struct {
		name string
		of   func() (float64, bool)
	}{
		{"mean", s.Mean},
		{"min", s.Min},
		{"p50", func() (float64, bool) { return s.Quantile(0.50) }},
		{"p90", func() (float64, bool) { return s.Quantile(0.90) }},
		{"p95", func() (float64, bool) { return s.Quantile(0.95) }},
		{"p99", func() (float64, bool) { return s.Quantile(0.99) }},
		{"max", s.Max},
	} {
		v, ok := stat.of()
		write(stat.name, v, ok)
	}
	b.WriteByte('}')
	return b.Bytes()
}
