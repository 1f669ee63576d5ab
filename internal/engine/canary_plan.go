package engine

import (
	"fmt"
	"slices"
)

// canaryFaults refuses checks of canaries where there are none.
func (p *planner) canaryFaults(ph *PhasePlan) {
	const variable = "canary_pass_ratio"
	if ph.Spec.Canaries == "interleaved" {
		p.interleavedFaults(ph)
	}
	if ph.withCanaries() {
		return
	}
	for _, c := range ph.Checks {
		if slices.Contains(c.check.Reads(), variable) && !slices.Contains(c.check.Asked(), variable) {
			p.fault(c.Spec.Expr.Diagnose(0, len([]rune(c.Spec.Expr.String())), variable+" can't be known: the phase has canaries: off", "write canaries: edges, or leave canaries out"))
		}
	}
}

// interleavedFaults refuses canaries among a load that they would change: they take
// the slots of sessions for a while.
func (p *planner) interleavedFaults(ph *PhasePlan) {
	at := ph.Spec.At.Key("canaries")
	switch mode := ph.Spec.Load.Mode; {
	case mode == "wave":
		p.fault(at.Diagnose("canaries: interleaved has no place in a wave, whose requests start together", "write canaries: edges"))
	case mode == "rate":
		p.fault(at.Diagnose("canaries: interleaved has no place in rate mode, whose requests start on a schedule", "write canaries: edges"))
	case ph.Formula != nil:
		p.fault(at.Diagnose(fmt.Sprintf("canaries: interleaved changes the load that formula %s is of", ph.Formula.ID), "write canaries: edges, which are outside of its clock"))
	}
}

// CanaryTokens is about how many tokens a canary takes, prompt and answer.
const CanaryTokens = 200 + canaryAnswerTokens

// Calibrates reports whether the phase is the first of the plan that sends canaries
// the way it does: the one before whose first level they are calibrated.
func (p *Plan) Calibrates(ph *PhasePlan) bool {
	for _, other := range p.Phases {
		if other.withCanaries() && len(other.Levels) > 0 && other.API == ph.API {
			return other == ph
		}
	}
	return false
}

// Calibrating is how many canaries a calibration sends.
func Calibrating() int { return calibrating }
