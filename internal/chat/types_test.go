package chat

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFailureNames(t *testing.T) {
	var got []string
	for f := NoFailure; f <= Canceled+1; f++ {
		got = append(got, f.String())
	}
	want := []string{"ok", "http_error", "connect_error", "timeout", "stream_broken", "client_error", "canceled", "unknown"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestClockNeverShowsZero(t *testing.T) {
	clock := NewClock()
	a, b := clock.Now(), clock.Now()
	if a <= 0 || b < a {
		t.Errorf("the clock shows %d, then %d", a, b)
	}
}
