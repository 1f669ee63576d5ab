package engine

import (
	"fmt"
	"slices"
	"time"
)

// What a plan can tell before it is run.

// throughputs are the figures of a baseline that say how many output tokens come
// per second: ours, else those of the published methods.
var throughputs = []string{"output_tps", "aggregate_tps", "output_tokens_per_s"}

// Expected is how long the level's measured load takes at the speed that the
// baseline has for it, or by the clock that ends it; false where neither is known.
func (l *LevelPlan) Expected() (time.Duration, bool) {
	if l.Lasts > 0 {
		return l.Lasts * time.Duration(l.runs()), true
	}
	tokens := float64(l.Total()) * float64(l.Profile.OutputTokens)
	if tps := l.throughput(); tps > 0 && tokens > 0 {
		return time.Duration(tokens / tps * float64(time.Second)), true
	}
	return 0, false
}

// Likely is how many sessions the level sends: those of the plan, or of a window
// those that it comes to at the speed that the baseline has for it; false where
// there is none.
func (l *LevelPlan) Likely() (sessions int, known bool) {
	if l.countable() {
		return l.Total(), true
	}
	if tps := l.throughput(); tps > 0 && l.Profile.OutputTokens > 0 {
		return l.runs() * int(tps*l.Lasts.Seconds()/float64(l.Profile.OutputTokens)), true
	}
	return 0, false
}

// throughput is the baseline's output tokens per second; 0: it has none.
func (l *LevelPlan) throughput() float64 {
	for _, table := range []map[string]float64{l.baseline.plain, l.baseline.formula} {
		for _, name := range throughputs {
			if tps := table[name]; tps > 0 {
				return tps
			}
		}
	}
	return 0
}

// Needs lists what the check needs to be decided at levels whose sessions cannot be
// counted before: so many samples of which figure.
func (c *CheckPlan) Needs(ph *PhasePlan) []string {
	var list []string
	uncounted := slices.ContainsFunc(ph.Levels, func(l *LevelPlan) bool { return !l.countable() && c.at(l) })
	for _, need := range c.check.Needs() {
		if uncounted && need.Root == levelRoot && !need.Asked && need.Samples > 1 {
			list = append(list, fmt.Sprintf("%s.%s needs %d samples", need.Path, need.Figure, need.Samples))
		}
	}
	return list
}

// Exists is at how many of the levels that are run the check exists.
func (c *CheckPlan) Exists(ph *PhasePlan) int {
	count := 0
	for _, l := range ph.Levels {
		if c.at(l) {
			count++
		}
	}
	return count
}

// data is the file that the phase's prompts come from; nil: they are generated, or
// no level is run.
func (ph *PhasePlan) data() *Dataset {
	if len(ph.Levels) == 0 {
		return nil
	}
	return ph.Levels[0].Profile.Data
}

// Tuned lists the guards that the phase tunes or switches off.
func (ph *PhasePlan) Tuned() []TunedGuard { return tuned(ph.Guards) }
