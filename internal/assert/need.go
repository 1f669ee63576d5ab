package assert

import (
	"strconv"

	"scenario/internal/metric"
)

// figures are the members of a distribution.
var figures = []string{"p50", "p90", "p95", "p99", "mean", "min", "max", "n"}

// Need is one figure of a distribution that a check reads.
type Need struct {
	Path     string  // the distribution's dotted path, its root's name included: "ttft", "baseline.ttft"; below its list for an element's
	Root     int     // index of the root that it belongs to
	Figure   string  // as the check names it: "p95", "mean"
	Quantile float64 // in (0, 1); 0 for mean, min and max
	Samples  int     // the fewest that make the figure known
	Asked    bool    // the check asks known(…) of it too, so it may be decided without
}

// figure is a member of a distribution: a quantile, or one by its name.
type figure struct {
	name string
	q    float64 // 0: no quantile
}

// figureOf is the figure with one of the names of figures.
func figureOf(name string) figure {
	if x, err := strconv.ParseFloat(name[1:], 64); err == nil {
		f, _ := percentile(x)
		return f
	}
	return figure{name: name}
}

// percentile is the figure at x per cent; false when x is not between 0 and 100.
func percentile(x float64) (figure, bool) {
	// The decimal point moves in the text: 99.9 / 100 would not be 0.999.
	q, err := strconv.ParseFloat(plain(x)+"e-2", 64)
	return figure{name: "p" + plain(x), q: q}, err == nil && q > 0 && q < 1
}

// samples is the fewest samples that make the figure known.
func (f figure) samples() int {
	switch {
	case f.q > 0:
		return metric.MinSamples(f.q)
	case f.name == "n":
		return 0
	}
	return 1
}

// of reads the figure; false where it is unknown.
func (f figure) of(d distribution) (float64, bool) {
	if d.Count() < f.samples() {
		return 0, false
	}
	var v float64
	var known bool
	switch f.name {
	case "n":
		return float64(d.Count()), true
	case "mean":
		v, known = d.Mean()
	case "min":
		v, known = d.Min()
	case "max":
		v, known = d.Max()
	default:
		v, known = d.Quantile(f.q)
	}
	v, ok := finite(v)
	return v, known && ok
}
