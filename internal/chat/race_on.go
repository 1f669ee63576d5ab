//go:build race && unix

package chat

import "syscall"

// The race detector takes a socket's writes and reads for synchronization only
// where package syscall's own Write and Read are called.
const raceDetector = true

// acquire tells it that what was written to a socket happened before it was read.
func acquire(fd uintptr) { _, _ = syscall.Read(int(fd), nil) }
