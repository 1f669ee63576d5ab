// Package nap waits for short times. In go the times; nothing comes out but their
// end, nearer to when it should be than with the timers of the runtime, whose steps
// are up to a millisecond.
package nap

import (
	"syscall"
	"time"
)

// Sleep pauses the thread of the caller. A signal may end it early.
func Sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}
