package chat

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// The timeouts, as the scenario names them.
const (
	connectName    = "connect"
	firstTokenName = "first_token"
	idleName       = "idle"
	requestName    = "request"
)

// limitError is a timeout that was reached. It is the cause an attempt is
// cancelled with.
type limitError struct {
	name  string
	what  string // what did not happen in time
	limit time.Duration
}

func (e *limitError) Error() string {
	return fmt.Sprintf("%s timeout: %s within %s", e.name, e.what, shortDuration(e.limit))
}

func (e *limitError) fault() *fault { return &fault{failure: Timeout, message: e.Error()} }

// shortDuration prints 10m0s as 10m.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// watch holds one attempt to a limit at a time. Time is counted on the client's
// clock; the timer only wakes the watch up to look at it, so that moving the
// start of the wait, as every read does for the idle limit, costs nothing.
type watch struct {
	clock  Clock
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer
	limit time.Duration
	since func() Stamp // zero: the wait has not begun
	cause error
}

// enter puts a limit in force in the place of the last one: cause cancels the
// attempt once limit has passed from the moment that since gives. A limit of
// zero is none.
func (w *watch) enter(limit time.Duration, since func() Stamp, cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit, w.since, w.cause = limit, since, cause
	switch {
	case limit <= 0 && w.timer == nil:
	case limit <= 0:
		w.timer.Stop()
	case w.timer == nil:
		w.timer = time.AfterFunc(limit, w.check)
	default:
		w.timer.Reset(limit)
	}
}

func (w *watch) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limit <= 0 {
		return
	}
	left := w.limit
	if start := w.since(); start != 0 {
		left -= w.clock.Now().Sub(start)
	}
	if left > 0 {
		w.timer.Reset(left)
		return
	}
	w.cancel(w.cause)
}

// stop ends the watch. No limit fires after it.
func (w *watch) stop() { w.enter(0, nil, nil) }
