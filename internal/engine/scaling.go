package engine

import (
	"slices"

	"scenario/internal/metric"
)

// fired reports whether a guard has fired at the level, whatever its effect.
func (l *LevelResult) fired(id string) bool {
	return slices.ContainsFunc(l.Guards, func(g GuardResult) bool { return g.ID == id && g.Status == Fired })
}

// steady reports whether a level's throughput says something of how the server
// scales: it is accepted, and the KV cache does not bound it.
func (l *LevelResult) steady() bool { return l.State == Accepted && !l.fired("kv-bound") }

// scale sets how a level's throughput stands to that of the accepted levels below
// it. The level's guards have been watched.
func scale(ladder []*LevelResult, found *metric.Level, r *LevelResult) {
	var one, lower *metric.Level
	if r.fired("kv-bound") || found.Concurrency == 0 {
		return
	}
	if found.Concurrency == 1 {
		one = found
	}
	for _, l := range ladder {
		if !l.steady() || l.Concurrency >= found.Concurrency {
			continue
		}
		if l.Concurrency == 1 {
			one = l.Figures
		}
		if lower == nil || l.Concurrency > lower.Concurrency {
			lower = l.Figures
		}
	}
	found.Scale(one, lower)
}

// scaling are the figures of a phase as a whole; nil: no level was run.
func scaling(levels []*LevelResult) *metric.Scaling {
	var rungs []metric.Rung
	ran := false
	for _, l := range levels {
		ran = ran || l.State != Skipped && l.State != IncompleteLevel
		rungs = append(rungs, metric.Rung{
			Level: l.Figures, At: max(float64(l.Concurrency), l.Rate), Accepted: l.State == Accepted,
			KVBound: l.fired("kv-bound"), Ended: ended(l),
		})
	}
	if !ran {
		return nil
	}
	return metric.NewScaling(rungs)
}

// ended is what ended the growth at a level that failed of it; empty: that is not
// known.
func ended(l *LevelResult) string {
	switch {
	case l.State == Rejected && l.fired("errors"):
		return "errors"
	case l.State == InvalidLevel && l.fired("client-bound"):
		return "client"
	}
	return ""
}
