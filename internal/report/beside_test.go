package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/engine"
	"scenario/internal/metric"
	"scenario/internal/spec"
)

func TestGoodputStandsBesideTheLevel(t *testing.T) {
	level := figures(60)
	level.Attain(metric.Limits{TTFT: time.Second})
	l := &engine.LevelResult{Concurrency: 8, State: engine.Missed, Gated: true, Planned: 60, Figures: level}
	want := []string{"within the limits: 60 of 60 requests · goodput 4.69 requests/s"}
	if diff := cmp.Diff(want, beside(l)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r := &engine.Result{Phases: []*engine.PhaseResult{{Name: "decode", Levels: []*engine.LevelResult{l}}}}
	for name, write := range map[string]func(*strings.Builder) error{
		"terminal": func(b *strings.Builder) error { return Terminal(b, r, NewPalette(false)) },
		"markdown": func(b *strings.Builder) error { return Markdown(b, r) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil || !strings.Contains(b.String(), "goodput 4.69") {
			t.Errorf("%s: %v\n%s", name, err, &b)
		}
	}
	l.State, l.Figures, l.Withheld = engine.Rejected, nil, level
	if got := beside(l); len(got) > 0 {
		t.Errorf("of a rejected level: %q", got)
	}
}

func TestLimitsInWords(t *testing.T) {
	got := limits(spec.Limits{TTFT: 2 * time.Second, TPOT: 50 * time.Millisecond})
	if want := "ttft 2.00 s, tpot 50.0 ms"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := limits(spec.Limits{}); got != "" {
		t.Errorf("of none: %q", got)
	}
}

func TestSpreadOfRepeats(t *testing.T) {
	run := func(tps float64, ttft time.Duration) engine.RepeatResult {
		l := &metric.Level{OutputTPS: metric.Known(tps)}
		l.TTFT = metric.NewDurations([]float64{float64(ttft), float64(ttft), float64(ttft), float64(ttft), float64(ttft)})
		return engine.RepeatResult{State: engine.Accepted, Figures: l}
	}
	l := &engine.LevelResult{Concurrency: 4, State: engine.Accepted, Figures: figures(5)}
	l.Repeats = []engine.RepeatResult{run(190, 120*time.Millisecond), run(200, 150*time.Millisecond), run(195, 100*time.Millisecond)}
	want := []string{"3 repeats · output tok/s 190 to 200 (5.0 % apart) · TTFT p50 100 ms to 150 ms (33.3 % apart)"}
	if diff := cmp.Diff(want, beside(l)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	l.State, l.Withheld, l.Figures = engine.Rejected, l.Figures, nil
	if got := beside(l); len(got) > 0 {
		t.Errorf("of a rejected level: %q", got)
	}
	if got := spread(l.Repeats[:1]); got != "" {
		t.Errorf("of one: %q", got)
	}
}

func TestWhichRepeatACheckJudged(t *testing.T) {
	check := engine.CheckResult{Group: engine.SLO, Expr: "knee > 1", At: "a.yaml:1:2", Result: engine.CheckFails, Repeat: 2}
	l := &engine.LevelResult{Concurrency: 8, State: engine.Missed, Gated: true, Figures: figures(60), Checks: []engine.CheckResult{check}}
	r := &engine.Result{Phases: []*engine.PhaseResult{{Name: "decode", Levels: []*engine.LevelResult{l}}}}
	var b strings.Builder
	if err := Terminal(&b, r, NewPalette(false)); err != nil || !strings.Contains(b.String(), "slo fails (repeat 2) knee > 1  a.yaml:1:2") {
		t.Errorf("%v\n%s", err, &b)
	}
	b.Reset()
	if err := Markdown(&b, r); err != nil || !strings.Contains(b.String(), "slo fails (repeat 2) `knee > 1`") {
		t.Errorf("%v\n%s", err, &b)
	}
}
