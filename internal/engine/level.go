package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
)

// RequestLine is one line of requests.jsonl.
type RequestLine struct {
	Phase       string `json:"phase"`
	Concurrency int    `json:"concurrency"`
	*metric.Request
}

// timeoutsInRow is the fewest timeouts in a row, without any other end between
// them, that stop a level (and as many as it has slots): the target hangs, and
// every further one costs its whole time.
const timeoutsInRow = 3

// hangs is how many timeouts in a row stop what runs at a concurrency.
func hangs(concurrency int) int { return max(timeoutsInRow, concurrency) }

// load is the measured load of one level.
type load struct {
	runner  *Runner
	phase   *PhasePlan
	level   *LevelPlan
	compose *Composer
	live    *Live
	place   func(index int) Place // of a session of the level

	hung func()               // stops the level
	out  chan *metric.Request // finished requests, to the collector
}

// loaded is what a level's load gave.
type loaded struct {
	warmup   *WarmupResult // what was sent just before it; nil: nothing
	requests []*metric.Request
	wall     time.Duration
	hung     bool // stopped after timeouts in a row
}

// run sends the sessions and returns the requests in the order of their sending,
// with the time from before the first session was prepared to the end of the last.
func (l *load) run(ctx context.Context) loaded {
	issuing, stop := context.WithCancel(ctx)
	defer stop()
	var r loaded
	l.hung = func() { r.hung = true; stop() }
	l.out = make(chan *metric.Request, l.level.Concurrency)
	collected := make(chan struct{})
	go func() {
		defer close(collected)
		r.requests = l.collect()
	}()
	started := l.runner.Clock.Now()
	l.pacer().pace(issuing, func(index int) func() {
		place := l.place(index)
		session, err := l.phase.Workload.Session(place, l.compose)
		if err != nil {
			// The same body was built for the probe: this cannot happen by chance.
			return func() { l.out <- notSent(place, err) }
		}
		return func() {
			session.Run(ctx, &exchange{load: l, place: place, due: l.runner.Clock.Now()})
		}
	})
	r.wall = l.runner.Clock.Now().Sub(started)
	close(l.out)
	<-collected
	return r
}

// notSent is a request that could not even be built.
func notSent(place Place, err error) *metric.Request {
	return &metric.Request{Index: place.Index, Outcome: metric.OutcomeConnectError, Error: "the request could not be built: " + err.Error(), ClientFault: true}
}

func (l *load) pacer() pacer {
	if s := l.phase.Spec.Load; s.Mode == "wave" {
		return wave{concurrency: l.level.Concurrency, waves: s.Waves}
	}
	return closed{concurrency: l.level.Concurrency, sessions: l.level.Sessions}
}

// collect folds finished requests until the channel closes: it alone writes
// them down and decides that a level hangs.
func (l *load) collect() []*metric.Request {
	requests := make([]*metric.Request, 0, min(l.level.Sessions, 1<<16))
	inRow := 0
	for r := range l.out {
		requests = append(requests, r)
		l.runner.keep(RequestLine{l.phase.Spec.Name, l.level.Concurrency, r})
		l.live.Done.Add(1)
		if !r.OK {
			l.live.Failed.Add(1)
		}
		if inRow++; r.Outcome != metric.OutcomeTimeout {
			inRow = 0
		}
		if inRow >= hangs(l.level.Concurrency) {
			l.hung()
		}
	}
	slices.SortFunc(requests, func(a, b *metric.Request) int { return a.Index - b.Index })
	return requests
}

// exchange implements Exchange for one session.
type exchange struct {
	load  *load
	place Place
	due   chat.Stamp
}

// Send implements Exchange.
func (x *exchange) Send(ctx context.Context, request *chat.Request) (*metric.Request, bool) {
	clock := x.load.runner.Clock
	x.load.live.InFlight.Add(1)
	defer x.load.live.InFlight.Add(-1)
	called := clock.Now()
	reply := x.load.runner.Client.Do(ctx, request)
	returned := clock.Now()
	if reply.Failure == chat.Canceled {
		return nil, false
	}
	r := measure(reply, metric.Stamps{Due: int64(x.due), Called: int64(called), Returned: int64(returned)})
	countRetries(r, reply)
	r.Endpoint = request.Endpoint
	x.due = returned
	return r, true
}

// Record implements Exchange.
func (x *exchange) Record(r *metric.Request) {
	r.Index = x.place.Index
	x.load.out <- r
}

// A first probe is tried again so often, and waits so long where the target asks
// for it, so that a gateway's limit does not pass for a target that does not work.
const (
	probeRetries = 2
	probeWait    = 10 * time.Second
)

// aside sends a session whose requests are no measurements: warm-ups, probes and
// prompts that are sent again. It returns its requests.
func (r *Runner) aside(ctx context.Context, ph *PhasePlan, compose *Composer, place Place) ([]*metric.Request, error) {
	session, err := ph.Workload.Session(place, compose)
	if err != nil {
		return nil, fmt.Errorf("the request could not be built: %w", err)
	}
	x := &asideExchange{runner: r}
	switch {
	case place.Purpose != Probe:
		x.retries = compose.Retries
	case !place.Impatient:
		x.retries = probeRetries
	}
	session.Run(ctx, x)
	return x.requests, ctx.Err()
}

type asideExchange struct {
	runner   *Runner
	retries  int
	requests []*metric.Request
}

// Send implements Exchange.
func (x *asideExchange) Send(ctx context.Context, request *chat.Request) (*metric.Request, bool) {
	patient := *request
	patient.Retries, patient.MaxRetryWait = x.retries, probeWait
	reply := x.runner.Client.Do(ctx, &patient)
	if reply.Failure == chat.Canceled {
		return nil, false
	}
	r := measure(reply, metric.Stamps{})
	r.Endpoint = request.Endpoint
	return r, true
}

// Record implements Exchange.
func (x *asideExchange) Record(r *metric.Request) { x.requests = append(x.requests, r) }
