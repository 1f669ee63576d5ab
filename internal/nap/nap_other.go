//go:build !linux

// Package nap waits for short times. In go the times; nothing comes out but their
// end, nearer to when it should be than with the timers of the runtime where the
// system has a way.
package nap

import "time"

// Sleep pauses the caller.
func Sleep(d time.Duration) { time.Sleep(d) }
