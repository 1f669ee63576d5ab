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
	arrived    time.Time
	begun      bool     // it has run, and may have been preempted since
	cached     int      // prompt tokens that counted as cached when it first ran
	chain      []uint64 // hashes of its whole blocks: the prompt's, then those it grew into
	blocks     []*block // KV memory that it holds
	learned    int      // blocks that the pool was told the content of
	computed   int      // tokens that are in the KV cache
	prefilling bool     // there is more to compute than the last token
	chunk      int      // tokens that the present step computes of it, while prefilling
	swapped    bool     // its texts go to another sequence

	said atomic.Int64  // tokens of the reply that are out
	wake chan struct{} // holds one element when said has grown
}

func newSequence(r *request, planned reply, cfg *Config) *sequence {
	return &sequence{
		request: r,
		reply:   planned,
		chain:   chainBlocks(nil, r.prompt, cfg.BlockSize),
		wake:    make(chan struct{}, 1),
	}
}

// length is how many tokens must be computed for the next one to be said.
func (q *sequence) length() int { return len(q.request.prompt) + int(q.said.Load()) }

// needs is how many KV blocks of a size these tokens take.
func (q *sequence) needs(size int) int { return (q.length() + size - 1) / size }

// work decides how much of a sequence a step computes, within what is left of
// the step's budget, and returns it. A sequence that only decodes costs nothing
// of the budget.
func (q *sequence) work(budget int) int {
	q.chunk = 0
	if q.prefilling {
		q.chunk = min(q.length()-q.computed, budget)
	}
	return q.chunk
}

// learn tells the pool the content of the blocks that have been filled.
func (q *sequence) learn(pool *blockPool, size int) {
	for full := q.computed / size; q.learned < full; q.learned++ {
		if q.learned == len(q.chain) {
			q.chain = chainBlocks(q.chain, q.tokens(q.learned*size, size), size)
		}
		pool.learn(q.blocks[q.learned], q.chain[q.learned])
	}
}

// tokens is n tokens of prompt and reply from a position on.
func (q *sequence) tokens(from, n int) []int32 {
	ids := make([]int32, 0, n)
	for i := from; i < from+n; i++ {
		if prompt := q.request.prompt; i < len(prompt) {
			ids = append(ids, prompt[i])
		} else {
			ids = append(ids, q.reply.tokens[i-len(prompt)].id)
		}
	}
	return ids
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
