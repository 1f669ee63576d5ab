package engine

import (
	"context"
	"slices"
)

// mostAskedAgain bounds how many wrong answers are asked for again.
const mostAskedAgain = 10

// askAgain looks into a level whose canaries fail their gate. The questions of
// wrong answers are asked once more, alone and in prompts that begin differently
// (what a faulty batch has left in the prefix cache would be wrong again), of the
// next endpoint where there are several: a server that answers them then was wrong because of the load. If it
// does not, new questions are asked alone: a server that has been well and now
// is not gives fewer right answers than at first, and a model that finds these
// questions hard gives as many.
func (p *phaseRun) askAgain(ctx context.Context, l *LevelPlan, e *evidence) {
	c := e.canaries
	i := slices.IndexFunc(p.plan.Guards, func(g GuardPlan) bool { return g.ID == "canary-failed" })
	if c == nil || c.Calibrated || c.NotChecked != "" || c.MixedUp > 0 || p.plan.Guards[i].Effect == effectOff {
		return
	}
	g := canaryGate(p.plan.Guards[i].threshold, e)
	if !g.fails(c) {
		return
	}
	endpoints := p.runner.endpoints()
	again := &CanaryTally{}
	for _, wrong := range c.tasks[:min(len(c.tasks), mostAskedAgain)] {
		a, ok := p.send(ctx, p.canaries.manner, p.runner.canaries.source.Again(wrong.task), (wrong.request.Endpoint+1)%endpoints, canaryTries)
		if !ok {
			return
		}
		again.add(a)
		if unanswered(a.request) && again.Failed == hangs(1) {
			break
		}
	}
	c.Again = again
	if g.failsUnderLoadAlone(c) {
		return
	}
	anew := &CanaryTally{}
	for _, a := range p.alone(ctx, p.canaries.manner, p.runner.canaries.ask(calibrating, p.canaries.kinds), l.Ordinal%endpoints) {
		anew.add(a)
	}
	if ctx.Err() == nil {
		c.Anew = anew
	}
}

// failsUnderLoadAlone reports whether the gate fails by those wrong answers alone
// that came right when nothing else ran: of those asked again, in proportion.
func (g gate) failsUnderLoadAlone(c *CanaryResult) bool {
	if c.Again == nil || c.Again.Sent == 0 {
		return false
	}
	excused := func(t CanaryTally) CanaryTally {
		wrong := t.Sent - t.Right
		t.Right += wrong * (c.Again.Sent - c.Again.Right) / c.Again.Sent
		return t
	}
	less := *c
	less.Right = excused(c.total()).Right
	less.Endpoints = slices.Clone(c.Endpoints)
	for i, t := range less.Endpoints {
		less.Endpoints[i] = excused(t)
	}
	return g.fails(&less)
}
