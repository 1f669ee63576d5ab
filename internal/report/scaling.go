package report

import (
	"fmt"
	"slices"
	"strings"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

// scaling says how throughput grows over a phase's accepted levels, in lines. Of a
// single level there is nothing to say, nor where none is accepted.
func scaling(p *engine.PhaseResult) []string {
	s := p.Scaling
	accepted := func(l *engine.LevelResult) bool { return l.State == engine.Accepted }
	if s == nil || len(p.Levels) < 2 || !slices.ContainsFunc(p.Levels, accepted) {
		return nil
	}
	name := func(at float64) string {
		i := slices.IndexFunc(p.Levels, func(l *engine.LevelResult) bool { return max(float64(l.Concurrency), l.Rate) == at })
		return levelName(p.Levels[i])
	}
	var words []string
	if s.KneeFound != "" {
		words = append(words, "knee "+knee(s))
	}
	if _, ok := s.PeakOutputTPS.Number(); ok {
		words = append(words, fmt.Sprintf("peak %s tok/s at %s", number(s.PeakOutputTPS), name(s.PeakAt)))
	}
	if s.SLOCapacity > 0 {
		words = append(words, "SLO capacity "+name(s.SLOCapacity))
	} else {
		words = append(words, "no SLO capacity: the lowest level is not accepted")
	}
	if class, ok := s.ScalingClass.Text(); ok {
		words = append(words, class+" at the end")
	}
	if wall, ok := s.Wall.Text(); ok {
		words = append(words, "wall: "+wall)
	}
	lines := []string{strings.Join(words, " · ")}
	if len(s.Steps) > 0 {
		lines = append(lines, steps(p))
	}
	return lines
}

// knee is the knee and what it rests on.
func knee(s *metric.Scaling) string {
	switch at := number0(s.Knee); s.KneeFound {
	case metric.KneeBeyond:
		return "≥ " + at + " (not reached)"
	case metric.KneeOneStep:
		return "~ " + at + " (by one step: add a level)"
	case metric.KneeAtStart:
		return at + " (saturating from the start)"
	default:
		return at
	}
}

// number0 writes a whole number.
func number0(n metric.Number) string {
	v, _ := n.Number()
	return fmt.Sprintf("%.0f", v)
}

// steps are the elasticities between levels, and the levels' efficiencies.
func steps(p *engine.PhaseResult) string {
	var elasticity, efficiency []string
	for _, s := range p.Scaling.Steps {
		elasticity = append(elasticity, fmt.Sprintf("%d→%d %s", s.From, s.To, signed(s.Elasticity)))
	}
	for _, l := range p.Levels {
		if l.State != engine.Accepted || l.Figures == nil || l.Concurrency == 1 {
			continue
		}
		if _, ok := l.Figures.Efficiency.Number(); ok {
			efficiency = append(efficiency, fmt.Sprintf("%d %s", l.Concurrency, signed(l.Figures.Efficiency)))
		}
	}
	text := "elasticity " + strings.Join(elasticity, ", ")
	if len(efficiency) > 0 {
		text += " · efficiency at " + strings.Join(efficiency, ", ")
	}
	return text
}

// signed writes a ratio with two digits behind the point.
func signed(n metric.Number) string {
	v, ok := n.Number()
	if !ok {
		return dash
	}
	return fmt.Sprintf("%.2f", v)
}

// summaryLevel is a phase's summary in the form of a level, of no concurrency, so
// that every report treats it as it treats those; nil: it has none.
func summaryLevel(p *engine.PhaseResult) *engine.LevelResult {
	if p.Summary == nil {
		return nil
	}
	return &engine.LevelResult{State: p.Summary.State, Reason: p.Summary.Reason, Gated: p.Summary.Gated, Checks: p.Summary.Checks}
}

// judged are a phase's levels, and its summary behind them.
func judged(p *engine.PhaseResult) []*engine.LevelResult {
	levels := p.Levels[:len(p.Levels):len(p.Levels)]
	if s := summaryLevel(p); s != nil {
		levels = append(levels, s)
	}
	return levels
}
