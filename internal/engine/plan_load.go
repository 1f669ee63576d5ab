package engine

import (
	"fmt"
	"strings"

	"scenario/internal/metric"
)

// unsteady is why a figure can't be known that a load has only if it lasts, or runs
// steadily; false: it can.
func (ph *PhasePlan) unsteady(path string, l *LevelPlan) (shortfall, bool) {
	load := ph.Spec.Load
	switch name, _, _ := strings.Cut(path, "."); {
	case name == "minutes" && load.Duration < metric.MinutesFrom:
		return shortfall{
			path: path, why: fmt.Sprintf("figures per minute are those of a load by the clock of %v or more", metric.MinutesFrom),
			fix: "load: {mode: window, duration: 10m}",
		}, true
	case (name == "output_tps_steady" || name == "steady") && load.Mode == "wave":
		return shortfall{path: path, why: "no part of a wave is steady", fix: "load: {mode: closed}, or output_tps"}, true
	case name == "output_tps_steady" && load.Mode == "closed" && l.Sessions <= 3*l.Concurrency:
		return shortfall{path: path, why: fmt.Sprintf("%d requests at C=%d are at most %d per slot, and the steady part takes 3 beside its ends", l.Sessions, l.Concurrency, (l.Sessions+l.Concurrency-1)/l.Concurrency), fix: "load: {requests: 6x}"}, true
	}
	return shortfall{}, false
}
