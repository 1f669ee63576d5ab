package report

import (
	"fmt"
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
