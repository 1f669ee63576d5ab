package engine

import (
	"fmt"

	"scenario/internal/metric"
)

func transportGuards() []Guard {
	return []Guard{
		{
			ID:     "died",
			Doc:    "the target stopped answering during the phase: after failures, a small request of the same shape gets no answer either",
			Effect: Reject,
			check: func(e *evidence) finding {
				if e.died == "" {
					return silent()
				}
				return fires("the target stopped answering: " + e.died)
			},
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
			ID:     "mixed-replies",
			Doc:    "replies of one level name different models or system fingerprints, or another model than was asked for",
			Effect: Warn,
			check:  mixedReplies,
		},
		{
			ID:         "concurrency-not-held",
			Doc:        "in closed mode, fewer requests were in flight than the level has, on average from the moment it was full to its last write",
			Effect:     Void,
			Thresholds: []Threshold{share("min_ratio", 0.95, "least mean in flight, as a share of the concurrency")},
			After:      []string{"died", "errors", "client-bound"},
			check:      concurrencyNotHeld,
		},
	}
}

func errorsOverBudget(e *evidence) finding {
	r, failed := first(e.found.Requests, func(r *metric.Request) bool { return r.Failed() && !r.ClientFault })
	budget := e.phase.Spec.ErrorBudget
	if failed == 0 || float64(failed) <= budget*float64(e.found.Issued) {
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

func concurrencyNotHeld(e *evidence) finding {
	held, ok := e.found.InflightMean.Number()
	least := e.threshold("min_ratio") * float64(e.found.Concurrency)
	if e.phase.Spec.Load.Mode != "closed" || e.found.Issued < 2*e.found.Concurrency || !ok || held >= least {
		return silent()
	}
	return fires(fmt.Sprintf("offered %d, held %.1f on average", e.found.Concurrency, held))
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
