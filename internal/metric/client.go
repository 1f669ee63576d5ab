package metric

// Client holds what this program found out about itself while it measured a
// level. A level whose client was the bottleneck says nothing about the server.
type Client struct {
	CPURatio       Number    `json:"cpu_ratio" doc:"CPU time of this program / time, per core that it may use"`
	WaitRatio      Number    `json:"wait_ratio" doc:"of the time that this program's threads could have run, the share in which they had no core"`
	Lag            Durations `json:"lag" doc:"from the arrival of a read that brought tokens, as the kernel stamped it, to its being handled"`
	SendLag        Durations `json:"send_lag" doc:"from the moment a request was due to its write; at a rate to its being handed to the client, and only of requests that load.max_in_flight did not hold back"`
	CoalescedRatio Number    `json:"coalesced_ratio" doc:"token events that came in the same read as the one before / token events: those have its moment and not their own"`
	KernelRatio    Number    `json:"kernel_ratio" doc:"reads that the kernel stamped / reads; the others were stamped after they returned"`
	GCPause        Duration  `json:"gc_pause" doc:"the longest pause of this program's garbage collector"`
	Cores          int       `json:"cores" doc:"cores that this program may use"`
}

// Summarised are samples of which only a summary is known: their number, mean and
// extremes, in nanoseconds, and the quantiles that reports print.
func Summarised(n int, mean, least, most float64, quantile func(q float64) float64) Durations {
	if n == 0 {
		return Durations{}
	}
	k := &summary{n: n, mean: mean, least: least, most: most, quantiles: map[float64]float64{}}
	for _, q := range printed {
		if n >= MinSamples(q) {
			k.quantiles[q] = quantile(q)
		}
	}
	return Durations{samples{kept: k}}
}

// watchClient works out what the requests tell of the client.
func (l *Level) watchClient() {
	events, together, kernel, other := 0, 0, 0, 0
	for _, r := range l.Requests {
		kernel, other = kernel+r.KernelReads, other+r.OtherReads
		for _, gap := range r.Gaps {
			events++
			if gap == 0 {
				together++
			}
		}
	}
	l.Client.SendLag = l.StartLag
	if l.offered.Rate > 0 {
		l.Client.SendLag = l.lateStarts()
	}
	l.Client.CoalescedRatio = Ratio(Count(together), Count(events))
	l.Client.KernelRatio = Ratio(Count(kernel), Count(kernel+other))
}

// lateStarts is how late this program was with requests that were due at a moment
// of a schedule. A new connection may have to be opened for one, which is the
// server's time as much as ours, and start_lag has it.
func (l *Level) lateStarts() Durations {
	var late []float64
	for _, r := range l.Requests {
		if !r.Held && r.At.Called != 0 {
			late = append(late, float64(r.At.Called-r.At.Due))
		}
	}
	return NewDurations(late)
}
