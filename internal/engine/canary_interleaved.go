package engine

import (
	"context"
	"sync"

	"scenario/internal/metric"
)

// Interleaved canaries are this share of the load, and at least leastInterleaved.
const (
	interleavedShare = 0.05
	leastInterleaved = 20
)

// interleaver sends canaries among the load of a level: each in the slot of the
// session that comes after it, so that as many are in flight as are meant to be.
type interleaver struct {
	phase    *phaseRun
	sessions int // 0: not known, since the load ends by the clock
	canaries int

	mu     sync.Mutex
	into   *CanaryResult
	beside []*metric.Request // those that were sent
}

// interleave is what sends a level's canaries among its load; nil: none are.
func (p *phaseRun) interleave(l *LevelPlan, into *CanaryResult) *interleaver {
	if p.plan.Spec.Canaries != "interleaved" || into == nil || into.NotChecked != "" {
		return nil
	}
	n, _ := p.plan.Canaries(l, p.runner.endpoints())
	return &interleaver{phase: p, sessions: l.Sessions, canaries: n, into: into}
}

// ahead is how many canaries come before a session: all of them spread evenly over
// the load, or one in twenty where its end is not known.
func (i *interleaver) ahead(index int) int {
	sessions, canaries := i.sessions, i.canaries
	if sessions == 0 {
		sessions, canaries = int(1/interleavedShare), 1
		index %= sessions
	}
	return (index+1)*canaries/sessions - index*canaries/sessions
}

// before sends what comes before a session.
func (i *interleaver) before(ctx context.Context, at Place) {
	if i == nil {
		return
	}
	p := i.phase
	for range i.ahead(at.Index) {
		i.mu.Lock()
		task := p.runner.canaries.ask(1, p.canaries.turn(len(i.beside)))[0]
		i.mu.Unlock()
		a, ok := p.send(ctx, p.canaries.manner, task, at.Endpoint, p.plan.Spec.Retries)
		if !ok {
			return
		}
		i.mu.Lock()
		i.into.add(a, p.runner.endpoints() > 1)
		i.beside = append(i.beside, a.request)
		i.mu.Unlock()
	}
}

// sent are the canaries that held slots of the load.
func (i *interleaver) sent() []*metric.Request {
	if i == nil {
		return nil
	}
	return i.beside
}
