package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scenario/internal/engine"
)

func TestAnnotations(t *testing.T) {
	r := fullResult()
	at := engine.LevelResult{Concurrency: 128, State: engine.Missed, Gated: true, Checks: []engine.CheckResult{
		{Group: engine.SLO, Expr: "ttft.p95 < ms(100)", At: "gate.yaml:20:11", Result: engine.CheckFails, Values: []engine.Value{{Path: "ttft.p95", Text: "900ms, 100% more"}}},
		{Group: engine.SLO, Expr: "tpot.p50 < ms(1)", At: "--set phases.decode.checks.slo", Result: engine.CheckFails},
	}}
	r.Phases[0].Levels = append(r.Phases[0].Levels, &at)
	r.Phases[0].Levels[0].Guards = append(r.Phases[0].Levels[0].Guards, engine.GuardResult{ID: "mixed-replies", Status: engine.Fired, Effect: engine.Warn, Message: "2 models\r\n::error::forged"})
	var b strings.Builder
	if err := Annotations(&b, "", r); err != nil {
		t.Fatal(err)
	}
	golden(t, "annotations.txt", b.String())
	for _, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if !strings.HasPrefix(line, "::error file=gate.yaml,") && !strings.HasPrefix(line, "::warning file=gate.yaml,") {
			t.Errorf("no command: %q", line)
		}
	}
}

func TestAnnotationsStayWithinGitHubsLimit(t *testing.T) {
	r := &engine.Result{Verdict: engine.Verdict{Decision: engine.NoGo}, Phases: []*engine.PhaseResult{{Name: "decode"}}}
	for i := range 30 {
		r.Phases[0].Levels = append(r.Phases[0].Levels, &engine.LevelResult{
			Concurrency: i + 1, State: engine.UndecidedLevel, Gated: true,
			Guards: []engine.GuardResult{
				{ID: fmt.Sprint("g", i), Status: engine.Fired, Effect: engine.Undecide, Message: "x"},
				{ID: fmt.Sprint("w", i), Status: engine.Fired, Effect: engine.Warn, Message: "x"},
			},
		})
	}
	r.Phases[0].Levels[29].State = engine.Rejected
	var b strings.Builder
	if err := Annotations(&b, "", r, r); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 20 || strings.Count(b.String(), "::error ") != 10 {
		t.Fatalf("%d annotations:\n%s", len(lines), &b)
	}
	if !strings.Contains(lines[0], "g29") || !strings.Contains(lines[9], "51 more") || !strings.Contains(lines[19], "51 more") {
		t.Errorf("the worst is not the first, or what is left out is not said:\n%s", &b)
	}
}

func TestEveryVerdictButGoIsAnError(t *testing.T) {
	for _, verdict := range []engine.Verdict{{Decision: engine.Invalid}, engine.NotRun("gate"), {Decision: engine.Unusable, Reasons: []string{"nobody listens"}}, {}} {
		var b strings.Builder
		if err := Annotations(&b, "", &engine.Result{Scenario: engine.ScenarioInfo{Name: "gate", File: "gate.yaml"}, Verdict: verdict}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(b.String(), "::error file=gate.yaml,title=gate") {
			t.Errorf("%q: %q", verdict.Decision, &b)
		}
	}
	var b strings.Builder
	if err := Annotations(&b, "", &engine.Result{Verdict: engine.Verdict{Decision: engine.Go}}); err != nil || b.Len() > 0 {
		t.Errorf("GO: %q, %v", &b, err)
	}
}

func TestFilesAreNamedFromTheWorkspace(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	up := filepath.Dir(here)
	for _, c := range []struct{ file, workspace, want string }{
		{"gate.yaml", up, "report/gate.yaml"},
		{filepath.Join(here, "a", "gate.yaml"), here, "a/gate.yaml"},
		{"../gate.yaml", here, "../gate.yaml"},
		{"/elsewhere/gate.yaml", here, "/elsewhere/gate.yaml"},
		{"gate.yaml", "", "gate.yaml"},
		{"", here, ""},
	} {
		if got := fromWorkspace(c.file, c.workspace); got != c.want {
			t.Errorf("%s in %s is %s, want %s", c.file, c.workspace, got, c.want)
		}
	}
	for at, want := range map[string]string{
		"a.yaml:7:12": "a.yaml 7 12", `C:\x\a.yaml:7:12`: `C:\x\a.yaml 7 12`,
		"a.yaml": " 0 0", "a.yaml:7": " 0 0", "": " 0 0", "--set a.b": " 0 0", "--when:1:1": " 0 0",
	} {
		file, line, col := place(at)
		if got := fmt.Sprint(file, " ", line, " ", col); got != want {
			t.Errorf("%q is %q, want %q", at, got, want)
		}
	}
}

func TestSummariesAreBounded(t *testing.T) {
	big := fullResult()
	for i := range 20000 {
		c := big.Phases[0].Levels[0].Checks[0]
		c.Expr = fmt.Sprintf("ok_count >= %d or requests contains something", i)
		big.Phases[0].Levels[0].Checks = append(big.Phases[0].Levels[0].Checks, c)
	}
	path := filepath.Join(t.TempDir(), "summary.md")
	for range 3 {
		if err := AppendSummary(path, fullResult(), big); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if len(text) > mostSummary || len(text) < mostSummary*9/10 {
		t.Errorf("%d bytes", len(text))
	}
	if !strings.HasPrefix(text, "# NO-GO: gate") || !strings.Contains(text, "This is cut") {
		t.Errorf("it begins %.40q and ends %q", text, text[len(text)-80:])
	}
	if open, closed := strings.Count(text, "<details>"), strings.Count(text, "</details>"); open != closed {
		t.Errorf("%d folds are opened and %d closed", open, closed)
	}
	if got := shortened("one\ntwo\n", 8); got != "one\ntwo\n" {
		t.Errorf("what fits became %q", got)
	}
}
