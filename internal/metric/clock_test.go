package metric

import (
	"testing"
	"time"
)

func TestDurationsAsFilesWriteThem(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"10m": 10 * time.Minute, "1h30m": 90 * time.Minute, "2h": 2 * time.Hour, "1m30s": 90 * time.Second,
		"2.5s": 2500 * time.Millisecond, "500ms": 500 * time.Millisecond, "10s": 10 * time.Second, "1h0m5s": time.Hour + 5*time.Second, "0s": 0,
	} {
		if got := Clock(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
