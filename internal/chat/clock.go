package chat

import "time"

// Clock gives stamps. Tests put their own in the place of the real one.
type Clock interface{ Now() Stamp }

// NewClock returns a clock that counts monotonic nanoseconds from the moment it
// is made. It starts at 1, because a zero stamp means "never".
func NewClock() Clock { return monotonic{start: time.Now()} }

type monotonic struct{ start time.Time }

func (m monotonic) Now() Stamp { return Stamp(time.Since(m.start)) + 1 }

// A look at two clocks that takes longer than lookWidth was interrupted between
// them, and is taken again, up to maxLooks times.
const (
	lookWidth = Stamp(20 * time.Microsecond)
	maxLooks  = 4
)

// wall is the client's clock and the wall clock, in nanoseconds, at one moment. An
// interruption between the two would pass for a wall clock that was set.
func (m monotonic) wall() (at Stamp, wall int64) {
	for range maxLooks {
		before := m.Now()
		now := time.Now() // reads both, one after the other
		at, wall = Stamp(now.Sub(m.start))+1, now.UnixNano()
		if at-before <= lookWidth {
			break
		}
	}
	return at, wall
}
