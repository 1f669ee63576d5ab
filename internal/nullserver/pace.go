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
func (s schedule) Less(i, j int) bool { return s[i].due < s[j].due }
func (s schedule) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *schedule) Push(x any)        { *s = append(*s, x.(*stream)) }

func (s *schedule) Pop() any {
	old := *s
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*s = old[:len(old)-1]
	return last
}

// hand gives a stream, whose request was read just now, to the pacer.
func (s *Server) hand(st *stream, now int64) {
	s.mu.Lock()
	st.due = s.config.firstDue(now, s.served)
	s.served++
	s.begun = append(s.begun, st)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// firstDue is when the first event of the n-th stream is due: First after the
// request, and then at the next common tick in a burst, else at the next moment of
// the stream's own phase. The phases are a golden section of the interval apart,
// which spreads any number of them evenly.
func (c Config) firstDue(request int64, n int) int64 {
	interval, phase := int64(c.Interval), int64(0)
	if !c.Burst {
		_, part := math.Modf(float64(n) * math.Phi)
		phase = int64(part * float64(c.Interval))
	}
	earliest := request + int64(c.First) - phase
	return earliest - earliest%interval + interval + phase
}

// pace writes every stream's events when they are due. It has a thread of its own,
// so that nothing else of this process delays it.
func (s *Server) pace() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rest := s.wait
	if s.config.Exact {
		defer sharpenSleep()()
		rest = s.nap
	}
	var due schedule
	for {
		s.mu.Lock()
		for _, st := range s.begun {
			heap.Push(&due, st)
		}
		s.begun = s.begun[:0]
		s.mu.Unlock()
		wait := time.Duration(math.MaxInt64)
		if len(due) > 0 {
			wait = time.Duration(due[0].due - Now())
		}
		if !rest(wait) {
			return
		}
		for n := len(due); n > 0 && len(due) > 0 && due[0].due <= Now(); n-- {
			s.write(&due)
		}
	}
}

// wait waits so long, or until there is a new stream; false: the server was closed.
func (s *Server) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.wake:
		return true
	case <-s.stop:
		return false
	}
}

// longestNap is how late a nap may notice a new stream.
const longestNap = 500 * time.Microsecond

// nap is an exact wait, cut short so that new streams are noticed.
func (s *Server) nap(d time.Duration) bool {
	if d > time.Minute {
		return s.wait(d) // nothing is due soon
	}
	if d > 0 {
		sleep(min(d, longestNap))
	}
	select {
	case <-s.stop:
		return false
	default:
		return true
	}
}

// write writes the events of the stream that is due first. A late write does not
// make the next ones late.
func (s *Server) write(due *schedule) {
	st := (*due)[0]
	if !st.tick(s.config.PerWrite) || st.left == 0 {
		heap.Pop(due)
		close(st.ended)
		return
	}
	st.due += int64(s.config.Interval) * int64(s.config.PerWrite)
	heap.Fix(due, 0)
}
