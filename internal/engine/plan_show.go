package engine

import "time"

// What a plan can tell before it is run.

// throughputs are the figures of a baseline that say how many output tokens come
// per second: ours, else those of the published methods.
var throughputs = []string{"output_tps", "aggregate_tps", "output_tokens_per_s"}

// Expected is how long the level's measured load takes at the speed that the
// baseline has for it; false where it has none.
func (l *LevelPlan) Expected() (time.Duration, bool) {
	tokens := float64(l.Sessions) * float64(l.Profile.OutputTokens)
	for _, table := range []map[string]float64{l.baseline.plain, l.baseline.formula} {
		for _, name := range throughputs {
			if tps := table[name]; tps > 0 && tokens > 0 {
				return time.Duration(tokens / tps * float64(time.Second)), true
			}
		}
	}
	return 0, false
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

// Tuned lists the guards that the phase tunes or switches off.
func (ph *PhasePlan) Tuned() []TunedGuard { return tuned(ph.Guards) }
