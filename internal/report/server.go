package report

import (
	"fmt"
	"slices"
	"strings"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

// server prints what the server said of its load, level by level.
func (t terminal) server(p *engine.PhaseResult) {
	for i, line := range serverLines(p) {
		lead := "        "
		if i == 0 {
			lead = "server  "
		}
		fmt.Fprintf(t, "  %s%s\n", t.dim.Sprint(lead), line)
	}
}

// driftLine says how the target fared alone before and after a phase, where no guard
// took offence at it and figures of the phase are shown at all.
func driftLine(p *engine.PhaseResult) string {
	d := p.Drift
	if d == nil || d.Failed != "" || !slices.ContainsFunc(p.Levels, func(l *engine.LevelResult) bool { return l.State.Shown() }) {
		return ""
	}
	return fmt.Sprintf("alone at C=1: median %s %s before the phase, %s after", d.Measure, quantile(d.Before, 0.5), quantile(d.After, 0.5))
}

// serverLines says what the server's gauges and counters showed at each level.
func serverLines(p *engine.PhaseResult) []string {
	var lines []string
	for _, l := range p.Levels {
		if found := l.Found(); found != nil {
			if words := serverWords(&found.Server); len(words) > 0 {
				lines = append(lines, levelName(l)+": "+strings.Join(words, " · "))
			}
		}
	}
	if line := driftLine(p); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// serverWords are the parts of it that are known.
func serverWords(s *metric.Server) []string {
	var words []string
	add := func(n metric.Number, say func(float64) string) {
		if v, known := n.Number(); known {
			words = append(words, say(v))
		}
	}
	add(s.RunningMax, func(v float64) string { return fmt.Sprintf("up to %.0f running", v) })
	add(s.WaitingMax, func(v float64) string { return fmt.Sprintf("%.0f waiting", v) })
	add(s.KVUsageMax, func(v float64) string { return percent(v) + " of the KV cache in use" })
	add(s.SpecAcceptRatio, func(v float64) string { return percent(v) + " of drafted tokens accepted" })
	return words
}
