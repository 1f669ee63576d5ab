package nullserver

import (
	"syscall"
	"time"
)

// sharpenSleep makes the sleeps of this thread end when they should, and returns
// what undoes that: the kernel adds 50 µs of slack otherwise.
func sharpenSleep() (undo func()) {
	set := func(slack uintptr) {
		_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_TIMERSLACK, slack, 0)
	}
	set(1)
	return func() { set(0) } // 0: the default
}

// sleep pauses this thread. The timers of the runtime have steps of a millisecond.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil)
}

// prepareListener makes sure that the kernel does not pace what the server's sockets
// send, as some congestion controls do.
func prepareListener(_, _ string, raw syscall.RawConn) error {
	return raw.Control(func(fd uintptr) {
		const tcpCongestion = 13
		_ = syscall.SetsockoptString(int(fd), syscall.IPPROTO_TCP, tcpCongestion, "cubic")
	})
}
