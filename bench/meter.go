package main

import (
	"time"

	"scenario/internal/chat"
	"scenario/internal/rusage"
)

// meterEvery is how often a meter looks: a look costs about a microsecond.
const meterEvery = 5 * time.Millisecond

// meter notes the CPU time of this process, again and again.
type meter struct {
	clock chat.Clock
	looks []look
	quit  chan struct{}
	ended chan struct{}
}

// look is the CPU time used up to a moment.
type look struct {
	at  chat.Stamp
	cpu time.Duration
}

func startMeter(clock chat.Clock) *meter {
	m := &meter{clock: clock, looks: make([]look, 0, 1<<13), quit: make(chan struct{}), ended: make(chan struct{})}
	m.look()
	go func() {
		defer close(m.ended)
		ticker := time.NewTicker(meterEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				m.look()
			case <-m.quit:
				m.look()
				return
			}
		}
	}()
	return m
}

func (m *meter) look() { m.looks = append(m.looks, look{m.clock.Now(), rusage.CPUTime()}) }

// stop ends the meter and returns its looks.
func (m *meter) stop() []look {
	close(m.quit)
	<-m.ended
	return m.looks
}

// between is the CPU time from the last look before a moment to the first after
// another.
func between(looks []look, begin, end chat.Stamp) time.Duration {
	first, last := looks[0], looks[len(looks)-1]
	for _, l := range looks {
		if l.at <= begin {
			first = l
		}
		if l.at >= end {
			last = l
			break
		}
	}
	return last.cpu - first.cpu
}

// streaming is from the first event of all to the last one.
func streaming(replies []*chat.Reply) (begin, end chat.Stamp) {
	for i, r := range replies {
		first, last := r.Events[0].At, r.Events[len(r.Events)-1].At
		if i == 0 || first < begin {
			begin = first
		}
		end = max(end, last)
	}
	return begin, end
}
