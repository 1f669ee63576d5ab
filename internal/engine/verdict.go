package engine

import "fmt"

// Exit statuses. Each says one thing; the first that applies, in the order of
// decide, is the run's.
const (
	ExitGo          = 0
	ExitMissed      = 1
	ExitUsage       = 2
	ExitRejected    = 3
	ExitInvalid     = 4
	ExitUnusable    = 5
	ExitInterrupted = 130
)

// decide works out the verdict of a finished, or stopped, run from its levels.
// Levels that are not gated have no part in it.
func decide(r *Result, unusable string) Verdict {
	if r.Run.Interrupted {
		return Verdict{Incomplete, ExitInterrupted, append([]string{"interrupted: what was measured until then is kept, and decides nothing"}, reasons(r)...)}
	}
	if unusable != "" {
		return Verdict{Unusable, ExitUnusable, []string{unusable}}
	}
	worst := map[State]int{}
	gated, summaries := 0, 0
	for _, p := range r.Phases {
		for _, l := range p.Levels {
			if l.Gated {
				gated++
				worst[l.State]++
			}
		}
		if s := p.Summary; s != nil && s.Gated {
			worst[s.State]++
			summaries++
		}
	}
	switch {
	case worst[Rejected] > 0, r.Production.Decides() && r.Production.Effect == Reject:
		return Verdict{NoGo, ExitRejected, reasons(r)}
	case worst[Missed] > 0:
		return Verdict{NoGo, ExitMissed, reasons(r)}
	case gated == 0:
		return Verdict{Invalid, ExitInvalid, []string{"no level that counts for the verdict was run"}}
	case worst[Accepted] < gated+summaries, r.Production.Decides():
		return Verdict{Invalid, ExitInvalid, reasons(r)}
	}
	return Verdict{Go, ExitGo, nil}
}

// unstored is the verdict of a run whose evidence could not be written down: it
// cannot be GO.
func (v Verdict) unstored() Verdict {
	if v.Decision != Go {
		return v
	}
	return Verdict{Invalid, ExitInvalid, []string{"the run's files could not be written"}}
}

// reasons lists what kept gated levels from being accepted, worst first.
func reasons(r *Result) []string {
	var list []string
	for _, state := range []State{Rejected, Missed, InvalidLevel, UndecidedLevel, IncompleteLevel, Skipped} {
		for _, p := range r.Phases {
			for _, l := range p.Levels {
				if l.Gated && l.State == state {
					list = append(list, fmt.Sprintf("%s %s %s: %s", p.Name, l.Name(), l.State, l.Why()))
				}
			}
			if s := p.Summary; s != nil && s.Gated && s.State == state {
				list = append(list, fmt.Sprintf("%s summary %s: %s", p.Name, s.State, s.Why()))
			}
		}
	}
	return append(list, r.Production.uncovered()...)
}

// uncovered are the reasons of what of production was not covered.
func (p *ProductionResult) uncovered() []string {
	if !p.Decides() {
		return nil
	}
	var list []string
	for _, message := range p.NotCovered {
		list = append(list, "not-covered: "+message)
	}
	return list
}

// NotRun is the verdict of a scenario that a run did not come to.
func NotRun(name string) Verdict {
	return Verdict{Incomplete, ExitInterrupted, []string{name + " was not run"}}
}

// Combined is the verdict over several runs: the first of their exit statuses
// that applies.
func Combined(verdicts []Verdict) Verdict {
	for _, code := range []int{ExitInterrupted, ExitUnusable, ExitRejected, ExitMissed, ExitInvalid, ExitGo} {
		for _, v := range verdicts {
			if v.ExitCode == code {
				return v
			}
		}
	}
	return Verdict{Decision: Invalid, ExitCode: ExitInvalid}
}
