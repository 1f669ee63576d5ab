package spec

import (
	"fmt"
	"slices"
	"strings"
)

// loadKeys says which keys of load belong to which modes. What the others write in
// their place is told with the refusal.
var loadKeys = []struct {
	key     string
	modes   []string
	instead map[string]string
}{
	{"requests", []string{"closed", "rate"}, map[string]string{
		"wave":   "requests has no place in wave mode, where a level sends waves x concurrency|write waves in its place",
		"window": "requests has no place in window mode, which ends by its duration|remove requests, or write mode: closed",
	}},
	{"waves", []string{"wave"}, map[string]string{
		"closed": "waves has no place in closed mode|write mode: wave, or requests in its place",
	}},
	{"rates", []string{"rate"}, nil},
	{"arrivals", []string{"rate"}, nil},
	{"max_in_flight", []string{"rate"}, nil},
	{"duration", []string{"window", "rate"}, map[string]string{
		"closed": "duration has no place in closed mode, which ends by its requests|write mode: window, or requests in its place",
	}},
	{"ramp", []string{"closed", "window"}, nil},
	{"drain", []string{"window", "rate"}, nil},
}

// checkLoad wants a load that fits its mode, reaches its levels and ends.
func (c *checker) checkLoad(p *Phase) {
	if mode := p.Load.At.Key("mode"); mode.Exists() && c.faults.bad[mode.node] {
		return
	}
	misplaced := false
	for _, row := range loadKeys {
		key := p.Load.At.Key(row.key)
		if !key.Exists() || slices.Contains(row.modes, p.Load.Mode) {
			continue
		}
		misplaced = true
		message, fix, told := strings.Cut(row.instead[p.Load.Mode], "|")
		if !told {
			message, fix = fmt.Sprintf("%s has no place in %s mode", row.key, p.Load.Mode), fmt.Sprintf("remove it, or write mode: %s", strings.Join(row.modes, " or "))
		}
		c.faults.add(key.key, message, fix)
	}
	if misplaced || !c.faults.clean(p.Load.At.node) {
		return
	}
	switch p.Load.Mode {
	case "closed":
		c.checkReached(p)
	case "window":
		if !p.Load.At.Key("duration").Exists() {
			c.faults.note(p.Load.At.DiagnoseKey("window mode needs a duration", "add duration: 5m"))
		}
	case "rate":
		c.checkEnd(p)
		c.checkNoMultiples(p)
	}
	c.checkTimes(p)
}

// checkReached wants as many requests as the highest level has slots.
func (c *checker) checkReached(p *Phase) {
	requests, n := p.Load.At.Key("requests"), p.Load.Sessions.N
	if !requests.Exists() || n == 0 || !c.faults.clean(p.At.Key("concurrency").node) {
		return
	}
	if highest := slices.Max(append([]int{0}, p.Concurrency...)); n < highest {
		c.faults.add(requests.node, fmt.Sprintf("level %d can't be reached with %d requests", highest, n),
			fmt.Sprintf("write %d or more, or 1x", highest))
	}
}

// checkEnd wants one end of a load in rate mode, and no other.
func (c *checker) checkEnd(p *Phase) {
	duration, requests, drain := p.Load.At.Key("duration"), p.Load.At.Key("requests"), p.Load.At.Key("drain")
	switch {
	case duration.Exists() && requests.Exists():
		c.faults.add(requests.key, "a load in rate mode ends by its duration or by its requests, not by both", "keep one of the two")
	case !duration.Exists() && !requests.Exists():
		c.faults.note(p.Load.At.DiagnoseKey("rate mode needs an end", "add duration: 5m, or requests: 500"))
	case drain.Exists() && !duration.Exists():
		c.faults.add(drain.key, "drain says what becomes of requests in flight when a duration is over, and this load has none", "remove drain, or write duration in place of requests")
	}
}

// checkNoMultiples refuses counts per slot, of which a rate has none.
func (c *checker) checkNoMultiples(p *Phase) {
	for _, count := range []struct {
		at    At
		count Count
	}{{p.Load.At.Key("requests"), p.Load.Sessions}, {p.Warmup.At.Key("requests"), p.Warmup.Requests}} {
		if count.at.Exists() && count.count.PerC > 0 {
			c.faults.add(count.at.node, fmt.Sprintf("%dx is a multiple of the concurrency, and a level of a rate has none", count.count.PerC), "write a number")
		}
	}
}

// checkTimes wants times that fit each other.
func (c *checker) checkTimes(p *Phase) {
	l := &p.Load
	ramp, most := l.At.Key("ramp"), l.At.Key("max_duration")
	if l.Mode == "window" && ramp.Exists() && l.Duration > 0 && l.Ramp >= l.Duration {
		c.faults.add(ramp.node, fmt.Sprintf("a ramp of %v leaves nothing of a window of %v", l.Ramp, l.Duration), "write a shorter ramp, or a longer duration")
	}
	if most.Exists() && l.Duration > 0 && l.MaxDuration <= l.Duration {
		c.faults.add(most.node, fmt.Sprintf("a level whose load takes %v never ends within %v", l.Duration, l.MaxDuration), "write a longer max_duration")
	}
}

// checkRates wants rates in ascending order in the concurrency's place.
func (c *checker) checkRates(p *Phase, concurrency At) {
	rates := p.Load.At.Key("rates")
	switch {
	case concurrency.Exists():
		c.faults.add(concurrency.key, "concurrency has no place in rate mode, where each of load.rates is a level", "remove concurrency, or write another mode")
	case !rates.Exists():
		c.faults.note(p.Load.At.DiagnoseKey("rate mode needs rates: each is a level", "add rates: [1, 2, 4], in sessions per second"))
	}
	if !rates.Exists() || !c.faults.clean(rates.node) {
		return
	}
	for i := 1; i < len(p.Load.Rates); i++ {
		before, rate := p.Load.Rates[i-1], p.Load.Rates[i]
		if rate <= before {
			c.faults.add(rates.Item(i).node, fmt.Sprintf("rate %g stands after rate %g, and levels are in ascending order", rate, before), "order the rates, each once")
			return
		}
	}
	if formula := p.At.Key("formula"); formula.Exists() {
		c.faults.add(formula.key, "a published method has levels of concurrency, not of rates", "remove formula, or write mode: wave or closed")
	}
}
