package engine

import (
	"context"
	"sync"
	"time"

	"scenario/internal/chat"
)

// preparedAhead is how many sessions of a schedule are made before they are due, so
// that the making of one delays none.
const preparedAhead = 64

// rate starts sessions on a schedule, whatever became of those before. Where as
// many are in flight as may be, a session waits, and so do those after it; each
// keeps the moment that it was due at.
type rate struct {
	clock    chat.Clock
	started  chat.Stamp      // what the schedule counts from
	schedule []time.Duration // ascending
	inFlight int             // most at once
	nap      func(time.Duration)
	duration time.Duration // what is not started by then is left out; 0: all are
	over     func()        // called when the duration is over, and sessions may still be in flight
}

func (p rate) pace(ctx context.Context, prepare func(int) func(moment)) {
	open, shut := ctx, context.CancelFunc(func() {})
	if p.duration > 0 {
		open, shut = context.WithTimeout(ctx, p.duration-p.clock.Now().Sub(p.started))
	}
	defer shut()
	var goroutines sync.WaitGroup
	prepared := make(chan func(moment), preparedAhead)
	goroutines.Go(func() {
		for i := range p.schedule {
			select {
			case prepared <- prepare(i):
			case <-open.Done():
				return
			}
		}
	})
	p.start(open, prepared, &goroutines)
	if p.duration > 0 {
		<-open.Done()
		p.over()
	}
	goroutines.Wait()
}

// start starts the prepared sessions, each when it is due.
func (p rate) start(open context.Context, prepared <-chan func(moment), sessions *sync.WaitGroup) {
	slots := make(chan struct{}, p.inFlight)
	behind := false // one had to wait, and those after it were due meanwhile
	for _, after := range p.schedule {
		var start func(moment)
		select {
		case start = <-prepared:
		case <-open.Done():
			return
		}
		due := p.started + chat.Stamp(after)
		behind = behind && p.clock.Now() > due
		if !p.await(open, due) {
			return
		}
		select {
		case slots <- struct{}{}:
		default:
			behind = true
			select {
			case slots <- struct{}{}:
			case <-open.Done():
				return
			}
		}
		at := moment{due: due, held: behind}
		sessions.Go(func() {
			defer func() { <-slots }()
			start(at)
		})
	}
}

// napping is the last stretch before a start, which the runtime's timers are too
// coarse for.
const napping = 2 * time.Millisecond

// await waits for a moment, or returns false when the time is over before it.
func (p rate) await(open context.Context, due chat.Stamp) bool {
	left := due.Sub(p.clock.Now())
	if p.nap == nil {
		return sleep(open, left)
	}
	if !sleep(open, left-napping) {
		return false
	}
	for left = due.Sub(p.clock.Now()); left > 0; left = due.Sub(p.clock.Now()) {
		p.nap(left)
	}
	return open.Err() == nil
}
