package engine

import (
	"fmt"

	"scenario/internal/metric"
)

// timeoutsInRow is the fewest timeouts in a row, without any other end between
// them, that stop a level (and as many as it has slots): the target hangs, and
// every further one costs its whole time.
const timeoutsInRow = 3

// hangs is how many timeouts in a row stop what runs at a concurrency.
func hangs(concurrency int) int { return max(timeoutsInRow, concurrency) }

// failuresInRow is the fewest failures in a row that stop a window (and five times as
// many as it has slots): a server that refuses every request would be asked again and
// again, as fast as it refuses, until the window ends.
const failuresInRow = 50

// failureRow counts the failures since the last request that did not fail so.
type failureRow struct{ timeouts, failures int }

// add counts a request that has ended. It returns what became of the last ones, where
// a level must be stopped for it; empty: it need not.
func (f *failureRow) add(r *metric.Request, l *LevelPlan) string {
	f.timeouts++
	if r.Outcome != metric.OutcomeTimeout {
		f.timeouts = 0
	}
	f.failures++
	if !r.Failed() {
		f.failures = 0
	}
	switch {
	case f.timeouts >= hangs(l.least()):
		return fmt.Sprintf("the last %d all ran into a timeout", f.timeouts)
	case !l.countable() && f.failures >= max(failuresInRow, 5*l.Concurrency):
		return fmt.Sprintf("the last %d all failed", f.failures)
	}
	return ""
}
