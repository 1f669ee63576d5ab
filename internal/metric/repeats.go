package metric

import (
	"math"
	"reflect"
	"slices"
	"time"
)

// Pool makes one level of several that were run one after the other. Counts, lists
// and distributions are over the requests of all; what is over the time of a level
// is the median of theirs (fields with the tag pool:"median"), or their mean
// (pool:"mean"), and unknown where one does not know it. Of the client's part the
// worst is kept.
func Pool(levels []*Level, limits Limits) *Level {
	offered := Offered{Concurrency: levels[0].Concurrency, Rate: levels[0].Rate}
	var all Requests
	for _, l := range levels {
		all = append(all, l.Requests...)
		offered.Cut = append(offered.Cut, l.offered.Cut...)
	}
	pooled := offered.Level(all)
	pooled.Attain(limits)
	to := reflect.ValueOf(pooled).Elem()
	for i := range to.NumField() {
		of := func(l *Level) reflect.Value { return reflect.ValueOf(l).Elem().Field(i) }
		switch to.Type().Field(i).Tag.Get("pool") {
		case "median":
			setPooled(to.Field(i), levels, of, median)
		case "mean":
			setPooled(to.Field(i), levels, of, mean)
		}
	}
	pooled.Minutes = nil // each run has its own
	pooled.poolClient(levels)
	pooled.poolServer(levels)
	return pooled
}

// setPooled sets a number or a duration to what is made of those of the levels.
func setPooled(to reflect.Value, levels []*Level, of func(*Level) reflect.Value, pool func([]float64) float64) {
	values := make([]float64, 0, len(levels))
	for _, l := range levels {
		switch v := of(l).Interface().(type) {
		case Number:
			if v.known {
				values = append(values, v.value)
			}
		case Duration:
			if v.known {
				values = append(values, float64(v.value))
			}
		}
	}
	known := len(values) == len(levels)
	switch pointer := to.Addr().Interface().(type) {
	case *Number:
		*pointer = Number{}
		if known {
			*pointer = Known(pool(values))
		}
	case *Duration:
		*pointer = Duration{}
		if known {
			*pointer = Span(time.Duration(pool(values)))
		}
	}
}

// median is the middle value, or the mean of the two that are in the middle.
func median(values []float64) float64 {
	slices.Sort(values)
	return Interpolate(values, 0.5)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// poolClient keeps the worst of what the client found out about itself; what the
// requests tell of it is there already.
func (l *Level) poolClient(levels []*Level) {
	c := &l.Client
	for _, one := range levels {
		o := &one.Client
		c.CPURatio = larger(c.CPURatio, o.CPURatio)
		c.WaitRatio = larger(c.WaitRatio, o.WaitRatio)
		c.Cores = max(c.Cores, o.Cores)
		if o.GCPause.known && (!c.GCPause.known || o.GCPause.value > c.GCPause.value) {
			c.GCPause = o.GCPause
		}
		if mine, theirs := c.Lag.Tail(), o.Lag.Tail(); theirs.known && (!mine.known || theirs.value > mine.value) {
			c.Lag = o.Lag
		}
	}
}

// poolServer puts together what the server said of each: the largest of its gauges,
// the sum of its counters; unknown where one does not know it.
func (l *Level) poolServer(levels []*Level) {
	s := &l.Server
	*s = levels[0].Server
	cached := product(s.CachedRatio, s.PromptTokens)
	accepted := s.SpecAcceptRatio
	for _, one := range levels[1:] {
		o := &one.Server
		s.RunningMax = both(s.RunningMax, o.RunningMax, math.Max)
		s.WaitingMax = both(s.WaitingMax, o.WaitingMax, math.Max)
		s.KVUsageMax = both(s.KVUsageMax, o.KVUsageMax, math.Max)
		s.Preemptions = sum(s.Preemptions, o.Preemptions)
		s.PromptTokens = sum(s.PromptTokens, o.PromptTokens)
		s.GenerationTokens = sum(s.GenerationTokens, o.GenerationTokens)
		cached = sum(cached, product(o.CachedRatio, o.PromptTokens))
		accepted = sum(accepted, o.SpecAcceptRatio)
		s.Samples += o.Samples
	}
	s.CachedRatio = Ratio(cached, s.PromptTokens)
	s.SpecAcceptRatio = Ratio(accepted, Count(len(levels)))
}

func product(a, b Number) Number {
	return both(a, b, func(x, y float64) float64 { return x * y })
}

func both(a, b Number, of func(x, y float64) float64) Number {
	if !a.known || !b.known {
		return Number{}
	}
	return Known(of(a.value, b.value))
}

func larger(a, b Number) Number {
	if b.known && (!a.known || b.value > a.value) {
		return b
	}
	return a
}
