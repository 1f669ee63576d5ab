//go:build unix

package engine

import (
	"syscall"
	"time"
)

// cpuTime is the CPU time that this process has used; 0: not known.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
