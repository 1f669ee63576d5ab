package engine

import (
	"fmt"

	"scenario/internal/canary"
)

func canaryGuards() []Guard {
	return []Guard{{
		ID: "canary-failed",
		Doc: "fewer requests with known answers came back right before and after the load than a sound server gets right (of 20, 18), or an answer holds the code of another request. " +
			"Wrong ones are asked again alone: what the model gets wrong then too is taken for its own, if new questions come out as well as before the first level",
		Effect: Reject,
		Thresholds: []Threshold{
			share("rate", canary.HealthyRate, "share of right answers of a sound server"),
			share("false_failure", canary.FalseFailure, "largest probability with which such a server may fail"),
		},
		After: []string{"died", "errors", "same-outputs", "degenerate"},
		check: canaryFailed,
	}}
}

// significant is the probability below which fewer right answers than before are
// no chance.
const significant = 0.01

// alone are the canaries that were sent while nothing else ran, those that were
// asked again left out.
func (c *CanaryResult) alone() *CanaryTally {
	t := *c.Anew
	if c.Before != nil {
		t.Sent, t.Right = t.Sent+c.Before.Sent, t.Right+c.Before.Right
	}
	return &t
}

// fewer reports whether another tally has fewer right answers than can be chance.
func (t *CanaryTally) fewer(other CanaryTally) bool {
	return t != nil && canary.Fewer(t.Right, t.Sent, other.Right, other.Sent) < significant
}

// canaryGate is the gate of a phase.
func canaryGate(threshold func(string) float64, e *evidence) gate {
	return gate{threshold("rate"), threshold("false_failure"), e.phase.Spec.ErrorBudget}
}

func canaryFailed(e *evidence) finding {
	c := e.canaries
	if c == nil {
		return silent()
	}
	if c.MixedUp > 0 {
		w := c.Wrong[0]
		return fires(fmt.Sprintf("%d of %d answers to requests with known answers hold the code of another request, first: asked for %s, got %s", c.MixedUp, c.Sent, w.Want, w.Got))
	}
	if c.NotChecked != "" {
		return unchecked(c.NotChecked)
	}
	g := canaryGate(e.threshold, e)
	if !g.fails(c) {
		return silent()
	}
	message := fmt.Sprintf("%d of %d requests with known answers came back right at %s, and %d must", c.Right, c.Sent, e.level.Name(), g.least(c.Sent, 1))
	if worst := g.worst(c); worst >= 0 {
		t := c.Endpoints[worst]
		message = fmt.Sprintf("%d of %d requests with known answers came back right at %s from endpoint %d, and %d must", t.Right, t.Sent, e.level.Name(), worst, g.least(t.Sent, len(c.Endpoints)))
	}
	if len(c.Wrong) > 0 {
		w := c.Wrong[0]
		message += fmt.Sprintf(", first: %s asked for %s, got %s", w.Kind, w.Want, w.Got)
	}
	if c.Again != nil {
		message += fmt.Sprintf("; asked again alone, %d of %d came right", c.Again.Right, c.Again.Sent)
	}
	if g.failsUnderLoadAlone(c) || c.Again == nil && c.Before.fewer(c.total()) {
		return fires(message)
	}
	if c.Anew == nil || c.Anew.Sent == 0 {
		return undecidable(message + ": whether that is the model's own could not be seen")
	}
	message += fmt.Sprintf("; of new questions, alone, %d of %d", c.Anew.Right, c.Anew.Sent)
	if c.Before != nil {
		message += fmt.Sprintf(" (before the first level %d of %d)", c.Before.Right, c.Before.Sent)
	}
	switch {
	case c.Before.fewer(*c.Anew):
		return fires(message + ": the server no longer answers as it did")
	case c.alone().fewer(c.total()):
		return fires(message + ": fewer come right under load than alone")
	case g.short(*c.Anew, 1):
		return undecidable(message + ": whether that is the model's own cannot be told")
	}
	return warns(message + ": taken for the model's own")
}

// worst is the endpoint that fails where all together do not; -1: there is none.
func (g gate) worst(c *CanaryResult) int {
	if g.short(c.total(), 1) {
		return -1
	}
	for i, t := range c.Endpoints {
		if g.short(t, len(c.Endpoints)) {
			return i
		}
	}
	return -1
}
