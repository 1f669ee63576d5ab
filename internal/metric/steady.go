package metric

import "time"

// steadyGenerations is the fewest requests per slot that must have ended in the
// steady part for its throughput to be a figure: fewer are a burst and its tail.
const steadyGenerations = 3

// span is a stretch of time.
type span struct{ from, to int64 }

func (s span) seconds() float64 { return time.Duration(s.to - s.from).Seconds() }

// steadyPart is the time in which the level ran as it was meant to: from the moment
// that each of the first requests, as many as there are slots, has brought a token
// (at a rate: from the end of the first request), to the last start, or the end of
// the window. Where requests were cut off it ends with the start of the first of
// them, so that all that arrived in it is counted by the server. The zero span: no
// part is steady.
func (l *Level) steadyPart(sent []*Request) span {
	o := l.offered
	if o.Waves || len(sent) < o.slots() {
		return span{}
	}
	s := span{from: o.Full, to: sent[len(sent)-1].At.Written}
	for _, r := range sent[:o.slots()] {
		first := r.At.FirstToken
		if first == 0 || o.Rate > 0 {
			first = r.At.Closed
		}
		s.from = max(s.from, first)
	}
	if o.End > 0 {
		s.to = o.End
	}
	for _, r := range o.Cut {
		if r.At.Written != 0 {
			s.to = min(s.to, r.At.Written)
		}
	}
	if s.to <= s.from {
		return span{}
	}
	return s
}

// measureSteady works out the figures of the steady part.
func (l *Level) measureSteady(sent, good []*Request) {
	l.steady = l.steadyPart(sent)
	if l.steady == (span{}) {
		return
	}
	l.Steady = Span(time.Duration(l.steady.to - l.steady.from))
	if l.Generations() < steadyGenerations {
		return
	}
	tokens := total(good, func(r *Request) Number { return r.OutputTokens })
	if !tokens.known {
		return
	}
	l.OutputTPSSteady = Known(l.arrived(good, l.steady, 1)[0] / l.steady.seconds())
}

// Generations is how many requests per slot ended in the steady part.
func (l *Level) Generations() float64 {
	return float64(l.SteadyEnded()) / float64(l.offered.slots())
}

// SteadyEnded is how many requests ended in the steady part.
func (l *Level) SteadyEnded() int {
	return count(l.Requests, func(r *Request) bool { return l.steady.from <= r.At.Closed && r.At.Closed <= l.steady.to })
}

// SteadyRates is the throughput, in output tokens per second, of the steady part cut
// into so many pieces of equal length. Where the server does not count tokens, token
// events take their place, which is the same but for a constant. Nil: no part is
// steady, or nothing is known of what arrived in it.
func (l *Level) SteadyRates(pieces int) []float64 {
	if l.steady == (span{}) || pieces < 1 {
		return nil
	}
	good := l.good()
	if len(good) == 0 {
		return nil
	}
	rates := l.arrived(good, l.steady, pieces)
	for i := range rates {
		rates[i] *= float64(pieces) / l.steady.seconds()
	}
	return rates
}

// arrived is the output of the requests in each of a number of equal pieces of a
// stretch of time.
func (l *Level) arrived(requests []*Request, over span, pieces int) []float64 {
	into := make([]float64, pieces)
	counted := total(requests, func(r *Request) Number { return r.OutputTokens }).known
	for _, r := range requests {
		whole := float64(max(1, r.Events))
		if counted {
			whole = r.OutputTokens.value
		}
		r.spread(whole, over, into)
	}
	return into
}

// spread adds a request's output to equal pieces of a stretch of time, each token
// event an even part of it. What has no events is there with its last byte.
func (r *Request) spread(whole float64, over span, into []float64) {
	width := float64(over.to-over.from) / float64(len(into))
	put := func(at, part float64) {
		if i := int((at - float64(over.from)) / width); at >= float64(over.from) && i < len(into) {
			into[i] += part
		}
	}
	if r.At.FirstToken == 0 {
		put(float64(r.end()), whole)
		return
	}
	if r.At.LastToken < over.from || r.At.FirstToken >= over.to {
		return
	}
	at := float64(r.At.FirstToken)
	gap := func(i int) float64 { return r.Gaps[i] }
	if len(r.Gaps) != r.Events-1 { // let go: as if they had come evenly
		even := float64(r.At.LastToken-r.At.FirstToken) / float64(max(1, r.Events-1))
		gap = func(int) float64 { return even }
	}
	part := whole / float64(max(1, r.Events))
	put(at, part)
	for i := range r.Events - 1 {
		at += gap(i)
		put(at, part)
	}
}

// good are the good requests.
func (l *Level) good() []*Request {
	good := make([]*Request, 0, len(l.Requests))
	for _, r := range l.Requests {
		if r.OK {
			good = append(good, r)
		}
	}
	return good
}
