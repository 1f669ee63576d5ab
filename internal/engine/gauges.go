package engine

import (
	"context"
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
	strangers               []float64 // requests in the server beyond ours, by reading
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
