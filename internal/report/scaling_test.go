package report

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

// ladder is a phase with these throughputs at C = 1, 2, 4, …, and a summary that
// they miss.
func ladder(tps ...float64) *engine.Result {
	p := &engine.PhaseResult{Name: "decode", Kind: "fixed-token", API: "completions", Cache: "cold"}
	var rungs []metric.Rung
	for i, x := range tps {
		l := &metric.Level{Concurrency: 1 << i, OutputTPS: metric.Known(x), Issued: 5, OKCount: 5}
		l.Efficiency = metric.Known(x / tps[0] / float64(int(1)<<i))
		p.Levels = append(p.Levels, &engine.LevelResult{Concurrency: 1 << i, State: engine.Accepted, Gated: true, Figures: l})
		rungs = append(rungs, metric.Rung{Level: l, At: float64(int(1) << i), Accepted: true})
	}
	p.Scaling = metric.NewScaling(rungs)
	p.Summary = &engine.SummaryResult{State: engine.Missed, Gated: true, Checks: []engine.CheckResult{
		{Group: engine.SLO, Expr: "knee >= 128", At: "gate.yaml:30:9", Result: engine.CheckFails, Values: []engine.Value{{Path: "knee", Text: "4"}}},
		{Group: engine.Valid, Expr: "len(levels) > 2", At: "gate.yaml:28:9", Result: engine.CheckHolds, Values: []engine.Value{{Path: "levels", Text: "4 elements"}}},
	}}
	return &engine.Result{
		Scenario: engine.ScenarioInfo{Name: "gate", File: "gate.yaml"},
		Verdict:  engine.Verdict{Decision: engine.NoGo, ExitCode: 1, Reasons: []string{"decode summary missed: knee >= 128 fails: knee = 4"}},
		Phases:   []*engine.PhaseResult{p},
	}
}

func TestScalingInWords(t *testing.T) {
	for name, c := range map[string]struct {
		tps  []float64
		want []string
	}{
		"found": {[]float64{100, 200, 400, 440, 450}, []string{
			"knee 4 · peak 450 tok/s at C=16 · SLO capacity C=16 · wall at the end",
			"elasticity 1→2 1.00, 2→4 1.00, 4→8 0.14, 8→16 0.03 · efficiency at 2 1.00, 4 1.00, 8 0.55, 16 0.28",
		}},
		"one step": {[]float64{100, 200, 210}, []string{
			"knee ~ 2 (by one step: add a level) · peak 210 tok/s at C=4 · SLO capacity C=4 · wall at the end",
			"elasticity 1→2 1.00, 2→4 0.07 · efficiency at 2 1.00, 4 0.53",
		}},
		"not reached": {[]float64{100, 190}, []string{
			"knee ≥ 2 (not reached) · peak 190 tok/s at C=2 · SLO capacity C=2 · linear at the end",
			"elasticity 1→2 0.93 · efficiency at 2 0.95",
		}},
		"from the start": {[]float64{100, 110}, []string{
			"knee 1 (saturating from the start) · peak 110 tok/s at C=2 · SLO capacity C=2 · saturating at the end",
			"elasticity 1→2 0.14 · efficiency at 2 0.55",
		}},
		"one level": {[]float64{100}, nil},
	} {
		if diff := cmp.Diff(c.want, scaling(ladder(c.tps...).Phases[0])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestScalingOfRatesAndOfNothing(t *testing.T) {
	p := &engine.PhaseResult{Levels: []*engine.LevelResult{{Rate: 0.5, State: engine.Accepted}, {Rate: 2, State: engine.Missed}}}
	p.Scaling = metric.NewScaling([]metric.Rung{{Level: &metric.Level{Rate: 0.5, OutputTPS: metric.Known(50)}, At: 0.5, Accepted: true}, {At: 2}})
	if diff := cmp.Diff([]string{"peak 50.0 tok/s at 0.5/s · SLO capacity 0.5/s"}, scaling(p)); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
	p.Levels[0].State, p.Levels[1].State = engine.Missed, engine.Accepted
	p.Scaling = metric.NewScaling([]metric.Rung{{At: 0.5}, {Level: &metric.Level{Rate: 2, OutputTPS: metric.Known(50)}, At: 2, Accepted: true}})
	if diff := cmp.Diff([]string{"peak 50.0 tok/s at 2/s · no SLO capacity: the lowest level is not accepted"}, scaling(p)); diff != "" {
		t.Errorf("not the lowest (-want +got):\n%s", diff)
	}
	p.Levels[1].State = engine.Rejected
	p.Scaling = metric.NewScaling([]metric.Rung{{At: 0.5}, {At: 2}})
	if got := scaling(p); got != nil {
		t.Errorf("none accepted: %q", got)
	}
	p.Scaling = nil
	if got := scaling(p); got != nil {
		t.Errorf("not run: %q", got)
	}
}

func TestSummaryInEveryReport(t *testing.T) {
	r := ladder(100, 200, 400, 440, 450)
	for name, c := range map[string]struct {
		write func(*strings.Builder) error
		want  []string
	}{
		"terminal": {func(b *strings.Builder) error { return Terminal(b, r, NewPalette(false)) }, []string{
			"  scaling knee 4 · ", "          elasticity 1→2", "  summary slo fails knee >= 128  gate.yaml:30:9\n            knee = 4\n",
		}},
		"markdown": {func(b *strings.Builder) error { return Markdown(b, r) }, []string{
			"**Scaling**", "- knee 4 · peak", "**summary missed**", "- slo fails `knee >= 128` at `gate.yaml:30:9`", "| summary | valid | holds | `len(levels) > 2` | levels = 4 elements |",
		}},
		"junit": {func(b *strings.Builder) error { return JUnit(b, r) }, []string{
			`<testcase name="summary" classname="gate.decode" time="0.000">`, `<failure message="missed: knee &gt;= 128 fails: knee = 4" type="missed">`,
		}},
		"annotations": {func(b *strings.Builder) error { return Annotations(b, "", r) }, []string{
			"::error file=gate.yaml,line=30,col=9,title=decode%3A slo fails at summary::summary: knee >= 128 fails: knee = 4",
		}},
	} {
		var b strings.Builder
		if err := c.write(&b); err != nil {
			t.Fatal(name, err)
		}
		for _, want := range c.want {
			if strings.Count(b.String(), want) != 1 {
				t.Errorf("%s has not one %q:\n%s", name, want, &b)
			}
		}
	}
	var b strings.Builder
	if err := JUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Failures int `xml:"failures,attr"`
		Tests    int `xml:"tests,attr"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &suites); err != nil || suites.Failures != 1 || suites.Tests != 6 {
		t.Errorf("%+v, %v: want 6 cases, one of them failed", suites, err)
	}
}

func TestSummaryThatIsNotJudged(t *testing.T) {
	r := ladder(100, 200)
	r.Verdict = engine.Verdict{Decision: engine.Go}
	r.Phases[0].Summary = &engine.SummaryResult{State: engine.Skipped, Reason: "not judged: --when leaves out 2 of the phase's levels"}
	var b strings.Builder
	if err := JUnit(&b, r); err != nil || strings.Contains(b.String(), "<error") || strings.Contains(b.String(), "<failure") || !strings.Contains(b.String(), "not judged: --when") {
		t.Errorf("%v\n%s", err, &b)
	}
	b.Reset()
	if err := Terminal(&b, r, NewPalette(false)); err != nil || !strings.Contains(b.String(), "summary not judged: --when leaves out 2") {
		t.Errorf("%v\n%s", err, &b)
	}
}
