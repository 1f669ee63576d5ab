package engine

import (
	"fmt"

	"scenario/internal/metric"
)

// unsteady is why a figure can't be known that a load has only if it lasts, or runs
// steadily; false: it can.
func (ph *PhasePlan) unsteady(path string, l *LevelPlan) (shortfall, bool) {
	load := ph.Spec.Load
	switch {
	case path == "minutes" && load.Duration < metric.MinutesFrom:
		return shortfall{
			path: path, why: fmt.Sprintf("figures per minute are those of a load by the clock of %s or more", metric.Clock(metric.MinutesFrom)),
			fix: "load: {mode: window, duration: 10m}",
		}, true
	case (path == "output_tps_steady" || path == "steady") && load.Mode == "wave":
		return shortfall{path: path, why: "no part of a wave is steady", fix: "load: {mode: closed}, or output_tps"}, true
	case path == "output_tps_steady" && load.Mode == "closed" && l.Sessions <= 3*l.Concurrency:
		return shortfall{path: path, why: fmt.Sprintf("%d requests at C=%d are at most %d per slot, and the steady part takes 3 beside its ends", l.Sessions, l.Concurrency, (l.Sessions+l.Concurrency-1)/l.Concurrency), fix: "load: {requests: 6x}"}, true
	}
	return shortfall{}, false
}
