package report

import (
	"fmt"
	"time"
	"unicode/utf8"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

// client prints what the program found out about itself.
func (t terminal) client(r *engine.Result) {
	if words := aboutClient(r); len(words) > 0 {
		fmt.Fprintf(t, "\n%s\n", t.dim.Sprint("client, at its worst level:"))
		for _, line := range lines(words) {
			fmt.Fprintf(t, "  %s\n", line)
		}
	}
}

// aboutClient is what the program found out about itself: the worst of all levels.
// Whoever doubts a figure looks here first.
func aboutClient(r *engine.Result) []string {
	var worst clientFigures
	for _, phase := range r.Phases {
		for _, l := range phase.Levels {
			if found := l.Found(); found != nil {
				worst.add(&found.Client)
			}
		}
	}
	return worst.words(r.Trial)
}

// lines puts words together up to the width of a common terminal.
func lines(words []string) []string {
	const width = 100
	var out []string
	for _, word := range words {
		if last := len(out) - 1; last >= 0 && utf8.RuneCountInString(out[last]+word) < width {
			out[last] += " · " + word
		} else {
			out = append(out, word)
		}
	}
	return out
}

// clientFigures are the worst of several levels; a figure that no level knows
// stays unknown.
type clientFigures struct {
	lag, lagTail, lagMax, send, pause metric.Duration
	together, cpu, kernel             metric.Number // of kernel the least is the worst
	cores                             int
}

func (w *clientFigures) add(c *metric.Client) {
	median, known := c.Lag.Quantile(0.5)
	w.lag = longest(w.lag, time.Duration(median), known)
	tail, known := c.Lag.Tail().Duration()
	w.lagTail = longest(w.lagTail, tail, known)
	most, known := c.Lag.Max()
	w.lagMax = longest(w.lagMax, time.Duration(most), known)
	late, known := c.SendLag.Tail().Duration()
	w.send = longest(w.send, late, known)
	pause, known := c.GCPause.Duration()
	w.pause = longest(w.pause, pause, known)
	w.together = extreme(w.together, c.CoalescedRatio, 1)
	w.cpu = extreme(w.cpu, c.CPURatio, 1)
	w.kernel = extreme(w.kernel, c.KernelRatio, -1)
	w.cores = max(w.cores, c.Cores)
}

// longest is the longer of two durations, of which either may be unknown.
func longest(a metric.Duration, b time.Duration, known bool) metric.Duration {
	if v, ok := a.Duration(); known && (!ok || b > v) {
		return metric.Span(b)
	}
	return a
}

// extreme is the larger of two numbers, or with sign -1 the smaller, of which either
// may be unknown.
func extreme(a, b metric.Number, sign float64) metric.Number {
	x, known := a.Number()
	if y, ok := b.Number(); ok && (!known || sign*y > sign*x) {
		return b
	}
	return a
}

func (w *clientFigures) words(trial *engine.Trial) []string {
	var words []string
	if lag, ok := w.lag.Duration(); ok {
		tail, _ := w.lagTail.Duration()
		most, _ := w.lagMax.Duration()
		words = append(words, fmt.Sprintf("events handled %s late (p50), %s (p99), %s (max)", span(lag), span(tail), span(most)))
	}
	if v, ok := w.together.Number(); ok {
		words = append(words, fmt.Sprintf("%s of them shared a read", percent(v)))
	}
	if v, ok := w.cpu.Number(); ok {
		words = append(words, fmt.Sprintf("CPU %s of %d cores", percent(v), w.cores))
	}
	if pause, _ := w.pause.Duration(); pause > 0 {
		words = append(words, "GC pause "+span(pause))
	}
	if late, ok := w.send.Duration(); ok {
		words = append(words, fmt.Sprintf("requests sent %s late (p99)", span(late)))
	}
	switch v, ok := w.kernel.Number(); {
	case !ok:
	case v == 1:
		words = append(words, "arrivals stamped by the kernel")
	case v == 0:
		words = append(words, "arrivals stamped after the read")
	default:
		words = append(words, fmt.Sprintf("%s of arrivals stamped by the kernel, the others after the read", percent(v)))
	}
	if trial != nil && len(words) > 0 {
		lag, _ := trial.LagP99.Duration()
		words = append(words, fmt.Sprintf("tried before with %d streams: %s late (p99)", trial.Streams, span(lag)))
	}
	return words
}

// percent writes a share: 3 %, 0.4 % where it is below one, and never 0 of something.
func percent(share float64) string {
	switch {
	case share > 0 && share < 0.001:
		return "<0.1 %"
	case share > 0 && share < 0.01:
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
