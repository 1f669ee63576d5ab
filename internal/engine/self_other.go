//go:build !unix

package engine

import "time"

// cpuTime is the CPU time that this process has used; 0: not known.
func cpuTime() time.Duration { return 0 }
