package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
)

// RequestLine is one line of requests.jsonl.
type RequestLine struct {
	Phase       string  `json:"phase"`
	Concurrency int     `json:"concurrency,omitempty"`
	Rate        float64 `json:"rate,omitempty"`
	Repeat      int     `json:"repeat,omitempty"` // from 1, where the level is run several times
	*metric.Request
}

// load is the measured load of one level.
type load struct {
	runner  *Runner
	phase   *PhasePlan
	level   *LevelPlan
	compose *Composer
	live    *Live
	place   func(index int) Place // of a session of the level

	canaries *interleaver // among the load; nil: none

	hung    func(last string)    // stops the level, and says what became of its last requests
	out     chan *metric.Request // finished requests, to the collector
	started atomic.Int64         // sessions
	cutting atomic.Bool          // the window is over, and what is in flight is cancelled
}

// loaded is what a level's load gave.
type loaded struct {
	warmup   *WarmupResult // what was sent just before it; nil: nothing
	requests []*metric.Request
	offered  metric.Offered
	unsent   int // sessions of a schedule that were never started
	wall     time.Duration
	hung     string      // what became of the last requests, after which it was stopped; empty: it was not
	stopped  string      // why it was stopped before its end; empty: it was not
	limited  bool        // ... by a limit of time, and not by an interruption
	server   *serverLoad // what the server's counters say of it
}

// run sends the sessions and returns the requests in the order of their sending,
// with the time from before the first session was prepared to the end of the last.
func (l *load) run(ctx context.Context) loaded {
	issuing, stop := context.WithCancel(ctx)
	defer stop()
	sending, cut := context.WithCancel(ctx)
	defer cut()
	var r loaded
	l.hung = func(last string) { r.hung = cmp.Or(r.hung, last); stop() }
	l.out = make(chan *metric.Request, l.level.width())
	collected := make(chan struct{})
	started := l.runner.Clock.Now()
	r.offered = l.offer(started)
	go func() {
		defer close(collected)
		r.requests, r.offered.Cut = l.collect()
	}()
	over := func() {
		if l.phase.Spec.Load.Drain == "cancel" && ctx.Err() == nil {
			l.cutting.Store(true)
			cut()
		}
	}
	l.pacer(started, over).pace(issuing, func(index int) func(moment) {
		place := l.place(index)
		session, err := l.phase.Workload.Session(place, l.compose)
		if err != nil {
			// The same body was built for the probe: this cannot happen by chance.
			return func(moment) { l.out <- notSent(place, err) }
		}
		return func(m moment) {
			l.started.Add(1)
			l.canaries.before(sending, place)
			x := &exchange{load: l, place: place, moment: m}
			if m.due == 0 {
				x.due = l.runner.Clock.Now()
			}
			session.Run(sending, x)
		}
	})
	r.wall = l.runner.Clock.Now().Sub(started)
	close(l.out)
	<-collected
	r.offered.Beside = l.canaries.sent()
	if l.level.Rate > 0 && issuing.Err() == nil {
		r.unsent = l.level.Sessions - int(l.started.Load())
	}
	r.settle()
	return r
}

// notSent is a request that could not even be built.
func notSent(place Place, err error) *metric.Request {
	return &metric.Request{Index: place.Index, Outcome: metric.OutcomeConnectError, Error: "the request could not be built: " + err.Error(), ClientFault: true}
}

// offer is how the load is offered, for those who work out its figures.
func (l *load) offer(started chat.Stamp) metric.Offered {
	s := l.phase.Spec.Load
	o := metric.Offered{Concurrency: l.level.Concurrency, Rate: l.level.Rate, Waves: s.Mode == "wave"}
	if s.Ramp > 0 {
		o.Full = int64(started) + int64(s.Ramp)
	}
	if l.level.Lasts > 0 {
		o.Start = int64(started)
	}
	if s.Duration > 0 {
		o.End = int64(started) + int64(s.Duration)
	}
	return o
}

// pacer is the load's mode. Over is called when a load that ends by the clock does.
func (l *load) pacer(started chat.Stamp, over func()) pacer {
	switch s := l.phase.Spec.Load; s.Mode {
	case "wave":
		return wave{concurrency: l.level.Concurrency, waves: s.Waves}
	case "window":
		return window{concurrency: l.level.Concurrency, duration: s.Duration, ramp: s.Ramp, over: over}
	case "rate":
		return rate{
			clock: l.runner.Clock, started: started, schedule: l.phase.schedule(l.runner.Plan.Seed, l.level, l.level.Sessions),
			inFlight: l.level.inFlight, nap: l.runner.Nap, duration: s.Duration, over: over,
		}
	default:
		return closed{concurrency: l.level.Concurrency, sessions: l.level.Sessions, ramp: s.Ramp}
	}
}

// collect folds finished requests until the channel closes: it alone writes
// them down and decides that a level hangs. Those that were cut off come apart.
func (l *load) collect() (requests, cut []*metric.Request) {
	requests = make([]*metric.Request, 0, min(l.level.Sessions, 1<<16))
	var row failureRow
	for r := range l.out {
		l.runner.keep(RequestLine{l.phase.Spec.Name, l.level.Concurrency, l.level.Rate, l.level.number(), r})
		if r.Outcome == metric.OutcomeCut {
			cut = append(cut, r)
			continue
		}
		requests = append(requests, r)
		l.live.Done.Add(1)
		if !r.OK {
			l.live.Failed.Add(1)
		}
		if last := row.add(r, l.level); last != "" {
			l.hung(last)
		}
	}
	inOrder(requests)
	inOrder(cut)
	return requests, cut
}

// inOrder sorts requests by the order of their sending.
func inOrder(requests []*metric.Request) {
	slices.SortStableFunc(requests, func(a, b *metric.Request) int { return a.Index - b.Index })
}

// exchange implements Exchange for one session.
type exchange struct {
	load  *load
	place Place
	moment
}

// Send implements Exchange.
func (x *exchange) Send(ctx context.Context, request *chat.Request) (*metric.Request, bool) {
	clock := x.load.runner.Clock
	x.load.live.InFlight.Add(1)
	defer x.load.live.InFlight.Add(-1)
	called := clock.Now()
	reply := x.load.runner.Client.Do(ctx, request)
	returned := clock.Now()
	stamps := metric.Stamps{Due: int64(x.due), Called: int64(called), Returned: int64(returned)}
	if reply.Failure == chat.Canceled {
		if x.load.cutting.Load() && reply.Written != 0 {
			x.record(cutOff(reply, stamps), request)
		}
		return nil, false
	}
	r := measure(reply, stamps)
	countRetries(r, reply)
	r.Endpoint, r.Held = request.Endpoint, x.held
	if x.load.level.Rate > 0 {
		r.CountFromDue()
	}
	x.moment = moment{due: returned}
	return r, true
}

// record hands on a request that was cut off, of which a kind has nothing to say.
func (x *exchange) record(r *metric.Request, request *chat.Request) {
	r.Endpoint, r.Held = request.Endpoint, x.held
	if x.load.level.Rate > 0 {
		r.CountFromDue()
	}
	x.Record(r)
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
