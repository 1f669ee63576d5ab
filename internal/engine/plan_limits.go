package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"scenario/internal/metric"
)

// limited are the figures that a phase without limits does not have.
var limited = []string{"goodput", "slo_attainment_ratio"}

// limits are those of the phase, for its figures.
func (ph *PhasePlan) limits() metric.Limits {
	l := ph.Spec.Limits
	return metric.Limits{TTFT: l.TTFT, TTFC: l.TTFC, TPOT: l.TPOT, E2E: l.E2E}
}

// never is why a figure of the level can't be known, whatever its load gives;
// false: it can.
func (ph *PhasePlan) never(path string, l *LevelPlan) (shortfall, bool) {
	if s, never := ph.unsteady(path, l); never {
		return s, true
	}
	s := shortfall{path: path}
	lowest := axes(ph.Spec)[0]
	switch {
	case slices.Contains(limited, path) && ph.limits().IsZero():
		s.why, s.fix = "the phase has no limits that a request could keep", "limits: {ttft: 2s, tpot: 50ms} in the phase"
	case path == "efficiency" && lowest.concurrency != 1:
		s.why, s.fix = "it compares with C=1, and the phase has no such level", "add 1 to concurrency, or check elasticity"
	case path == "elasticity" && l.axis() == lowest:
		s.why, s.fix = "it compares with the next lower level, and there is none", fmt.Sprintf(`when: "concurrency > %d"`, lowest.concurrency)
	default:
		return s, false
	}
	return s, true
}

// checkLimits refuses limits that the phase can't be measured by.
func (p *planner) checkLimits(ph *PhasePlan) {
	at, none := ph.Spec.Limits.At, true
	for _, limit := range []struct {
		name string
		most time.Duration
	}{
		{"ttft", ph.Spec.Limits.TTFT},
		{"ttfc", ph.Spec.Limits.TTFC},
		{"tpot", ph.Spec.Limits.TPOT},
		{"e2e", ph.Spec.Limits.E2E},
	} {
		key := at.Key(limit.name)
		none = none && !key.Exists()
		switch {
		case !key.Exists():
		case limit.most == 0:
			p.fault(key.Diagnose(limit.name+" is shorter than what a clock can tell", ""))
		case !ph.Spec.Stream && limit.name != "e2e":
			p.fault(key.DiagnoseKey("the limit can't be judged: without streaming there are no token events, and no "+strings.ToUpper(limit.name), "stream: true, or a limit of e2e"))
		}
	}
	if at.Exists() && none {
		p.fault(at.DiagnoseKey("limits names no limit", "write ttft, ttfc, tpot or e2e, or leave limits out"))
	}
}
