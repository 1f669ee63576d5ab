package nullserver

import (
	"container/heap"
	"math"
	"runtime"
	"time"
)

// schedule holds the streams under way, the one that is due first at the front.
type schedule []*stream

func (s schedule) Len() int           { return len(s) }
func (s schedule) Less(i, j int) bool { return s[i].due.Before(s[j].due) }
func (s schedule) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *schedule) Push(x any)        { *s = append(*s, x.(*stream)) }

func (s *schedule) Pop() any {
	old := *s
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*s = old[:len(old)-1]
	return last
}

// firstDue is when the n-th stream's first event is due: First after the request,
// and in a burst at the next common tick after that. Otherwise the streams' phases
// are spread over the interval, evenly for any number of them: each is a golden
// section of it after the one before.
func (c Config) firstDue(now time.Time, n int) time.Time {
	due := now.Add(c.First)
	if c.Burst {
		return due.Truncate(c.Interval).Add(c.Interval)
	}
	const golden = 0.6180339887498949
	_, phase := math.Modf(float64(n) * golden)
	return due.Add(time.Duration(phase * float64(c.Interval)))
}

// pace writes every stream's events when they are due. It has a thread of its own,
// so that nothing else of this process delays it.
func (s *Server) pace() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(s.writeDue())
		select {
		case <-timer.C:
		case <-s.wake:
		case <-s.stop:
			return
		}
	}
}

// writeDue writes what is due and returns how long until the next event is.
func (s *Server) writeDue() time.Duration {
	for {
		if wait := s.writeNext(); wait > 0 {
			return wait
		}
	}
}

// writeNext writes the next event if it is due, and else returns when it will be.
func (s *Server) writeNext() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.streams) == 0 {
		return time.Hour
	}
	st := s.streams[0]
	if wait := time.Until(st.due); wait > 0 {
		return wait
	}
	if !st.tick(s.config.PerWrite) {
		st.left = 0
	}
	if st.left == 0 {
		heap.Pop(&s.streams)
		close(st.ended)
		return 0
	}
	// A late tick does not make the next ones late.
	st.due = st.due.Add(s.config.Interval * time.Duration(s.config.PerWrite))
	heap.Fix(&s.streams, 0)
	return 0
}
