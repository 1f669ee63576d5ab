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
	arrived chan struct{} // holds one element when a sequence has come

	mu      sync.Mutex
	waiting []*sequence
	running []*sequence
	pool    *blockPool
	counts  counters
}

func newEngine(cfg *Config) *engine {
	return &engine{
		cfg:     cfg,
		pool:    newBlockPool(cfg.KVCapacity / cfg.BlockSize),
		arrived: make(chan struct{}, 1),
		counts:  counters{started: time.Now()},
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
		e.counts.finished[aborted]++
	}
	if i := slices.Index(e.running, q); i >= 0 {
		e.running = slices.Delete(e.running, i, i+1)
		e.pool.release(q.blocks)
		e.counts.finished[aborted]++
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
	computed := e.schedule()
	if len(e.running) == 0 {
		return start, 0, false
	}
	length = e.cfg.Step(len(e.running), computed)
	if e.cfg.faults.slow != nil {
		length = e.cfg.faults.slow(length, e.counts.generated)
	}
	return start, length, true
}

// end lets the step's tokens out and takes out the sequences that are done.
func (e *engine) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	width := len(e.running)
	e.running = slices.DeleteFunc(e.running, func(q *sequence) bool {
		if q.prefilling {
			q.computed += q.chunk
		} else {
			q.computed++
		}
		if e.cfg.PrefixCache {
			q.learn(e.pool, e.cfg.BlockSize)
		}
		if q.computed < q.length() {
			return false
		}
		q.prefilling = false
		e.count(q)
		if e.cfg.faults.token != nil {
			e.cfg.faults.token(q, width)
		}
		q.say()
		if !q.finished() {
			return false
		}
		e.counts.finished[endOf(&q.reply)]++
		e.pool.release(q.blocks)
		return true
	})
}

// count counts the token that a sequence is about to say and, with its first
// one, its prompt.
func (e *engine) count(q *sequence) {
	if q.said.Load() == 0 {
		e.counts.prompt += int64(len(q.request.prompt))
	}
	e.counts.generated++
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
