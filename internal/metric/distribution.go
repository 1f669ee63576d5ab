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

// samples are sorted; or, once they have been summed up, gone.
type samples struct {
	values []float64
	beyond int // further samples, of which it is known only that they are larger than these
	kept   *summary
}

// summary is what is kept of samples that were let go.
type summary struct {
	n                 int
	mean, least, most float64
	open              bool // mean and most are not known: some samples are larger than any that was measured
	quantiles         map[float64]float64
}

// printed are the quantiles that reports print.
var printed = [...]float64{0.50, 0.90, 0.95, 0.99}

// Printed reports whether q is one of the quantiles that reports print.
func Printed(q float64) bool { return slices.Contains(printed[:], q) }

// Condensed reports whether of a level's distribution only the printed figures are
// kept once the level is over (see Release).
func Condensed(variable string) bool {
	return slices.Contains([]string{"gap", "itl", "client.lag"}, variable)
}

func newSamples(values []float64) samples {
	values = slices.DeleteFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	slices.Sort(values)
	return samples{values: values}
}

// summarise keeps the figures that reports print and lets the samples go.
func (s *samples) summarise() {
	if len(s.values) == 0 {
		return
	}
	k := &summary{n: s.Count(), open: s.beyond > 0, quantiles: map[float64]float64{}}
	k.mean, _ = s.Mean()
	k.least, k.most = s.values[0], s.values[len(s.values)-1]
	for _, q := range printed {
		if v, ok := s.Quantile(q); ok {
			k.quantiles[q] = v
		}
	}
	*s = samples{kept: k}
}

// Count is the number of samples.
func (s samples) Count() int {
	if s.kept != nil {
		return s.kept.n
	}
	return len(s.values) + s.beyond
}

// Beyond is how many of the samples are known only to be larger than all others.
func (s samples) Beyond() int { return s.beyond }

// Quantile is the q-quantile (0 < q < 1) by linear interpolation at (n−1)·q. It
// is unknown with fewer than MinSamples(q) samples.
func (s samples) Quantile(q float64) (float64, bool) {
	if s.kept != nil {
		v, ok := s.kept.quantiles[q]
		return v, ok
	}
	n := s.Count()
	if !(q > 0 && q < 1) || n < MinSamples(q) {
		return 0, false
	}
	if s.beyond == 0 {
		return Interpolate(s.values, q), true
	}
	return s.below(q * float64(n-1))
}

// below interpolates at a rank among all samples, and is unknown where that reaches
// those that are larger than any measured one.
func (s samples) below(rank float64) (float64, bool) {
	low := int(rank)
	high := min(low+1, s.Count()-1)
	if rank == float64(low) {
		high = low
	}
	if high >= len(s.values) {
		return 0, false
	}
	return s.values[low] + (rank-float64(low))*(s.values[high]-s.values[low]), true
}

// Interpolate is the q-quantile of at least one sorted value, linear at (n−1)·q,
// whatever their number.
func Interpolate(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// Tail is the 99th percentile, or the largest of samples too few to have one.
func (d Durations) Tail() Duration {
	v, ok := d.Quantile(0.99)
	if !ok {
		v, ok = d.Max()
	}
	return Duration{time.Duration(v), ok}
}

// Mean needs one sample, and none that is larger than any measured one.
func (s samples) Mean() (float64, bool) {
	switch {
	case s.kept != nil:
		return s.kept.mean, !s.kept.open
	case len(s.values) == 0 || s.beyond > 0:
		return 0, false
	}
	// Shifted by the smallest sample, so that large nanosecond values do not
	// cost the sum its last digits.
	sum, least := 0.0, s.values[0]
	for _, v := range s.values {
		sum += v - least
	}
	return least + sum/float64(len(s.values)), true
}

// Min needs one sample.
func (s samples) Min() (float64, bool) {
	switch {
	case s.kept != nil:
		return s.kept.least, true
	case len(s.values) == 0:
		return 0, false
	}
	return s.values[0], true
}

// Max needs one sample, and none that is larger than any measured one.
func (s samples) Max() (float64, bool) {
	switch {
	case s.kept != nil:
		return s.kept.most, !s.kept.open
	case len(s.values) == 0 || s.beyond > 0:
		return 0, false
	}
	return s.values[len(s.values)-1], true
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
	b.WriteString(strconv.Itoa(s.Count()))
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
