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
			found := l.Figures
			if found == nil {
				found = l.Withheld
			}
			if found != nil {
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

// clientFigures are the largest of several levels; a figure that no level knows
// stays unknown.
type clientFigures struct {
	lag, lagTail, lagMax, send, pause time.Duration
	hasLag, hasSend, hasPause         bool
	together, cpu                     metric.Number
	cores                             int
	kernel                            metric.Number // the least of all
}

func (w *clientFigures) add(c *metric.Client) {
	if p50, ok := c.Lag.Quantile(0.5); ok {
		w.lag, w.hasLag = max(w.lag, time.Duration(p50)), true
	}
	w.lagTail = max(w.lagTail, tail(c.Lag))
	if most, ok := c.Lag.Max(); ok {
		w.lagMax = max(w.lagMax, time.Duration(most))
	}
	if _, ok := c.SendLag.Max(); ok {
		w.send, w.hasSend = max(w.send, tail(c.SendLag)), true
	}
	if pause, ok := c.GCPause.Duration(); ok {
		w.pause, w.hasPause = max(w.pause, pause), true
	}
	w.together, w.cpu = larger(w.together, c.CoalescedRatio), larger(w.cpu, c.CPURatio)
	w.kernel = smaller(w.kernel, c.KernelRatio)
	w.cores = max(w.cores, c.Cores)
}

func (w *clientFigures) words(trial *engine.Trial) []string {
	var words []string
	if w.hasLag {
		words = append(words, fmt.Sprintf("events handled %s late (p50), %s (p99), %s (max)", span(w.lag), span(w.lagTail), span(w.lagMax)))
	}
	if v, ok := w.together.Number(); ok {
		words = append(words, fmt.Sprintf("%s of them shared a read", percent(v)))
	}
	if v, ok := w.cpu.Number(); ok {
		words = append(words, fmt.Sprintf("CPU %s of %d cores", percent(v), w.cores))
	}
	if w.hasPause && w.pause > 0 {
		words = append(words, "GC pause "+span(w.pause))
	}
	if w.hasSend {
		words = append(words, fmt.Sprintf("requests sent %s late (p99)", span(w.send)))
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

// tail is the 99th percentile, or the maximum of samples too few to have one.
func tail(d metric.Durations) time.Duration {
	if v, ok := d.Quantile(0.99); ok {
		return time.Duration(v)
	}
	v, _ := d.Max()
	return time.Duration(v)
}

func larger(a, b metric.Number) metric.Number {
	x, known := a.Number()
	if y, ok := b.Number(); ok && (!known || y > x) {
		return b
	}
	return a
}

func smaller(a, b metric.Number) metric.Number {
	x, known := a.Number()
	if y, ok := b.Number(); ok && (!known || y < x) {
		return b
	}
	return a
}

// percent writes a share: 3 %, or 0.4 % of what is below one.
func percent(share float64) string {
	if share > 0 && share < 0.01 {
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
