package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// window keeps a number of sessions in flight for a time.
type window struct {
	concurrency    int
	duration, ramp time.Duration
	over           func() // called when the time is over, and sessions may still be in flight
}

func (p window) pace(ctx context.Context, prepare func(int) func(moment)) {
	open, shut := context.WithTimeout(ctx, p.duration)
	defer shut()
	var next atomic.Int64
	var workers sync.WaitGroup
	for slot := range p.concurrency {
		workers.Go(func() {
			if !sleep(open, turn(p.ramp, slot, p.concurrency)) {
				return
			}
			for open.Err() == nil {
				index := int(next.Add(1)) - 1
				if index >= mostSessions {
					return
				}
				if start := prepare(index); open.Err() == nil {
					start(moment{})
				}
			}
		})
	}
	<-open.Done()
	p.over()
	workers.Wait()
}
