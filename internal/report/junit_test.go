package report

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"scenario/internal/engine"
	"scenario/internal/formula"
	"scenario/internal/metric"
)

// fullResult is result with all that reports in files say.
func fullResult() *engine.Result {
	r := result()
	r.Tool = "scenario (devel)"
	r.Scenario.File, r.Scenario.SHA256 = "gate.yaml", "464aa013186b"
	r.Run.ID, r.Run.Seed = "20261201T100000Z-gate-89ea", 1
	r.Run.Started = time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	r.Run.Ended = r.Run.Started.Add(3*time.Minute + 5*time.Second)
	begin := r.Run.Started.Add(7 * time.Second)
	first := r.Phases[0].Levels[0]
	first.Formulas = map[string]any{"catid-g0": &formula.CatidG0{AggregateTPS: metric.Known(172.4), Wall: metric.Span(5810 * time.Millisecond), Successful: 60}}
	first.Started, first.Wall = &begin, metric.Span(12345678*time.Microsecond)
	first.Checks = []engine.CheckResult{
		{Group: engine.Correct, Expr: `all(requests, .ok or .status == 200 || .ok)`, At: "gate.yaml:18:11", Result: engine.CheckHolds, Values: []engine.Value{{Path: "requests", Text: "60 elements"}}},
		{Group: engine.SLO, Name: "fast", Expr: "ttft.p95 < s(1)", At: "gate.yaml:21:11", Result: engine.CheckHolds, Values: []engine.Value{{Path: "ttft.p95", Text: "120ms"}}},
	}
	rejected := r.Phases[0].Levels[2]
	rejected.Warmup = &engine.WarmupResult{Sent: 4, Failed: 1, Error: "HTTP 500: <html>\x1b[31m|`"}
	rejected.Checks = append(rejected.Checks, engine.CheckResult{Group: engine.SLO, Expr: "ttft.p95 < ms(100)", At: "gate.yaml:20:11", Result: engine.CheckNotJudged})
	r.Verdict.Reasons = append(r.Verdict.Reasons, "decode C=2 missed: ttft.p95 < ms(100) fails: ttft.p95 = 120ms", "decode: knee >= 64 fails: knee = 1", "production declares tools, and no phase proves them")
	return r
}

// withheld makes every level of a result one whose figures are withheld.
func withheld(r *engine.Result) *engine.Result {
	for _, p := range r.Phases {
		for _, l := range p.Levels {
			if l.State.Shown() {
				l.State, l.Withheld, l.Figures, l.Formulas, l.Checks = engine.Rejected, l.Figures, nil, nil, nil
			}
		}
	}
	return r
}

func junitOf(t *testing.T, results ...*engine.Result) (text string, read junitSuites) {
	t.Helper()
	var b strings.Builder
	if err := JUnit(&b, results...); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal([]byte(b.String()), &read); err != nil {
		t.Fatalf("%v:\n%s", err, &b)
	}
	return b.String(), read
}

func TestJUnit(t *testing.T) {
	text, _ := junitOf(t, fullResult())
	golden(t, "junit.xml", text)
}

// TestJUnitCountsItsCases: what the attributes count is there, suite by suite and
// over several runs.
func TestJUnitCountsItsCases(t *testing.T) {
	odd := fullResult()
	odd.Phases[0].Levels[2].Failures[0].Error = "\x00\x1b[31m]]> <&\"' \ufffe \xff \u2028 end"
	_, all := junitOf(t, fullResult(), odd)
	if len(all.Suites) != 4 {
		t.Fatalf("%d suites, want that of the run and that of the phase, twice", len(all.Suites))
	}
	var sum junitCounts
	for _, s := range all.Suites {
		var found junitCounts
		for _, c := range s.Cases {
			found.Tests++
			if c.Failure != nil {
				found.Failures++
			}
			if c.Error != nil {
				found.Errors++
			}
			if c.Class != s.Name || c.Name == "" {
				t.Errorf("case %q of class %q in suite %q", c.Name, c.Class, s.Name)
			}
		}
		if found.Tests != s.Tests || found.Failures != s.Failures || found.Errors != s.Errors || s.Skipped != 0 {
			t.Errorf("%s counts %+v, and has %+v", s.Name, s.junitCounts, found)
		}
		sum.add(found)
	}
	if all.Tests != sum.Tests || all.Failures != sum.Failures || all.Errors != sum.Errors {
		t.Errorf("it counts %+v, and has %+v", all.junitCounts, sum)
	}
	phase := all.Suites[1]
	// missed, rejected and the summary; invalid, incomplete and skipped.
	if phase.Tests != 8 || phase.Failures != 3 || phase.Errors != 3 {
		t.Errorf("the phase counts %+v", phase.junitCounts)
	}
	for _, c := range phase.Cases {
		if c.Name == "C=16" && (c.Failure != nil || c.Error != nil || !strings.Contains(c.SystemOut, "undecided")) {
			t.Errorf("the explored level is %+v", c)
		}
	}
}

func TestJUnitShowsNoFigureOfWithheldLevels(t *testing.T) {
	text, _ := junitOf(t, withheld(result()))
	for _, figure := range []string{" ms", " s ", "113", "172"} {
		if strings.Contains(text, figure) {
			t.Errorf("the report holds %q:\n%s", figure, text)
		}
	}
}

// TestJUnitFailsUnlessGo: no verdict but GO is read as a success, whatever is
// left of the run.
func TestJUnitFailsUnlessGo(t *testing.T) {
	for _, verdict := range []engine.Verdict{
		{Decision: engine.NoGo, ExitCode: 1},
		{Decision: engine.Invalid, ExitCode: 4},
		{Decision: engine.Incomplete, ExitCode: 130},
		{Decision: engine.Unusable, ExitCode: 5, Reasons: []string{"connection refused"}},
		engine.NotRun("gate"),
		{},
	} {
		for name, phases := range map[string][]*engine.PhaseResult{
			"no phase":          nil,
			"no level":          {{Name: "decode"}},
			"an accepted level": {{Name: "decode", Levels: []*engine.LevelResult{{Concurrency: 1, State: engine.Accepted, Gated: true}}}},
			"an explored level": {{Name: "decode", Levels: []*engine.LevelResult{{Concurrency: 1, State: engine.Rejected}}}},
		} {
			_, all := junitOf(t, &engine.Result{Scenario: engine.ScenarioInfo{Name: "gate"}, Verdict: verdict, Phases: phases})
			if all.Failures+all.Errors == 0 {
				t.Errorf("%s with %s: all %d cases passed", verdict.Decision, name, all.Tests)
			}
		}
	}
	_, all := junitOf(t, &engine.Result{Verdict: engine.Verdict{Decision: engine.Go}, Phases: []*engine.PhaseResult{
		{Name: "decode", Levels: []*engine.LevelResult{{Concurrency: 1, State: engine.Accepted, Gated: true}, {Concurrency: 2, State: engine.Rejected}}},
	}})
	if all.Failures+all.Errors != 0 || all.Tests != 2 {
		t.Errorf("GO: %+v", all.junitCounts)
	}
}
