package chat

import (
	"sync/atomic"
	"time"
)

// kernelTime maps the kernel's receive stamps, which are of the wall clock, to
// the client's clock. The wall clock may be set while a run goes on: a stamp from
// before that would be off by the whole step, so it is not used.
type kernelTime struct {
	now func() (Stamp, int64) // the client's clock and the wall clock (ns), at one moment

	offset  atomic.Int64 // wall − client, as last seen
	seen    atomic.Int64 // ... at this moment
	stepped atomic.Int64 // the last moment at which a step was noticed; zero: never

	refused atomic.Int64 // stamps that were not used
}

// The wall clock may drift against the client's by slewing (0.5 ms in a second);
// what goes beyond is a step.
const (
	stepFloor = 2 * int64(time.Millisecond)
	slewLimit = 1000 // one part in this many
	lookEvery = 100 * int64(time.Millisecond)
)

func newKernelTime(now func() (Stamp, int64)) *kernelTime {
	k := &kernelTime{now: now}
	at, wall := now()
	k.offset.Store(wall - int64(at))
	k.seen.Store(int64(at))
	return k
}

// arrival is the moment on the client's clock of a stamp of the kernel (ns of the
// wall clock) that was just read. Where the stamp cannot be right it is the
// present moment, and false.
func (k *kernelTime) arrival(stamp int64) (Stamp, bool) {
	at, wall := k.now()
	k.look(int64(at), wall)
	lag := wall - stamp
	arrived := int64(at) - lag
	if lag < 0 || lag > int64(maxLag) || arrived < k.stepped.Load() {
		k.refused.Add(1)
		return at, false
	}
	return Stamp(arrived), true
}

// look notices when the wall clock was set.
func (k *kernelTime) look(at, wall int64) {
	since := at - k.seen.Load()
	drift := wall - at - k.offset.Load()
	if drift < 0 {
		drift = -drift
	}
	switch {
	case drift > stepFloor+max(0, since)/slewLimit:
		k.stepped.Store(at)
		k.offset.Store(wall - at)
		k.seen.Store(at)
	case since > lookEvery:
		k.offset.Store(wall - at)
		k.seen.Store(at)
	}
}
