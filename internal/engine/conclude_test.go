package engine

import (
	"testing"

	"scenario/internal/metric"
	"scenario/internal/spec"
)

func TestALevelThatIsVoidedLaterLeavesTheScaling(t *testing.T) {
	level := func(concurrency int, tps float64) *LevelResult {
		return &LevelResult{Concurrency: concurrency, State: Accepted, Gated: true, Figures: &metric.Level{Concurrency: concurrency, OutputTPS: metric.Known(tps)}}
	}
	p := &phaseRun{
		plan:   &PhasePlan{Spec: &spec.Phase{Concurrency: []int{1, 2, 4}}, Levels: make([]*LevelPlan, 3)},
		result: &PhaseResult{Levels: []*LevelResult{level(1, 100), level(2, 190), level(4, 360)}},
	}
	last := p.result.Levels[2]
	last.Repeats = []RepeatResult{{Repeat: 1, Figures: last.Figures}, {Repeat: 2, Figures: last.Figures}}
	p.conclude(t.Context())
	if s := p.result.Scaling; s.SLOCapacity != 4 || s.PeakAt != 4 {
		t.Fatalf("capacity %v, peak at %v; want 4, 4", s.SLOCapacity, s.PeakAt)
	}
	last.weigh(GuardResult{"target-changed", Fired, Void, "it was restarted"})
	p.conclude(t.Context())
	if s := p.result.Scaling; s.SLOCapacity != 2 || s.PeakAt != 2 || len(s.Levels) != 2 {
		t.Errorf("capacity %v, peak at %v, %d levels; want 2, 2, 2", s.SLOCapacity, s.PeakAt, len(s.Levels))
	}
	for _, r := range last.Repeats {
		if r.Figures != nil || r.Withheld == nil {
			t.Errorf("repeat %d still shows its figures", r.Repeat)
		}
	}
}
