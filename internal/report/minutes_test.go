package report

import (
	"strings"
	"testing"
	"time"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

// soaked is a level of a window of four minutes, and one of a rate.
func soaked() *engine.Result {
	ms := int64(time.Millisecond)
	var requests []*metric.Request
	for i := range 480 {
		start := int64(i)*500*ms + 1
		requests = append(requests, &metric.Request{
			Index: i, OK: true, Outcome: metric.OutcomeOK, Events: 2, PromptTokens: metric.Count(1000), OutputTokens: metric.Count(100), TokensPerEvent: metric.Known(50),
			TTFT: metric.Span(time.Duration(100+i) * time.Millisecond), E2E: metric.Span(900 * time.Millisecond), TPOT: metric.Span(8 * time.Millisecond), StartLag: metric.Span(time.Millisecond),
			At: metric.Stamps{Due: start - ms, Written: start, FirstToken: start + 100*ms, LastToken: start + 900*ms, Closed: start + 900*ms},
		})
	}
	cut := &metric.Request{Index: 480, Outcome: metric.OutcomeCut, At: metric.Stamps{Written: 239_600 * ms, Closed: 240_000*ms + 1}}
	window := metric.Offered{Concurrency: 2, Start: 1, End: 240_000*ms + 1, Cut: []*metric.Request{cut}}.Level(requests)
	rate := metric.Offered{Rate: 2.5, Start: 1, End: 240_000*ms + 1}.Level(requests)
	return &engine.Result{
		Scenario: engine.ScenarioInfo{Name: "soak"}, Verdict: engine.Verdict{Decision: engine.Go},
		Phases: []*engine.PhaseResult{
			{Name: "soak", Kind: "fixed-token", API: "completions", Cache: "cold", Levels: []*engine.LevelResult{{Concurrency: 2, State: engine.Accepted, Gated: true, Figures: window}}},
			{Name: "open", Kind: "fixed-token", API: "completions", Cache: "cold", Levels: []*engine.LevelResult{
				{Rate: 2.5, State: engine.Accepted, Gated: true, Planned: 480, Figures: rate},
				{Rate: 5, State: engine.InvalidLevel, Gated: true, Planned: 960, Withheld: rate},
			}},
		},
	}
}

func TestLoadsByTheClock(t *testing.T) {
	r := soaked()
	var terminal, markdown strings.Builder
	if err := Terminal(&terminal, r, NewPalette(false)); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&markdown, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "soak.txt", terminal.String())
	golden(t, "soak.md", markdown.String())
}

func TestManyMinutesAreShownInPart(t *testing.T) {
	l := &engine.LevelResult{Concurrency: 4, Figures: &metric.Level{Minutes: make([]metric.Minute, 100)}}
	w, title := minutes(l)
	if title != "C=4, every 4 minutes (result.json has all)" || w.Length() != 25 {
		t.Errorf("%q has %d rows", title, w.Length())
	}
	if w, _ := minutes(&engine.LevelResult{Withheld: l.Figures}); w != nil {
		t.Error("withheld minutes are shown")
	}
}
