package chat

import "time"

// Clock gives stamps. Tests put their own in the place of the real one.
type Clock interface{ Now() Stamp }

// NewClock returns a clock that counts monotonic nanoseconds from the moment it
// is made. It starts at 1, because a zero stamp means "never".
func NewClock() Clock { return monotonic{start: time.Now()} }

type monotonic struct{ start time.Time }

func (m monotonic) Now() Stamp { return Stamp(time.Since(m.start)) + 1 }

// wall is the client's clock and the wall clock, in nanoseconds, at one moment.
func (m monotonic) wall() (Stamp, int64) {
	now := time.Now()
	return Stamp(now.Sub(m.start)) + 1, now.UnixNano()
}
