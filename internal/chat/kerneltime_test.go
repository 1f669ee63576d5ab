package chat

import (
	"testing"
	"time"
)

// clocks are a client's clock and a wall clock that can be set.
type clocks struct{ at, offset int64 }

func (c *clocks) now() (Stamp, int64)  { return Stamp(c.at), c.at + c.offset }
func (c *clocks) wall() int64          { return c.at + c.offset }
func (c *clocks) pass(d time.Duration) { c.at += int64(d) }
func (c *clocks) step(d time.Duration) { c.offset += int64(d) }

func TestKernelStampsAreMapped(t *testing.T) {
	c := &clocks{at: 1e9, offset: 1_700_000_000e9}
	k := newKernelTime(c.now)
	stamp := c.wall()
	arrived := c.at
	c.pass(40 * time.Microsecond)
	if got, ok := k.arrival(stamp); !ok || int64(got) != arrived {
		t.Errorf("arrival %d, %v; want %d", got, ok, arrived)
	}
}

func TestKernelStampsAfterAStepOfTheWallClock(t *testing.T) {
	for name, step := range map[string]time.Duration{
		"forward": 5 * time.Second, "back": -5 * time.Second, "a little forward": 50 * time.Millisecond,
		"a little back": -50 * time.Millisecond, "an hour": time.Hour,
	} {
		c := &clocks{at: 1e9, offset: 1_700_000_000e9}
		k := newKernelTime(c.now)
		// Two packets arrive before the step and are read after it.
		first := c.wall()
		c.pass(time.Millisecond)
		second := c.wall()
		c.pass(time.Millisecond)
		c.step(step)
		c.pass(time.Millisecond)
		for _, stamp := range []int64{first, second} {
			if got, ok := k.arrival(stamp); ok || int64(got) != c.at {
				t.Errorf("%s: arrival %d, believed %v; want the moment of the read, %d", name, got, ok, c.at)
			}
		}
		// What arrives after it is believed again.
		c.pass(10 * time.Millisecond)
		stamp, arrived := c.wall(), c.at
		c.pass(30 * time.Microsecond)
		if got, ok := k.arrival(stamp); !ok || int64(got) != arrived {
			t.Errorf("%s: after the step arrival is %d, %v; want %d", name, got, ok, arrived)
		}
		if n := k.refused.Load(); n != 2 {
			t.Errorf("%s: %d stamps refused, want 2", name, n)
		}
	}
}

func TestKernelStampsWhileTheWallClockIsSlewed(t *testing.T) {
	c := &clocks{at: 1e9, offset: 1_700_000_000e9}
	k := newKernelTime(c.now)
	for range 600 {
		c.pass(500 * time.Millisecond)
		c.step(250 * time.Microsecond) // 500 parts in a million
		stamp, arrived := c.wall(), c.at
		c.pass(20 * time.Microsecond)
		if got, ok := k.arrival(stamp); !ok || int64(got) != arrived {
			t.Fatalf("arrival %d, %v; want %d", got, ok, arrived)
		}
	}
}

func TestKernelStampsOutOfBounds(t *testing.T) {
	c := &clocks{at: 100e9, offset: 1_700_000_000e9}
	k := newKernelTime(c.now)
	for name, stamp := range map[string]int64{
		"of the future": c.wall() + 1000, "older than is believed": c.wall() - int64(maxLag) - 1,
	} {
		if got, ok := k.arrival(stamp); ok || int64(got) != c.at {
			t.Errorf("a stamp %s: arrival %d, believed %v", name, got, ok)
		}
	}
}
