package engine

import (
	"context"
	"slices"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
	"scenario/internal/target"
)

// How often a load's gauges are read: soon after its start, so that a short one has
// a reading, then every second, or so rarely that the server is not busy with it.
const (
	firstGauges = 250 * time.Millisecond
	gaugesEvery = time.Second
	gaugesShare = 50 // a reading that takes a time is followed by so many times of rest
)

// gaugeWatch is what the readings of the gauges saw.
type gaugeWatch struct {
	running, waiting, usage metric.Number // the largest
	samples                 int
	speculation             speculation
	strangers               []float64 // requests in the server beyond ours, by reading
}

// speculation is what gauges say of speculative decoding.
type speculation struct {
	told  bool      // the server has such gauges
	on    bool      // ... and one of them shows it at work
	rates []float64 // shares of drafted tokens that were accepted, where some were
}

func (s *speculation) add(c target.Counters) {
	rate, rated := c.AcceptRate.Number()
	length, counted := c.AcceptLength.Number()
	s.told = s.told || rated || counted
	s.on = s.on || rate > 0 || length > 1
	if rate > 0 && rate <= 1 {
		s.rates = append(s.rates, rate)
	}
}

// watchGauges reads the gauges of all places, again and again, until the function
// that it returns is called; the reader has ended when that returns. It has
// connections of its own.
func watchGauges(ctx context.Context, client *chat.Client, places []target.Place) (stop func() gaugeWatch) {
	if len(places) == 0 {
		return func() gaugeWatch { return gaugeWatch{} }
	}
	ctx, cancel := context.WithCancel(ctx)
	var w gaugeWatch
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for pause := firstGauges; sleep(ctx, pause); {
			began := time.Now()
			w.sample(ctx, client, places)
			pause = max(gaugesEvery, gaugesShare*time.Since(began))
		}
	}()
	return func() gaugeWatch {
		cancel()
		<-ended
		return w
	}
}

// sample reads the gauges once. A reading that lacks a server says nothing.
func (w *gaugeWatch) sample(ctx context.Context, client *chat.Client, places []target.Place) {
	ours := client.InFlight()
	running, waiting, usage := metric.Known(0), metric.Known(0), metric.Known(0)
	for _, at := range places {
		c, err := target.Read(ctx, client, at)
		if err != nil {
			return
		}
		running, waiting = sumNumbers(running, c.Running), sumNumbers(waiting, c.Waiting)
		usage = largest(usage, c.KVUsage)
		w.speculation.add(c)
	}
	ours = max(ours, client.InFlight())
	w.samples++
	w.running = most(w.running, running)
	w.waiting = most(w.waiting, waiting)
	w.usage = most(w.usage, usage)
	if in, known := sumNumbers(running, waiting).Number(); known {
		w.strangers = append(w.strangers, in-float64(ours))
	}
}

func (w *gaugeWatch) fill(to *metric.Server) {
	to.RunningMax, to.WaitingMax, to.KVUsageMax, to.Samples = w.running, w.waiting, w.usage, w.samples
	if mean, ok := metric.NewNumbers(slices.Clone(w.speculation.rates)).Mean(); ok {
		to.SpecAcceptRatio = metric.Known(mean)
	}
}

// sumNumbers is a + b, unknown where one is.
func sumNumbers(a, b metric.Number) metric.Number {
	x, known := a.Number()
	y, too := b.Number()
	if !known || !too {
		return metric.Number{}
	}
	return metric.Known(x + y)
}

// largest is the larger of two numbers, unknown where one is.
func largest(a, b metric.Number) metric.Number {
	x, known := a.Number()
	y, too := b.Number()
	if !known || !too {
		return metric.Number{}
	}
	return metric.Known(max(x, y))
}

// most is the larger of two numbers of which either may be unknown.
func most(a, b metric.Number) metric.Number {
	x, known := a.Number()
	y, too := b.Number()
	if !known || too && y > x {
		return b
	}
	return a
}
