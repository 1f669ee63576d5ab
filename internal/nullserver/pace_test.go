package nullserver

import (
	"context"
	"net/url"
	"testing"
	"time"

	"scenario/internal/chat"
)

func TestPhases(t *testing.T) {
	const interval = 50 * time.Millisecond
	spread := Config{Interval: interval, First: time.Second}
	burst := Config{Interval: interval, First: time.Second, Burst: true}
	tenths := map[int64]int{}
	for n := range 1000 {
		request := int64(n) * int64(20*time.Microsecond)
		for _, config := range []Config{spread, burst} {
			due := config.firstDue(request, n)
			if wait := time.Duration(due - request); wait < time.Second || wait > time.Second+interval {
				t.Fatalf("stream %d: the first event is due after %v", n, wait)
			}
			if phase := due % int64(interval); config.Burst && phase != 0 {
				t.Fatalf("stream %d: phase %v in a burst", n, time.Duration(phase))
			}
		}
		tenths[spread.firstDue(request, n)%int64(interval)*10/int64(interval)]++
	}
	for tenth := range int64(10) {
		if n := tenths[tenth]; n < 95 || n > 105 {
			t.Errorf("%d of 1,000 phases lie in tenth %d of the interval", n, tenth)
		}
	}
}

func TestCloseEndsStreamsUnderWay(t *testing.T) {
	for name, config := range map[string]Config{
		"paced":         {Events: 1 << 30, Interval: time.Millisecond},
		"paced exactly": {Events: 1 << 30, Interval: time.Millisecond, Exact: true},
		"unpaced":       {Events: 1 << 30},
		"not yet begun": {Events: 1, Interval: time.Hour, First: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Start(config)
			if err != nil {
				t.Fatal(err)
			}
			base, err := url.Parse(s.URL())
			if err != nil {
				t.Fatal(err)
			}
			c, err := chat.New(chat.Config{BaseURLs: []*url.URL{base}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			replies := make(chan *chat.Reply)
			go func() { replies <- c.Do(ctx, &chat.Request{Body: []byte(`{}`), Stream: true}) }()
			for begun := false; !begun; {
				s.mu.Lock()
				begun = len(s.conns) > 0
				s.mu.Unlock()
			}
			s.Close()
			if r := <-replies; r.Failure == chat.NoFailure {
				t.Errorf("a stream of a closed server ended well: %+v", r)
			}
		})
	}
}
