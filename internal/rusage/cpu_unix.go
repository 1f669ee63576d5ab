//go:build unix

// Package rusage says what this process has used of the machine.
package rusage

import (
	"syscall"
	"time"
)

// CPUTime is the CPU time of all threads of this process; 0: not known.
func CPUTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
