package main

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"time"

	"scenario/internal/chat"
	"scenario/internal/engine"
	"scenario/internal/metric"
	"scenario/internal/nullserver"
)

// A trial lasts about trialTime at trialRate events per second and stream, a fast
// server's, or less where all streams together would have more than trialEvents per
// second: no server that is measured from one machine has. trialLimit is for a
// machine that cannot keep up at all.
const (
	trialTime   = time.Second
	trialRate   = 50.0
	trialEvents = 20_000.0
	trialLimit  = 10 * time.Second
)

// calibrate tries the client with so many streams against a server in this process
// that does nothing. The error says why no trial could be made.
func calibrate(ctx context.Context, streams int) (*engine.Trial, error) {
	if limit := descriptorLimit(); limit > 0 && limit < 2*streams+64 {
		return nil, fmt.Errorf("a trial of %d streams takes two files for each; this process may open %d", streams, limit)
	}
	rate := max(2, min(trialRate, trialEvents/float64(streams)))
	events := max(10, int(rate*trialTime.Seconds()))
	interval := time.Duration(float64(time.Second) / rate)
	server, err := nullserver.Start(nullserver.Config{Events: events, Interval: interval, First: interval})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	base, err := url.Parse(server.URL())
	if err != nil {
		return nil, err
	}
	client, err := chat.New(chat.Config{BaseURLs: []*url.URL{base}, Timeouts: chat.Timeouts{Request: trialLimit}})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	client.Open(ctx, 0, streams)
	handled := handle(ctx, client, streams, interval)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return &engine.Trial{
		Streams: streams, Rate: rate, LagP99: metric.Span(client.TakeLag().Quantile(0.99)),
		Held: metric.Known(float64(handled) / float64(streams*events)),
	}, nil
}

// handle sends all requests at once and counts the events that came no later after
// their stream's first than they were due, an eighth of the time allowed.
func handle(ctx context.Context, client *chat.Client, streams int, interval time.Duration) int {
	var slots sync.WaitGroup
	handled := make([]int, streams)
	for i := range streams {
		slots.Go(func() {
			events := client.Do(ctx, &chat.Request{Body: []byte("{}"), Stream: true}).Events
			for n, event := range events {
				late := event.At.Sub(events[0].At) - time.Duration(n)*interval
				if late <= interval*time.Duration(len(events))/8 {
					handled[i]++
				}
			}
		})
	}
	slots.Wait()
	sum := 0
	for _, n := range handled {
		sum += n
	}
	return sum
}
