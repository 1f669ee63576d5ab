package engine

import (
	"runtime"
	"runtime/debug"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
	"scenario/internal/rusage"
)

// self is what this program uses of the machine, at one moment.
type self struct {
	at      time.Time
	cpu     time.Duration         // of all threads
	waiting map[int]time.Duration // by thread: ready to run, without a core; nil: not known
	pauses  int64                 // garbage collections so far
}

// lookAtSelf notes the moment before or after a load.
func lookAtSelf() self {
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	return self{at: time.Now(), cpu: rusage.CPUTime(), waiting: waitingTime(), pauses: gc.NumGC}
}

// since fills in what the program used between two moments, and the lag of what
// it handled.
func (before self) since(lag *chat.Lag, c *metric.Client) {
	now := lookAtSelf()
	c.Cores = runtime.GOMAXPROCS(0)
	passed := now.at.Sub(before.at)
	cpu := now.cpu - before.cpu
	if now.cpu > 0 && passed > 0 {
		c.CPURatio = metric.Known(cpu.Seconds() / (passed.Seconds() * float64(c.Cores)))
	}
	if before.waiting != nil && now.waiting != nil {
		waited := time.Duration(0)
		for thread, w := range now.waiting {
			waited += w - before.waiting[thread]
		}
		c.WaitRatio = metric.Ratio(metric.Known(waited.Seconds()), metric.Known((waited + cpu).Seconds()))
	}
	c.Lag = metric.Summarised(lag.Count(), float64(lag.Mean()), float64(lag.Quantile(0)), float64(lag.Max()), func(q float64) float64 { return float64(lag.Quantile(q)) })
	c.GCPause = metric.Span(longestPause(now.pauses - before.pauses))
}

// longestPause of the last n garbage collections.
func longestPause(n int64) time.Duration {
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	longest := time.Duration(0)
	for i, pause := range gc.Pause { // the most recent first
		if int64(i) >= n {
			break
		}
		longest = max(longest, pause)
	}
	return longest
}
