package metric

import "slices"

// Offered is how a level's load was offered: what its figures are to be read by.
// Stamps are on the clock of the requests.
type Offered struct {
	Concurrency int     // sessions kept in flight; 0: at a rate
	Rate        float64 // sessions started per second; 0: not at a rate
	Waves       bool    // all at once, again and again: no part of the level is steady
	Start       int64   // moment that a load by the clock began; 0: it is one of so many sessions
	Full        int64   // moment from which as many may be in flight as are meant to be; 0: from the start
	End         int64   // moment from which nothing is started any more; 0: after so many sessions
	// Cut are the requests that were in flight at the end and were cancelled, in the
	// order of their sending. They are neither good nor failed.
	Cut []*Request
	// Beside are requests that held slots of the load and are none of it. They count
	// as in flight, and nowhere else.
	Beside []*Request
}

// NewLevel works out the figures of a level that kept so many sessions in flight.
// The requests are in order of their sending; the level keeps them.
func NewLevel(concurrency int, requests []*Request) *Level {
	return Offered{Concurrency: concurrency}.Level(requests)
}

// slots is how many sessions the level has at once: 1 where there is no such number.
func (o Offered) slots() int { return max(1, o.Concurrency) }

// sent are the requests that were written, cut ones too, in the order of their writes.
func (l *Level) sent() []*Request {
	sent := slices.Concat(l.Requests, l.offered.Cut)
	sent = slices.DeleteFunc(sent, func(r *Request) bool { return r.At.Written == 0 })
	slices.SortStableFunc(sent, func(a, b *Request) int { return int(a.At.Written - b.At.Written) })
	return sent
}

// inflight is the mean number of requests in flight. The time before the level is
// full and after its last request has been written says nothing of how well the
// concurrency was held, and is left out if there is a time between. A window is
// full to its end, and a rate is held from its first start.
func (l *Level) inflight(sent []*Request) Number {
	if len(sent) == 0 {
		return Number{}
	}
	o := l.offered
	var closed int64
	for _, r := range sent {
		closed = max(closed, r.At.Closed)
	}
	from, to := sent[0].At.Written, closed
	last := sent[len(sent)-1].At.Written
	full := sent[min(o.slots(), len(sent))-1].At.Written
	switch {
	case o.End > max(full, o.Full):
		from, to = max(full, o.Full), o.End
	case last > max(full, o.Full):
		from, to = max(full, o.Full), last
	}
	busy := int64(0)
	for _, r := range slices.Concat(sent, o.Beside) {
		busy += max(0, min(r.At.Closed, to)-max(r.At.Written, from))
	}
	return Ratio(Known(float64(busy)), Known(float64(to-from)))
}
