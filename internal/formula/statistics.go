package formula

import (
	"slices"
	"time"

	"scenario/internal/metric"
)

// wave is the requests that were started together.
type wave []*metric.Request

// waves are the requests in groups of the level's concurrency, in the order of
// their sending.
func (l Level) waves() []wave {
	var waves []wave
	for _, r := range l.Requests {
		n := r.Index / max(1, l.Concurrency)
		for len(waves) <= n {
			waves = append(waves, nil)
		}
		waves[n] = append(waves[n], r)
	}
	return slices.DeleteFunc(waves, func(w wave) bool { return len(w) == 0 })
}

// wall is the time from the first start to the last end, in nanoseconds.
func (w wave) wall() float64 {
	var first, last int64
	for _, r := range w {
		if r.At.Called != 0 && (first == 0 || r.At.Called < first) {
			first = r.At.Called
		}
		last = max(last, r.At.Returned)
	}
	return float64(max(0, last-first))
}

func seconds(nanoseconds float64) float64 { return nanoseconds / 1e9 }

func lasting(nanoseconds float64) metric.Duration { return metric.Span(time.Duration(nanoseconds)) }

// mean of nanoseconds; unknown of none.
func mean(values []float64) metric.Duration {
	n, known := average(values).Number()
	if !known {
		return metric.Duration{}
	}
	return lasting(n)
}

// percentile of nanoseconds, by linear interpolation at (n−1)·q, at any n; unknown
// of none.
func percentile(values []float64, q float64) metric.Duration {
	n, known := quantile(values, q).Number()
	if !known {
		return metric.Duration{}
	}
	return lasting(n)
}

// average is the mean of numbers; unknown of none.
func average(values []float64) metric.Number {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return metric.Ratio(metric.Known(sum), metric.Count(len(values)))
}

// quantile of numbers, as percentile.
func quantile(values []float64, q float64) metric.Number {
	if len(values) == 0 {
		return metric.Number{}
	}
	return metric.Known(metric.Interpolate(slices.Sorted(slices.Values(values)), q))
}
