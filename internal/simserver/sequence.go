package simserver

import (
	"context"
	"sync/atomic"
	"time"
)

// A sequence is a request on its way through the engine.
type sequence struct {
	request *request
	reply   reply

	// What only the engine touches, until said tells that a token is out.
	arrived  time.Time
	chain    []uint64 // hashes of the prompt's whole blocks
	demand   int      // KV tokens that it holds while it runs
	cached   int      // prompt tokens that counted as cached
	computed int      // prompt tokens that are in the KV cache
	chunk    int      // prompt tokens that the present step computes

	said atomic.Int64  // tokens of the reply that are out
	wake chan struct{} // holds one element when said has grown
}

func newSequence(r *request, planned reply, cfg *Config) *sequence {
	return &sequence{
		request: r,
		reply:   planned,
		chain:   chainBlocks(nil, r.prompt, cfg.BlockSize),
		demand:  min(len(r.prompt)+r.maxTokens, cfg.KVCapacity),
		wake:    make(chan struct{}, 1),
	}
}

// say lets one more token out.
func (q *sequence) say() {
	q.said.Add(1)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// finished tells whether the whole reply is out.
func (q *sequence) finished() bool { return int(q.said.Load()) == len(q.reply.tokens) }

// wait returns how many tokens are out, as soon as there are more than n.
func (q *sequence) wait(ctx context.Context, n int) (int, error) {
	for {
		if said := int(q.said.Load()); said > n {
			return said, nil
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return n, ctx.Err()
		}
	}
}

// waitAll returns when the whole reply is out.
func (q *sequence) waitAll(ctx context.Context) error {
	_, err := q.wait(ctx, len(q.reply.tokens)-1)
	return err
}
