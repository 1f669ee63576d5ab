package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/url"
	"runtime"
	"slices"
	"sync"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
	"scenario/internal/nullserver"
)

// order is what a client process is told.
type order struct {
	Load load
	URL  string
}

// sample is what a client process found. Errors and CPU are in microseconds,
// memory in 10^6 bytes; unknown is 0.
type sample struct {
	Arrival, ITL, TTFT spread
	CPU                float64 // per event
	Busy               float64 // percent of a core
	Allocs             float64 // per event
	RequestAllocs      float64 // per request, with its reply
	RSS                float64
	Events             int
	PerRead            float64 // events in a read of the connection
	KernelShare        float64 // of the reads, stamped by the kernel
}

// spread are percentiles of errors.
type spread struct{ P50, P99, P999 float64 }

func spreadOf(errors []float64) spread {
	if len(errors) == 0 {
		return spread{}
	}
	slices.Sort(errors)
	at := func(q float64) float64 { return metric.Interpolate(errors, q) / 1e3 }
	return spread{at(0.5), at(0.99), at(0.999)}
}

// drive sends a load's requests and prints a sample.
func drive(orders string, stdout io.Writer) error {
	var o order
	if err := json.Unmarshal([]byte(orders), &o); err != nil {
		return err
	}
	if o.Load.Name == floorName {
		return floor(stdout, o.Load.Streams)
	}
	base, err := url.Parse(o.URL)
	if err != nil {
		return err
	}
	clock := chat.NewClock()
	client, err := chat.New(chat.Config{BaseURLs: []*url.URL{base}, Clock: clock, ReadStamps: o.Load.Read})
	if err != nil {
		return err
	}
	defer client.Close()
	ctx := context.Background()
	offset := clockOffset(clock)
	client.Open(ctx, 0, o.Load.connections())
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := startMeter(clock)
	replies := o.Load.send(ctx, client)
	looks := m.stop()
	runtime.ReadMemStats(&after)
	resident := residentBytes() // before the evaluation, which takes some too
	s, err := o.Load.judge(replies, offset)
	if err != nil {
		return err
	}
	begin, end := streaming(replies)
	used := between(looks, begin, end)
	s.CPU = used.Seconds() * 1e6 / float64(s.Events)
	s.Busy = 100 * float64(used) / float64(max(1, end-begin))
	allocs := float64(after.Mallocs - before.Mallocs)
	s.Allocs, s.RequestAllocs = allocs/float64(s.Events), allocs/float64(len(replies))
	s.RSS = float64(resident) / 1e6
	return json.NewEncoder(stdout).Encode(s)
}

// connections are opened before the load.
func (l load) connections() int {
	if l.Rate > 0 {
		return 64
	}
	return l.Streams
}

// clockOffset is what to add to the client's clock for the clock that the server's
// stamps are of: the closest pair of many readings.
func clockOffset(clock chat.Clock) int64 {
	best, offset := int64(math.MaxInt64), int64(0)
	for range 1000 {
		a := nullserver.Now()
		at := int64(clock.Now())
		b := nullserver.Now()
		if b-a < best {
			best, offset = b-a, a+(b-a)/2-at
		}
	}
	return offset
}

// send sends all requests, at once or at the load's rate.
func (l load) send(ctx context.Context, client *chat.Client) []*chat.Reply {
	replies := make([]*chat.Reply, l.Streams)
	request := &chat.Request{Body: []byte(`{"prompt":[1],"stream":true}`), Stream: true}
	start := time.Now()
	gate := make(chan struct{})
	var slots sync.WaitGroup
	for i := range replies {
		if l.Rate > 0 {
			time.Sleep(time.Until(start.Add(time.Duration(float64(i) / l.Rate * float64(time.Second)))))
		}
		slots.Go(func() {
			if l.Rate == 0 {
				<-gate
			}
			replies[i] = client.Do(ctx, request)
		})
	}
	close(gate)
	slots.Wait()
	return replies
}

// judge compares the replies' stamps with the server's.
func (l load) judge(replies []*chat.Reply, offset int64) (*sample, error) {
	s := &sample{}
	var arrival, itl, first []float64
	kernel, reads := 0, 0
	for _, r := range replies {
		if r.Failure != chat.NoFailure {
			return nil, fmt.Errorf("a request failed: %s", r.Error)
		}
		request, written, ok := nullserver.Stamps(r.Content, len(r.Events))
		if !ok || len(r.Events) != l.Server.Events {
			return nil, fmt.Errorf("a reply has %d events of %d, or no stamps", len(r.Events), l.Server.Events)
		}
		s.Events += len(r.Events)
		kernel, reads = kernel+r.KernelReads, reads+r.KernelReads+r.OtherReads
		for i, event := range r.Events {
			arrival = append(arrival, math.Abs(float64(int64(event.At)+offset-written[i])))
			if i > 0 {
				gap := float64(event.At - r.Events[i-1].At)
				itl = append(itl, math.Abs(gap-float64(written[i]-written[i-1])))
			}
		}
		ttft := float64(r.Events[0].At - r.Written)
		first = append(first, math.Abs(ttft-float64(written[0]-request)))
	}
	s.Arrival, s.ITL, s.TTFT = spreadOf(arrival), spreadOf(itl), spreadOf(first)
	if reads > 0 {
		s.PerRead = float64(s.Events) / float64(reads)
		s.KernelShare = float64(kernel) / float64(reads)
	}
	return s, nil
}
