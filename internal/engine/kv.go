package engine

import (
	"fmt"

	"scenario/internal/metric"
	"scenario/internal/spec"
)

// demand compares a level's KV cache with what the target holds; 0: not known.
//
// Sessions that start together end together, and then hold prompt and output, all
// of them: C·(P+O). Sessions spread evenly over their course hold half of their
// output on average: C·(P+O/2). Equal lengths stay in step after a common start, so
// that the first is what a level is judged by. A level of a rate fills what its
// server is slow enough to let pile up, which nobody knows before: it has no demand.
func demand(s *spec.Phase, l *LevelPlan, capacity int) *KVDemand {
	if l.Rate > 0 {
		return &KVDemand{}
	}
	if l.Profile.KVTokens == 0 {
		return &KVDemand{Capacity: capacity} // how long the prompts are is not known
	}
	d := &KVDemand{Tokens: l.Profile.KVTokens, SharedTokens: l.Profile.KVShared, Capacity: capacity}
	if s.Load.Mode != "wave" {
		d.SpreadTokens = d.Tokens - l.Concurrency*l.Profile.OutputTokens/2
	}
	if capacity == 0 || d.Tokens <= capacity {
		return d
	}
	means := "not even one session fits"
	if fits := capacity / max(1, d.Tokens/l.Concurrency); fits > 0 {
		means = fmt.Sprintf("above C=%d it measures queueing and preemption, not decode scaling", fits)
	}
	short := func(tokens int) string { return metric.Short(float64(tokens)) }
	d.Message = fmt.Sprintf("level C=%d needs %s KV tokens at its end, the target holds %s: %s",
		l.Concurrency, short(d.Tokens), short(capacity), means)
	switch {
	case d.sharedFits():
		d.Message += fmt.Sprintf(" (if the server shares the equal prompts it needs %s, and fits)", short(d.SharedTokens))
	case d.spreadFits():
		d.Message += fmt.Sprintf(" (spread evenly over their course the sessions need %s, and fit)", short(d.SpreadTokens))
	}
	return d
}

func (d *KVDemand) sharedFits() bool { return d.SharedTokens > 0 && d.SharedTokens <= d.Capacity }

func (d *KVDemand) spreadFits() bool { return d.SpreadTokens > 0 && d.SpreadTokens <= d.Capacity }

// sized is the level with its demand against what the target was found to hold,
// where the scenario does not say it.
func (p *phaseRun) sized(l *LevelPlan) *LevelPlan {
	found := *l
	found.KV = demand(p.plan.Spec, l, p.runner.facts.KVCapacityTokens)
	return &found
}

// sharing is the share of cached prompt tokens from which on equal prompts are
// taken to be held once.
const sharing = 0.5

// kvBound labels levels whose sessions do not fit into the KV cache together.
func kvBound() Guard {
	return Guard{
		ID:     "kv-bound",
		Doc:    "the level needs more KV cache than the target has, all sessions at their end and none sharing a prefix (unless equal prompts fit when shared, and came from the cache), or the target preempted requests: it is left out of what is said about scaling",
		Effect: Tag,
		check: func(e *evidence) finding {
			if n, _ := e.found.Server.Preemptions.Number(); n > 0 {
				return fires(fmt.Sprintf("the target took requests out of its batch %.0f times for lack of KV cache: the level measures queueing and preemption, not decode scaling", n))
			}
			kv := e.level.KV
			if cached, ok := e.found.CachedRatio.Number(); ok && cached >= sharing && kv.sharedFits() {
				return silent()
			}
			return remark(kv.Message != "", kv.Message)
		},
	}
}
