package engine

import (
	"fmt"
	"time"

	"scenario/internal/metric"
)

func transportGuards() []Guard {
	return []Guard{
		{
			ID:     "died",
			Doc:    "the target stopped answering during the phase: after failures, a small request of the same shape gets no answer either, or a new process has taken its place",
			Effect: Reject,
			check:  targetDied,
		},
		{
			ID:     "errors",
			Doc:    "transport failures (http_error, connect_error, timeout, stream_broken) over the phase's error_budget, a share of the requests issued",
			Effect: Reject,
			After:  []string{"died"},
			check:  errorsOverBudget,
		},
		clientBound(),
		{
			ID:         "reconnects",
			Doc:        "the server closed kept connections under requests; each was sent once more on a new one, which its TTFT includes",
			Effect:     Warn,
			Thresholds: []Threshold{share("max_share", 0.01, "largest share of requests that may be so")},
			check: func(e *evidence) finding {
				_, n := first(e.found.Requests, func(r *metric.Request) bool { return r.Reconnects > 0 })
				return remark(metric.Exceeds(n, e.threshold("max_share"), e.found.Issued),
					fmt.Sprintf("the server closed kept connections under %d of %d requests: each was sent once more, which its TTFT includes", n, e.found.Issued))
			},
		},
		{
			ID:     "warm-up-failed",
			Doc:    "no request of the warm-up before the level came back good: it may have begun cold",
			Effect: Warn,
			check: func(e *evidence) finding {
				w := e.warmup
				if w == nil || w.Sent == 0 || w.Failed < w.Sent {
					return silent()
				}
				return fires(fmt.Sprintf("the warm-up failed: %d of %d requests, first: %s", w.Failed, w.Sent, w.Error))
			},
		},
		{
			ID:     "mixed-replies",
			Doc:    "replies of one level name different models or system fingerprints, or another model than was asked for",
			Effect: Warn,
			check:  mixedReplies,
		},
		{
			ID:         "concurrency-not-held",
			Doc:        "in closed and window mode, fewer requests were in flight than the level has, on average from the moment it was full to its last write or the end of the window; at a rate, a start waited because max_in_flight were in flight; not checked where requests take less than 20 times what this program needs to send one, or all of them less than 100 ms",
			Effect:     Void,
			Thresholds: []Threshold{share("min_ratio", 0.95, "least mean in flight, as a share of the concurrency")},
			After:      []string{"died", "errors", "client-bound"},
			check:      concurrencyNotHeld,
		},
	}
}

func targetDied(e *evidence) finding {
	if e.died != "" {
		return fires("the target stopped answering: " + e.died)
	}
	if e.server == nil || e.server.restarted == "" {
		return silent()
	}
	r, failed := first(e.found.Requests, func(r *metric.Request) bool { return r.Failed() && !r.ClientFault })
	if failed == 0 {
		return silent() // target-changed says so
	}
	return fires(fmt.Sprintf("the target died and was started again (%s): %d of %d requests failed, first: %s: %s", e.server.restarted, failed, e.found.Issued, r.Outcome, r.Error))
}

func errorsOverBudget(e *evidence) finding {
	r, failed := first(e.found.Requests, func(r *metric.Request) bool { return r.Failed() && !r.ClientFault })
	budget := e.phase.Spec.ErrorBudget
	if !metric.Exceeds(failed, budget, e.found.Issued) {
		return silent()
	}
	return fires(fmt.Sprintf("%d of %d requests failed (error_budget %g), first: %s: %s", failed, e.found.Issued, budget, r.Outcome, r.Error))
}

func mixedReplies(e *evidence) finding {
	models, prints := map[string]bool{}, map[string]bool{}
	for _, r := range e.whole() {
		if r.Model != "" {
			models[r.Model] = true
		}
		if r.SystemFingerprint != "" {
			prints[r.SystemFingerprint] = true
		}
	}
	switch {
	case len(models) == 1 && e.model != "" && !models[e.model]:
		return fires(fmt.Sprintf("replies name the model %s, requests asked for %s", listed(models), e.model))
	case len(models) > 1:
		return fires("replies name different models: " + listed(models))
	case len(prints) > 1:
		return fires("replies carry different system fingerprints: " + listed(prints))
	}
	return silent()
}

// Levels shorter than briefLevel, or whose requests take less than lagsPerRequest
// times what this program needs to send one, are not held full by any server.
const (
	briefLevel     = 100 * time.Millisecond
	lagsPerRequest = 20
)

func concurrencyNotHeld(e *evidence) finding {
	switch e.phase.Spec.Load.Mode {
	case "wave":
		return silent()
	case "rate":
		return rateNotHeld(e)
	}
	held, ok := e.found.InflightMean.Number()
	least := e.threshold("min_ratio") * float64(e.found.Concurrency)
	if e.found.Issued < 2*e.found.Concurrency || !ok || held >= least {
		return silent()
	}
	if why := tooShort(e.found); why != "" {
		return unchecked(fmt.Sprintf("held %.1f of %d on average, but %s", held, e.found.Concurrency, why))
	}
	return fires(fmt.Sprintf("offered %d, held %.1f on average", e.found.Concurrency, held))
}

// rateNotHeld: requests that could not be sent when they were due were not offered at
// the level's rate, and what they would have found is not known.
func rateNotHeld(e *evidence) finding {
	r, held := first(e.found.Requests, func(r *metric.Request) bool { return r.Held })
	switch {
	case held > 0:
		message := fmt.Sprintf("%d of %d requests could not start when they were due, because max_in_flight (%d) were in flight", held, e.level.Sessions, e.level.inFlight)
		if late, ok := r.StartLag.Duration(); ok {
			message += fmt.Sprintf("; the first began %v late", late.Round(time.Millisecond))
		}
		if e.missed > 0 {
			message += fmt.Sprintf("; %d were never sent", e.missed)
		}
		return fires(message + ": the rate was not held")
	case e.missed > 0:
		return fires(fmt.Sprintf("%d of %d requests were never sent, because max_in_flight (%d) were in flight: the rate was not held", e.missed, e.level.Sessions, e.level.inFlight))
	}
	return silent()
}

// tooShort says why this program, and not the server, may be what kept a level from
// being full; empty: it is not. What was not measured excuses nothing.
func tooShort(l *metric.Level) string {
	latency, timed := l.E2E.Mean()
	lag, sent := l.StartLag.Mean()
	if timed && sent && latency < lagsPerRequest*lag {
		return fmt.Sprintf("the requests are too short to hold it: they took %v, and this program %v to send each",
			time.Duration(latency).Round(10*time.Microsecond), time.Duration(lag).Round(time.Microsecond))
	}
	if window, ok := l.Window.Duration(); ok && window < briefLevel {
		return fmt.Sprintf("the requests are too short to hold it: all of them together took %v", window.Round(10*time.Microsecond))
	}
	return ""
}

// first is the first request for which the test holds, and how many there are.
func first(requests []*metric.Request, is func(*metric.Request) bool) (*metric.Request, int) {
	var found *metric.Request
	n := 0
	for _, r := range requests {
		if is(r) {
			n++
			if found == nil {
				found = r
			}
		}
	}
	return found, n
}
