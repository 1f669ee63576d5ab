package engine

import (
	"context"
	"sync"
	"sync/atomic"
)

// pacer decides when the sessions of a level start. It calls prepare for each
// session index it means to start, and the function that prepare returns at the
// moment the session is due; it returns when all that were started have ended.
// It starts nothing more once ctx has ended.
type pacer interface {
	pace(ctx context.Context, prepare func(index int) (start func()))
}

// closed keeps a number of sessions in flight until all are done.
type closed struct{ concurrency, sessions int }

func (p closed) pace(ctx context.Context, prepare func(int) func()) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(p.concurrency, p.sessions) {
		workers.Go(func() {
			for ctx.Err() == nil {
				index := int(next.Add(1)) - 1
				if index >= p.sessions {
					return
				}
				prepare(index)()
			}
		})
	}
	workers.Wait()
}

// wave starts a number of sessions at once, waits for all of them, and does so
// again.
type wave struct{ concurrency, waves int }

func (p wave) pace(ctx context.Context, prepare func(int) func()) {
	for w := range p.waves {
		if ctx.Err() != nil {
			return
		}
		starts := make([]func(), p.concurrency)
		for i := range starts {
			starts[i] = prepare(w*p.concurrency + i)
		}
		gate := make(chan struct{})
		var sessions sync.WaitGroup
		for _, start := range starts {
			sessions.Go(func() {
				<-gate
				start()
			})
		}
		close(gate)
		sessions.Wait()
	}
}
