package engine

import (
	"cmp"
	"fmt"
	"strconv"

	"scenario/internal/spec"
)

// warmupWidth is the most warm-up sessions at once before a level of a rate, which
// has no number of slots.
const warmupWidth = 32

// axis is what tells the levels of a phase apart.
type axis struct {
	concurrency int     // 0: at a rate
	rate        float64 // sessions per second; 0: not at a rate
}

// axes are the levels of a phase, in order.
func axes(s *spec.Phase) []axis {
	var list []axis
	if s.Load.Mode == "rate" {
		for _, rate := range s.Load.Rates {
			list = append(list, axis{rate: rate})
		}
		return list
	}
	for _, c := range s.Concurrency {
		list = append(list, axis{concurrency: c})
	}
	return list
}

// compare orders levels.
func (a axis) compare(b axis) int {
	return cmp.Or(cmp.Compare(a.concurrency, b.concurrency), cmp.Compare(a.rate, b.rate))
}

// value is the level's place on its axis: 8, or 2.5/s.
func (a axis) value() string {
	if a.rate > 0 {
		return strconv.FormatFloat(a.rate, 'g', -1, 64) + "/s"
	}
	return strconv.Itoa(a.concurrency)
}

// String names the level within its phase: C=8, or 2.5/s.
func (a axis) String() string {
	if a.rate > 0 {
		return a.value()
	}
	return "C=" + a.value()
}

func (l *LevelPlan) axis() axis { return axis{l.Concurrency, l.Rate} }

// Name names the level within its phase: C=8, or 2.5/s.
func (l *LevelPlan) Name() string { return l.axis().String() }

// Value is the level's place on its axis: 8, or 2.5/s.
func (l *LevelPlan) Value() string { return l.axis().value() }

// Name names the level within its phase: C=8, or 2.5/s.
func (l *LevelResult) Name() string { return axis{l.Concurrency, l.Rate}.String() }

// Value is the level's place on its axis: 8, or 2.5/s.
func (l *LevelResult) Value() string { return axis{l.Concurrency, l.Rate}.value() }

// width is how many sessions may be in flight at once.
func (l *LevelPlan) width() int {
	if l.Rate > 0 {
		return l.inFlight
	}
	return l.Concurrency
}

// least is how many sessions are in flight at once for certain: those of the
// warm-up, before a level of a rate.
func (l *LevelPlan) least() int {
	if l.Rate > 0 {
		return min(l.inFlight, warmupWidth)
	}
	return l.Concurrency
}

// joinedAxes lists levels of one phase: C=1, 4, or 0.5/s, 2/s.
func joinedAxes(list []axis) string {
	text := ""
	for i, a := range list {
		switch {
		case i == 0:
			text = a.String()
		default:
			text += ", " + a.value()
		}
	}
	return text
}

// Names lists levels of one phase: C=1, 4, or 0.5/s, 2/s.
func Names(levels []*LevelResult) string {
	var list []axis
	for _, l := range levels {
		list = append(list, axis{l.Concurrency, l.Rate})
	}
	return joinedAxes(list)
}

// where is a condition that holds from a level on: concurrency >= 8.
func (a axis) where() string {
	if a.rate > 0 {
		return fmt.Sprintf("rate >= %g", a.rate)
	}
	return fmt.Sprintf("concurrency >= %d", a.concurrency)
}
