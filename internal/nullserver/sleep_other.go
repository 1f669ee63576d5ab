//go:build !linux

package nullserver

import (
	"syscall"
	"time"
)

func sharpenSleep() (undo func()) { return func() {} }

func sleep(d time.Duration) { time.Sleep(d) }

func prepareListener(_, _ string, _ syscall.RawConn) error { return nil }
