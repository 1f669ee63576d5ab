package engine

import (
	"sync/atomic"
	"time"

	"scenario/internal/target"
)

// Observer is told how a run goes on. Observe must not block.
type Observer interface {
	Observe(Event)
}

// Event is one of the types below.
type Event any

// The events of a run, in the order in which they come.
type (
	// Waiting: the target does not work yet; the run waits for it.
	Waiting struct{ Reason string }
	// TargetFound: the target works.
	TargetFound struct{ Facts *target.Facts }
	// PhaseStarted: the levels of a phase follow.
	PhaseStarted struct{ Phase *PhasePlan }
	// LevelStarted: the warm-up and the load of a level follow; Live counts it.
	LevelStarted struct {
		Phase *PhasePlan
		Level *LevelPlan
		Live  *Live
	}
	// LevelEnded: the level was judged, or skipped.
	LevelEnded struct {
		Phase  *PhasePlan
		Result *LevelResult
	}
)

// Live is a level that is being measured: counts, no speeds. It may be read at
// any time.
type Live struct {
	Planned  int           // sessions; 0: as many as come to be in a window
	Lasts    time.Duration // how long a window is
	Ends     atomic.Int64  // when it is over, in Unix nanoseconds
	Done     atomic.Int64
	InFlight atomic.Int64
	Failed   atomic.Int64
	WarmedUp atomic.Bool // the warm-up is over
}

// Store keeps what a run leaves behind. Its methods are called one at a time.
type Store interface {
	// Request keeps one finished request.
	Request(RequestLine) error
	// Result keeps the result as it stands; each call replaces the last.
	Result(*Result) error
}
