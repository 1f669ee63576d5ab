package report

import "scenario/internal/engine"

// flushed says that the prefix cache was emptied before the levels of a phase.
// Where it was not, a guard tells.
func flushed(p *engine.PhaseResult) []string {
	done, seen := false, true
	for _, l := range p.Levels {
		if l.Flush == nil {
			continue
		}
		if !l.Flush.Flushed {
			return nil
		}
		done, seen = true, seen && l.Flush.Verified
	}
	switch {
	case !done:
		return nil
	case seen:
		return []string{"prefix cache emptied before each level: a prompt that was in it was not any more"}
	}
	return []string{"prefix cache emptied before each level, as the server says: it reports no cached tokens to see it by"}
}
