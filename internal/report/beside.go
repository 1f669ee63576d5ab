package report

import (
	"fmt"
	"strings"

	"scenario/internal/engine"
	"scenario/internal/spec"
)

// beside are a level's figures that have no column in its phase's table.
func beside(l *engine.LevelResult) []string {
	if l.Figures == nil {
		return nil
	}
	var lines []string
	if share, ok := l.Figures.SLOAttainmentRatio.Number(); ok {
		lines = append(lines, fmt.Sprintf("within the limits: %.0f of %d requests · goodput %s requests/s", share*float64(l.Figures.Issued), l.Figures.Issued, number(l.Figures.Goodput)))
	}
	return append(append(lines, loadWords(l)...), formulas(l)...)
}

// limits writes a phase's limits of one request; empty: it has none.
func limits(l spec.Limits) string {
	var words []string
	for _, limit := range []struct {
		name string
		text string
		set  bool
	}{
		{"ttft", span(l.TTFT), l.TTFT > 0},
		{"ttfc", span(l.TTFC), l.TTFC > 0},
		{"tpot", span(l.TPOT), l.TPOT > 0},
		{"e2e", span(l.E2E), l.E2E > 0},
	} {
		if limit.set {
			words = append(words, limit.name+" "+limit.text)
		}
	}
	return strings.Join(words, ", ")
}
