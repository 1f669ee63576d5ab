package metric

// countCut adds the requests that were cut off at the end of a window to the
// latencies that they would have had. A request that brought its first token has a
// time to first token like any other. What it did not come to is larger than any
// that did: leaving it out would make the slow ones vanish. A percentile that would
// fall among those is unknown, and so are the mean and the largest.
func (l *Level) countCut() {
	for _, latency := range []struct {
		to *Durations
		of func(*Request) Duration
	}{
		{&l.TTFT, func(r *Request) Duration { return r.TTFT }},
		{&l.TTFC, func(r *Request) Duration { return r.TTFC }},
		{&l.E2E, func(*Request) Duration { return Duration{} }},
	} {
		if latency.to.Count() == 0 {
			continue
		}
		values, beyond := latency.to.values, 0
		for _, r := range l.offered.Cut {
			if d := latency.of(r); d.known {
				values = append(values, float64(d.value))
			} else {
				beyond++
			}
		}
		*latency.to = NewDurations(values)
		latency.to.beyond = beyond
	}
}

// CountFromDue makes the latencies of a request count from the moment it was due
// instead of its write: what it waited for in this program is what a user would have
// waited for. What was not measured stays so.
func (r *Request) CountFromDue() {
	lag, ok := r.StartLag.Duration()
	if !ok {
		return
	}
	for _, d := range []*Duration{&r.TTFT, &r.TTFC, &r.E2E} {
		if d.known {
			d.value += lag
		}
	}
}
