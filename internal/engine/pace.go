package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"scenario/internal/chat"
)

// pacer decides when the sessions of a level start. It calls prepare for each
// session index it means to start, and the function that prepare returns at the
// moment the session is due; it returns when all that were started have ended.
// It starts nothing more once ctx has ended.
type pacer interface {
	pace(ctx context.Context, prepare func(index int) (start func(moment)))
}

// moment is when a session is due.
type moment struct {
	due  chat.Stamp // on a schedule; 0: now
	held bool       // too many were in flight for it to start then
}

// closed keeps a number of sessions in flight until all are done.
type closed struct {
	concurrency, sessions int
	ramp                  time.Duration // over which the first ones are started
}

func (p closed) pace(ctx context.Context, prepare func(int) func(moment)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	width := min(p.concurrency, p.sessions)
	for slot := range width {
		workers.Go(func() {
			if !sleep(ctx, turn(p.ramp, slot, width)) {
				return
			}
			for ctx.Err() == nil {
				index := int(next.Add(1)) - 1
				if index >= p.sessions {
					return
				}
				prepare(index)(moment{})
			}
		})
	}
	workers.Wait()
}

// turn is when a slot begins, where so many of them begin evenly over a ramp: the
// first at once.
func turn(ramp time.Duration, slot, slots int) time.Duration {
	return ramp * time.Duration(slot) / time.Duration(slots)
}

// wave starts a number of sessions at once, waits for all of them, and does so
// again.
type wave struct{ concurrency, waves int }

func (p wave) pace(ctx context.Context, prepare func(int) func(moment)) {
	for w := range p.waves {
		if ctx.Err() != nil {
			return
		}
		starts := make([]func(moment), p.concurrency)
		for i := range starts {
			starts[i] = prepare(w*p.concurrency + i)
		}
		gate := make(chan struct{})
		var sessions sync.WaitGroup
		for _, start := range starts {
			sessions.Go(func() {
				<-gate
				start(moment{})
			})
		}
		close(gate)
		sessions.Wait()
	}
}
