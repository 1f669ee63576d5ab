package report

import (
	"strconv"
	"time"

	"scenario/internal/metric"
)

// dash stands where there is no figure to show.
const dash = "—"

// number writes a rate or a count with three digits or all of its whole ones.
func number(n metric.Number) string {
	v, ok := n.Number()
	if !ok {
		return dash
	}
	return float(v)
}

func float(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// span writes a duration for people: 45.2 µs, 812 ms, 2.31 s, 4m5s.
func span(d time.Duration) string {
	seconds := d.Seconds()
	switch {
	case d < time.Millisecond:
		return float(seconds*1e6) + " µs"
	case d < time.Second:
		return float(seconds*1e3) + " ms"
	case d < 2*time.Minute:
		return float(seconds) + " s"
	}
	return d.Round(time.Second).String()
}

// quantile writes one of a distribution of durations.
func quantile(d metric.Durations, q float64) string {
	v, ok := d.Quantile(q)
	if !ok {
		return dash
	}
	return span(time.Duration(v))
}
