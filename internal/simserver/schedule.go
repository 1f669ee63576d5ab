package simserver

import "slices"

// schedule decides which sequences the next step works on, and returns how many
// prompt tokens it computes. Those that run come first, in their order, and each
// gets the KV blocks that it grows into. When there are none left, the last one
// is preempted: it gives up its blocks, goes back to the head of the queue and is
// computed again later. Only in a step without a preemption are waiting
// sequences let in.
func (e *engine) schedule() (computed int) {
	preempted := false
	for i := 0; i < len(e.running); i++ {
		q := e.running[i]
		for !e.grow(q) {
			e.preempt()
			preempted = true
			if i == len(e.running) { // it was q itself
				return computed
			}
		}
		computed += q.work(e.cfg.PrefillBudget - computed)
	}
	for !preempted && len(e.waiting) > 0 && len(e.running) < e.cfg.Slots && computed < e.cfg.PrefillBudget {
		q := e.waiting[0]
		if !e.admit(q) {
			break
		}
		e.waiting = slices.Delete(e.waiting, 0, 1)
		if e.cfg.faults.meet != nil {
			e.cfg.faults.meet(e.running, q)
		}
		e.running = append(e.running, q)
		computed += q.work(e.cfg.PrefillBudget - computed)
	}
	return computed
}

// grow gives a sequence the blocks for the tokens it has after the step. It
// returns false when there are too few.
func (e *engine) grow(q *sequence) bool {
	more := q.needs(e.cfg.BlockSize) - len(q.blocks)
	if more > e.pool.free() {
		return false
	}
	if more > 0 {
		q.blocks = e.pool.take(q.blocks, more)
	}
	return true
}

// preempt takes the last of the running sequences back into the queue.
func (e *engine) preempt() {
	last := len(e.running) - 1
	q := e.running[last]
	e.running = e.running[:last]
	e.waiting = slices.Insert(e.waiting, 0, q)
	e.pool.release(q.blocks)
	q.blocks, q.learned, q.computed = nil, 0, 0
	e.counts.preemptions++
}

// admit gives a waiting sequence the blocks for all of its prompt; what the
// cache holds of it need not be computed. It returns false when there are too
// few.
func (e *engine) admit(q *sequence) bool {
	size := e.cfg.BlockSize
	reusable := min((q.length()-1)/size, len(q.chain)) // never its last token
	found, free := 0, 0
	if e.cfg.PrefixCache {
		found, free = e.pool.match(q.chain[:reusable])
	}
	cached := found
	if e.cfg.faults.cached != nil {
		cached = min(e.cfg.faults.cached(q.length(), found*size)/size, reusable)
		if cached < found {
			found, free = e.pool.match(q.chain[:cached])
		}
	}
	if q.needs(size)-found+free > e.pool.free() {
		return false
	}
	q.blocks = e.pool.share(q.blocks, q.chain[:found])
	q.blocks = e.pool.take(q.blocks, q.needs(size)-found)
	q.learned, q.computed, q.prefilling = found, cached*size, true
	if !q.begun {
		q.begun, q.cached = true, q.computed
		if e.cfg.PrefixCache {
			e.counts.queried += int64(len(q.request.prompt))
			e.counts.hit += int64(q.cached)
		}
	}
	return true
}
