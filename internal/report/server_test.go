package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

func TestServerLines(t *testing.T) {
	known := metric.Known
	times := func(ms float64) metric.Durations {
		v := ms * float64(time.Millisecond)
		return metric.NewDurations([]float64{v, v, v, v, v})
	}
	figures := func(s metric.Server) *metric.Level { return &metric.Level{Server: s} }
	p := &engine.PhaseResult{
		Levels: []*engine.LevelResult{
			{Concurrency: 1, State: engine.Accepted, Figures: figures(metric.Server{RunningMax: known(1), WaitingMax: known(0), KVUsageMax: known(0.0004)})},
			{Concurrency: 2, State: engine.Accepted, Figures: figures(metric.Server{})},
			{Concurrency: 4, State: engine.Rejected, Withheld: figures(metric.Server{RunningMax: known(3), SpecAcceptRatio: known(0.5)})},
			{Concurrency: 8, State: engine.Skipped},
		},
		Drift: &engine.DriftResult{Measure: "e2e", Before: times(100), After: times(102)},
	}
	want := []string{
		"C=1: up to 1 running · 0 waiting · <0.1 % of the KV cache in use",
		"C=4: up to 3 running · 50 % of drafted tokens accepted",
		"alone at C=1: median e2e 100 ms before the phase, 102 ms after",
	}
	if diff := cmp.Diff(want, serverLines(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, l := range p.Levels { // as when it drifted
		l.State = engine.UndecidedLevel
	}
	if diff := cmp.Diff(want[:2], serverLines(p)); diff != "" {
		t.Errorf("where no figures are shown (-want +got):\n%s", diff)
	}
}
