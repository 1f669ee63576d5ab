package engine

import (
	"slices"
)

// canaryFaults refuses checks of canaries where there are none.
func (p *planner) canaryFaults(ph *PhasePlan) {
	const variable = "canary_pass_ratio"
	if ph.withCanaries() {
		return
	}
	for _, c := range ph.Checks {
		if slices.Contains(c.check.Reads(), variable) && !slices.Contains(c.check.Asked(), variable) {
			p.fault(c.Spec.Expr.Diagnose(0, len([]rune(c.Spec.Expr.String())), variable+" can't be known: the phase has canaries: off", "write canaries: edges, or leave canaries out"))
		}
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
