package engine

import (
	"context"
	"fmt"
	"time"

	"scenario/internal/metric"
)

// Trial is what the client did against a server that does nothing, in this
// process: as many streams as the level that it was made for, at a token rate
// that real servers reach.
type Trial struct {
	Streams int             `json:"streams" doc:"streams at once"`
	Rate    float64         `json:"rate" doc:"events per second and stream"`
	LagP99  metric.Duration `json:"lag_p99" doc:"99th percentile of the time from an event's arrival to its being handled"`
	Held    metric.Number   `json:"held" doc:"events handled / events that were due"`
}

// The bounds of a trial. The server of a trial takes as much of the machine as the
// client, and makes all streams begin at one moment: the bound of its lag is wider
// than the live one.
const (
	maxTrialLag = 100 * time.Millisecond
	minHeld     = 0.95
)

// clientBound is the guard of the client's own limits.
func clientBound() Guard {
	return Guard{
		ID:     "client-bound",
		Doc:    "this program was the bottleneck: out of descriptors or ports, its CPU used up, its threads without a core, or too late in sending requests or in handling what had come",
		Effect: Void,
		Thresholds: []Threshold{
			share("max_cpu_ratio", 0.8, "largest share of the CPU that the program may use"),
			share("max_wait_ratio", 0.3, "largest share of the time its threads could have run in which they had no core, counted where they ran for at least a twentieth of a core, and where events were handled or requests written more than 5 ms late (p99)"),
			{Name: "max_lag_ms", Default: 20, Min: 1, Max: 1e4, Doc: "largest 99th percentile of client.lag, in milliseconds"},
			{Name: "max_send_lag_ms", Default: 20, Min: 1, Max: 1e4, Doc: "largest 99th percentile (or maximum of fewer than 299) of client.send_lag, in milliseconds"},
		},
		check: clientWasBound,
	}
}

// starvedLag is how late a client is that waits for its core as long as a scheduler
// lets another have it. One that waits often and briefly, as beside any busy server,
// is not late.
const starvedLag = 5 * time.Millisecond

func clientWasBound(e *evidence) finding {
	if r, n := first(e.found.Requests, func(r *metric.Request) bool { return r.ClientFault }); n > 0 {
		return fires(fmt.Sprintf("%d of %d requests failed on this machine, first: %s", n, e.found.Issued, r.Error))
	}
	c := &e.found.Client
	cpu, _ := c.CPURatio.Number()
	waited, _ := c.WaitRatio.Number()
	lag, _ := c.Lag.Tail().Duration()
	late, _ := c.SendLag.Tail().Duration()
	limit := func(name string) time.Duration {
		return time.Duration(e.threshold(name) * float64(time.Millisecond))
	}
	switch {
	case lag > limit("max_lag_ms"):
		return fires(fmt.Sprintf("the load generator was the bottleneck: what had come was handled %v late (p99)", lag.Round(100*time.Microsecond)))
	case late > limit("max_send_lag_ms"):
		return fires(fmt.Sprintf("the load generator was the bottleneck: requests were written %v after they were due (p99)", late.Round(100*time.Microsecond)))
	case e.sharesProcess:
		return silent()
	case cpu > e.threshold("max_cpu_ratio"):
		return fires(fmt.Sprintf("the load generator was the bottleneck: it used %.0f %% of its %d cores", 100*cpu, c.Cores))
	case waited > e.threshold("max_wait_ratio") && cpu*float64(c.Cores) > 0.05 && max(lag, late) > starvedLag:
		return fires(fmt.Sprintf("the load generator was starved: %.0f %% of the time its threads could have run they had no core", 100*waited))
	}
	return silent()
}

// calibrate makes sure that the client can hold a level, by trials before the
// first one: of the largest level that will be run, and if this machine cannot
// hold that, of each level as it comes. It returns why the level cannot be measured
// from here.
func (r *Runner) calibrate(ctx context.Context, l *LevelPlan) string {
	if r.Calibrate == nil || r.trial != nil && r.trial.Streams >= l.least() {
		return ""
	}
	if r.trial == nil {
		if largest := r.largest(); largest > l.least() && r.try(ctx, largest) == "" && r.trial != nil {
			return ""
		}
	}
	return r.try(ctx, l.least())
}

// largest is the largest concurrency that will be run.
func (r *Runner) largest() int {
	most := 0
	for _, ph := range r.Plan.Phases {
		for _, l := range ph.Levels {
			if r.misfit(l) == "" {
				most = max(most, l.least())
			}
		}
	}
	return most
}

// try makes a trial, and says why a level of so many streams cannot be measured if
// it did badly more than once: a single bad trial may be a neighbour's doing.
func (r *Runner) try(ctx context.Context, streams int) string {
	const tries = 3
	why := ""
	for range tries {
		trial, err := r.Calibrate(ctx, streams)
		if err != nil {
			return ""
		}
		r.result.Trial = trial
		if why = trial.tooSlow(); why == "" {
			r.trial = trial
			break
		}
	}
	return why
}

// tooSlow says why a client that did so in a trial cannot measure a server.
func (t *Trial) tooSlow() string {
	lag, _ := t.LagP99.Duration()
	held, known := t.Held.Number()
	if lag <= maxTrialLag && (!known || held >= minHeld) {
		return ""
	}
	why := fmt.Sprintf("this machine cannot hold %d streams: against a server that does nothing, events were handled %v late (p99)", t.Streams, lag.Round(100*time.Microsecond))
	if known {
		why += fmt.Sprintf(", %.0f %% of them in time", 100*held)
	}
	return why
}
