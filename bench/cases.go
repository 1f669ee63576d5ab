package main

import (
	"time"

	"scenario/internal/nullserver"
)

// load is one measurement: the server's pace and what the client sends.
type load struct {
	Name    string
	Server  nullserver.Config
	Streams int     // requests at once; with Rate, requests in all
	Rate    float64 // requests per second; 0: all at once
	Read    bool    // stamp arrivals after the read, not by the kernel
}

// pauses reports whether the load leaves its cores idle at times.
func (l load) pauses() bool { return l.Server.Interval > 0 }

// target is the bound of a figure: at most, or at least if Least. A bound of CPU
// time depends on the machine, whose part in it is the floor.
type target struct {
	Bound float64
	Least bool
	CPU   bool
}

// floorOfTargets is the floor, in microseconds, of the machine that the targets were
// set on.
const floorOfTargets = 6.7

// on is the target for a machine with another floor.
func (t target) on(floor float64) target {
	switch {
	case !t.CPU || floor <= 0:
	case t.Least:
		t.Bound *= floorOfTargets / floor
	default:
		t.Bound *= floor / floorOfTargets
	}
	return t
}

func (t target) met(v float64) bool { return t.Least == (v >= t.Bound) || v == t.Bound }

// figure is one number of the report.
type figure struct {
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	Value  float64 `json:"value"`
	Target *target `json:"target,omitempty"`
}

// measured is a case with what its client found.
type measured struct {
	load
	want func(*sample) []figure
}

// cases are all measurements.
func cases(quick bool) []measured {
	streams, seconds, most, burst := 1024, 6, 4096, 20_000
	if quick {
		streams, seconds, most, burst = 16, 1, 64, 200
	}
	list := []measured{{load{Name: floorName, Streams: burst}, func(s *sample) []figure {
		return []figure{{"write and read of one event", "µs", s.CPU, nil}}
	}}}
	for _, read := range []bool{false, true} {
		for _, tokens := range []int{20, 50} {
			for _, together := range []bool{false, true} {
				list = append(list, paced(streams, tokens, seconds, together, read))
			}
		}
		list = append(list, ttft(seconds, streams, read)...)
		list = append(list, unpaced(1, burst, read), unpaced(16, burst, read))
	}
	for _, n := range []int{most / 16, most / 4, most} {
		list = append(list, memory(n, most*5/n, seconds))
	}
	return list
}

// bound is a target that is only set for the kernel's stamps: the others are there
// to be compared.
func bound(v float64, read bool) *target {
	if read {
		return nil
	}
	return &target{Bound: v}
}

// cpuBound is a bound of CPU time.
func cpuBound(v float64, read bool) *target {
	t := bound(v, read)
	if t != nil {
		t.CPU = true
	}
	return t
}

// paced is a number of streams at a rate of tokens, spread or all in one burst.
func paced(streams, tokens, seconds int, together, read bool) measured {
	interval := time.Second / time.Duration(tokens)
	cpu := map[int]float64{20: 18, 50: 13}[tokens]
	shape := "spread"
	if together {
		shape = "burst"
	}
	return measured{
		load{
			Name:    sprint("%d streams at %d tok/s, %s", streams, tokens, shape),
			Server:  nullserver.Config{Events: tokens * seconds, Interval: interval, First: 2 * interval, Burst: together},
			Streams: streams, Read: read,
		},
		func(s *sample) []figure {
			return []figure{
				{"arrival error p50", "µs", s.Arrival.P50, nil},
				{"arrival error p99", "µs", s.Arrival.P99, bound(25, read)},
				{"arrival error p99.9", "µs", s.Arrival.P999, nil},
				{"ITL error p50", "µs", s.ITL.P50, nil},
				{"ITL error p99", "µs", s.ITL.P99, bound(20, read)},
				{"CPU per event", "µs", s.CPU, cpuBound(cpu, read)},
				{"core in use", "%", s.Busy, nil},
			}
		},
	}
}

// ttft are requests at a rate, and all at once.
func ttft(seconds, streams int, read bool) []measured {
	want := func(p99 float64) func(*sample) []figure {
		return func(s *sample) []figure {
			return []figure{
				{"TTFT error p50", "µs", s.TTFT.P50, nil},
				{"TTFT error p99", "µs", s.TTFT.P99, bound(p99, read)},
				{"allocations per request", "", s.RequestAllocs, nil},
			}
		}
	}
	const rate = 200
	server := nullserver.Config{Events: 4, Interval: 5 * time.Millisecond, First: 20 * time.Millisecond}
	wide := nullserver.Config{Events: 4, Interval: 50 * time.Millisecond, First: 250 * time.Millisecond}
	return []measured{
		{load{Name: sprint("%d requests per second", rate), Server: server, Streams: rate * seconds, Rate: rate, Read: read}, want(300)},
		{load{Name: sprint("%d requests at once", streams), Server: wide, Streams: streams, Read: read}, want(500)},
	}
}

// unpaced are streams as fast as they go, with so many events in each write.
func unpaced(perWrite, events int, read bool) measured {
	name, least := "one event per packet, unpaced", 170.0
	if perWrite > 1 {
		name, least = sprint("%d events per packet, unpaced", perWrite), 1500
	}
	events *= perWrite
	return measured{
		load{Name: name, Server: nullserver.Config{Events: events, PerWrite: perWrite}, Streams: 8, Read: read},
		func(s *sample) []figure {
			speed := &target{least, true, true}
			if read {
				speed = nil
			}
			return []figure{
				{"events per second and core", "k", 1e3 / s.CPU, speed},
				{"events per read", "", s.PerRead, nil},
				{"allocations per event", "", s.Allocs, bound(0.01, read)},
			}
		},
	}
}

// memory is a number of streams at a rate of tokens, in a process of its own.
func memory(streams, tokens, seconds int) measured {
	interval := time.Second / time.Duration(tokens)
	bounds := map[int]float64{1024: 40, 4096: 100}
	return measured{
		load{
			Name:    sprint("memory of %d streams at %d tok/s", streams, tokens),
			Server:  nullserver.Config{Events: max(4, tokens*seconds), Interval: interval, First: 2 * interval},
			Streams: streams,
		},
		func(s *sample) []figure {
			rss := figure{"resident memory", "MB", s.RSS, nil}
			if limit := bounds[streams]; limit > 0 {
				rss.Target = &target{Bound: limit}
			}
			return []figure{rss, {"CPU per event", "µs", s.CPU, nil}}
		},
	}
}
