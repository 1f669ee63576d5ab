//go:build unix

package main

import (
	"math"
	"syscall"
)

// descriptorLimit is how many files this process may open; 0: not known. The Go
// runtime has raised the soft limit to the hard one already.
func descriptorLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}
