package chat

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest wait between two attempts that is ours to choose.
const maxWait = time.Minute

// isTransient reports whether a status may be another one a little later.
func isTransient(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryWait is how long to wait after the n-th attempt: what the server asked for
// in Retry-After, in seconds or as a date, else 1 s, 2 s, 4 s and so on.
func retryWait(retryAfter string, n int, now time.Time) time.Duration {
	retryAfter = strings.TrimSpace(retryAfter)
	if seconds, err := strconv.ParseFloat(retryAfter, 64); err == nil && seconds >= 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(retryAfter); err == nil {
		return max(0, date.Sub(now))
	}
	return min(maxWait, time.Second<<min(n-1, 10))
}

// sleep waits, and reports whether the context let it.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
