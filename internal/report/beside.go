package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"scenario/internal/engine"
	"scenario/internal/metric"
	"scenario/internal/spec"
)

// beside are a level's figures that have no column in its phase's table.
func beside(l *engine.LevelResult) []string {
	if l.Figures == nil {
		return nil
	}
	var lines []string
	if share, ok := l.Figures.SLOAttainmentRatio.Number(); ok {
		lines = append(lines, fmt.Sprintf("within the limits: %.0f of %d requests · goodput %s requests/s", share*float64(l.Figures.Issued+l.Figures.CutCount), l.Figures.Issued+l.Figures.CutCount, number(l.Figures.Goodput)))
	}
	if text := spread(l.Repeats); text != "" {
		lines = append(lines, text)
	}
	return append(append(lines, loadWords(l)...), formulas(l)...)
}

// spread says how far the runs of a level lie apart; empty: there is one alone.
func spread(runs []engine.RepeatResult) string {
	if len(runs) < 2 {
		return ""
	}
	words := []string{fmt.Sprintf("%d repeats", len(runs))}
	for _, figure := range []struct {
		name string
		of   func(*metric.Level) (float64, bool)
		text func(float64) string
	}{
		{"output tok/s", func(l *metric.Level) (float64, bool) { return l.OutputTPS.Number() }, float},
		{"TTFT p50", func(l *metric.Level) (float64, bool) { return l.TTFT.Quantile(0.5) }, nanoseconds},
		{"TPOT p50", func(l *metric.Level) (float64, bool) { return l.TPOT.Quantile(0.5) }, nanoseconds},
	} {
		var values []float64
		for _, r := range runs {
			if r.Figures == nil {
				continue
			}
			if v, ok := figure.of(r.Figures); ok {
				values = append(values, v)
			}
		}
		if len(values) < len(runs) {
			continue
		}
		low, high := slices.Min(values), slices.Max(values)
		text := fmt.Sprintf("%s %s to %s", figure.name, figure.text(low), figure.text(high))
		if high > 0 {
			text += fmt.Sprintf(" (%.1f %% apart)", 100*(high-low)/high)
		}
		words = append(words, text)
	}
	return strings.Join(words, " · ")
}

func nanoseconds(v float64) string { return span(time.Duration(v)) }

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
