package nap

import (
	"testing"
	"time"
)

func TestNapsTakeTheirTime(t *testing.T) {
	start := time.Now()
	Sleep(0)
	Sleep(-time.Second)
	if passed := time.Since(start); passed > time.Second {
		t.Errorf("no time took %v", passed)
	}
	// A signal to this process may end one nap early, and not most of them.
	short := 0
	for range 20 {
		start := time.Now()
		Sleep(200 * time.Microsecond)
		if time.Since(start) < 200*time.Microsecond {
			short++
		}
	}
	if short > 10 {
		t.Errorf("%d of 20 naps were too short", short)
	}
}
