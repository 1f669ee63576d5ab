package simserver

import (
	"context"
	"slices"
	"sync"
	"time"
)

// An engine runs sequences step by step, as continuous batching does: a step
// computes at most a budget of prompt tokens, first come first served, and one
// token for each running sequence whose prompt is done by its end. Time is all
// that it spends.
type engine struct {
	cfg     *Config
	cache   *prefixCache
	arrived chan struct{} // holds one element when a sequence has come

	mu       sync.Mutex
	waiting  []*sequence
	running  []*sequence
	reserved int // KV tokens that the running ones hold
}

func newEngine(cfg *Config) *engine {
	return &engine{
		cfg:     cfg,
		cache:   newPrefixCache(cfg.KVCapacity / cfg.BlockSize),
		arrived: make(chan struct{}, 1),
	}
}

// submit queues a sequence.
func (e *engine) submit(q *sequence) {
	e.mu.Lock()
	q.arrived = time.Now()
	e.waiting = append(e.waiting, q)
	e.mu.Unlock()
	select {
	case e.arrived <- struct{}{}:
	default:
	}
}

// remove takes a sequence out, whether it waits, runs or is gone. Its place is
// free from the next step on.
func (e *engine) remove(q *sequence) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.waiting, q); i >= 0 {
		e.waiting = slices.Delete(e.waiting, i, i+1)
	}
	if i := slices.Index(e.running, q); i >= 0 {
		e.running = slices.Delete(e.running, i, i+1)
		e.reserved -= q.demand
	}
}

// run works until ctx ends.
func (e *engine) run(ctx context.Context) {
	for {
		select {
		case <-e.arrived:
			e.work(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// work takes steps until nothing is left to do.
//
// A step takes in what arrives within its first eighth. So a client that answers
// the end of a reply with its next request keeps its place in the batch, as it
// does on an engine that schedules ahead, and requests that arrive together run
// together. The steps follow each other on the clock's schedule, not on that of
// the timers, so that being woken late does not add up.
func (e *engine) work(ctx context.Context) {
	start := time.Now()
	for {
		if !sleepUntil(ctx, start.Add(e.cfg.StepBase/8)) {
			return
		}
		begun, length, ok := e.begin(start)
		if !ok {
			return
		}
		end := begun.Add(length)
		if !sleepUntil(ctx, end) {
			return
		}
		e.end()
		start = end
		if late := time.Since(end); late > length {
			start = time.Now()
		}
	}
}

// begin decides what the step does and returns how long it takes and when it
// began: at start or, when the engine was idle, at the first arrival. It returns
// false when there is nothing to do.
func (e *engine) begin(start time.Time) (begun time.Time, length time.Duration, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.running) == 0 && len(e.waiting) > 0 && e.waiting[0].arrived.After(start) {
		start = e.waiting[0].arrived
	}
	e.admit()
	if len(e.running) == 0 {
		return start, 0, false
	}
	computed := 0
	for _, q := range e.running {
		q.chunk = min(len(q.request.prompt)-q.computed, e.cfg.PrefillBudget-computed)
		computed += q.chunk
	}
	return start, e.cfg.Step(len(e.running), computed), true
}

// admit starts waiting sequences, in order, while a slot and KV memory for all
// that they may come to hold are free.
func (e *engine) admit() {
	for len(e.waiting) > 0 && len(e.running) < e.cfg.Slots {
		q := e.waiting[0]
		if e.reserved+q.demand > e.cfg.KVCapacity {
			return
		}
		e.waiting = slices.Delete(e.waiting, 0, 1)
		e.running = append(e.running, q)
		e.reserved += q.demand
		q.cached = e.cachedTokens(q)
		q.computed = q.cached
	}
}

// cachedTokens is how much of a prompt need not be computed: whole blocks, and
// never its last token.
func (e *engine) cachedTokens(q *sequence) int {
	block, prompt, found := e.cfg.BlockSize, len(q.request.prompt), 0
	reusable := (prompt - 1) / block
	if e.cfg.PrefixCache {
		found = e.cache.match(q.chain[:reusable]) * block
	}
	if e.cfg.faults.cached != nil {
		found = e.cfg.faults.cached(prompt, found)
	}
	return min(found/block, reusable) * block
}

// end lets the step's tokens out and takes out the sequences that are done.
func (e *engine) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = slices.DeleteFunc(e.running, func(q *sequence) bool {
		if q.chunk > 0 {
			q.computed += q.chunk
			e.keep(q.chain[:q.computed/e.cfg.BlockSize])
		}
		if q.computed < len(q.request.prompt) {
			return false
		}
		q.say()
		if !q.finished() {
			return false
		}
		e.reserved -= q.demand
		e.keep(q.spoken(e.cfg.BlockSize))
		return true
	})
}

// keep stores computed blocks for reuse.
func (e *engine) keep(chain []uint64) {
	if e.cfg.PrefixCache {
		e.cache.store(chain)
	}
}

// spoken is the chain of the prompt and the reply together. The last token was
// sampled and not computed, so it is left out.
func (q *sequence) spoken(size int) []uint64 {
	rest := slices.Clone(q.request.prompt[len(q.chain)*size:])
	for _, t := range q.reply.tokens[:len(q.reply.tokens)-1] {
		rest = append(rest, t.id)
	}
	return chainBlocks(slices.Clone(q.chain), rest, size)
}

// sleepUntil waits for a moment; it returns false when ctx ended first.
func sleepUntil(ctx context.Context, moment time.Time) bool {
	wait := time.Until(moment)
	if wait <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
