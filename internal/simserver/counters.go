package simserver

import "time"

// How a sequence can end, in the order in which vLLM lists them.
const (
	stopped = iota
	atLength
	aborted
	failed
	ends
)

// endNames are the values of the label finished_reason.
var endNames = [ends]string{"stop", "length", "abort", "error"}

// endOf is how a reply that is out to its last token ended.
func endOf(p *reply) int {
	if p.finish == "length" {
		return atLength
	}
	return stopped
}

// counters are what an engine has done since its process started.
type counters struct {
	started time.Time

	prompt      int64 // tokens of prompts whose reply has begun, cached ones included
	generated   int64 // tokens that are out
	queried     int64 // prompt tokens looked up in the prefix cache
	hit         int64 // ... and found
	preemptions int64
	finished    [ends]int64 // sequences, by how they ended
}

// state is what an engine is doing.
type state struct {
	counters
	running, waiting int
	blocks, used     int // of KV memory
}

// state returns what is true at this moment.
func (e *engine) state() state {
	e.mu.Lock()
	defer e.mu.Unlock()
	return state{
		counters: e.counts,
		running:  len(e.running), waiting: len(e.waiting),
		blocks: e.pool.size, used: e.pool.used,
	}
}

// restart makes the counters those of a process that has just started.
func (e *engine) restart() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.counts = counters{started: time.Now()}
}

// forget empties the prefix cache, unless sequences are running.
func (e *engine) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pool.forget()
}
