//go:build !linux

package engine

import "time"

// waitingTime is known on Linux alone.
func waitingTime() map[int]time.Duration { return nil }
