package report

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/engine"
	"scenario/internal/metric"
	"scenario/internal/target"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// figures are those of n requests of one second each.
func figures(n int) *metric.Level {
	ms := int64(time.Millisecond)
	var requests []*metric.Request
	for i := range n {
		start := int64(i)*200*ms + 1
		requests = append(requests, &metric.Request{
			Index: i, OK: true, Outcome: metric.OutcomeOK, Events: 100,
			PromptTokens: metric.Count(1000), OutputTokens: metric.Count(100), TokensPerEvent: metric.Known(1),
			TTFT: metric.Span(120 * time.Millisecond), E2E: metric.Span(time.Second), TPOT: metric.Span(8888 * time.Microsecond),
			At: metric.Stamps{Written: start, FirstToken: start + 120*ms, LastToken: start + 1000*ms, Closed: start + 1001*ms},
		})
	}
	level := metric.NewLevel(8, requests)
	level.Client = metric.Client{
		CPURatio: metric.Known(0.004 * float64(n)), CoalescedRatio: metric.Known(0.003), KernelRatio: metric.Known(1), GCPause: metric.Span(1500 * time.Microsecond), Cores: 4,
		Lag: metric.Summarised(n, 20e3, 5e3, 2e6, func(q float64) float64 { return q * 100e3 }),
	}
	level.Server = metric.Server{
		RunningMax: metric.Known(8), WaitingMax: metric.Known(2), KVUsageMax: metric.Known(0.421), Preemptions: metric.Known(3),
		SpecAcceptRatio: metric.Known(0.71), PromptTokens: metric.Known(60000), GenerationTokens: metric.Known(6000), CachedRatio: metric.Known(0), Samples: 12,
	}
	return level
}

func TestClientOfSeveralLevels(t *testing.T) {
	var worst clientFigures
	worst.add(&metric.Client{CPURatio: metric.Known(0.2), KernelRatio: metric.Known(1), Cores: 2})
	worst.add(&metric.Client{})
	worst.add(&metric.Client{CPURatio: metric.Known(0.1), KernelRatio: metric.Known(0.5), CoalescedRatio: metric.Known(0.004), Cores: 2})
	want := []string{"0.4 % of them shared a read", "CPU 20 % of 2 cores", "50 % of arrivals stamped by the kernel, the others after the read"}
	if diff := cmp.Diff(want, worst.words(nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if words := new(clientFigures).words(&engine.Trial{Streams: 4}); len(words) > 0 {
		t.Errorf("of nothing: %q", words)
	}
}

// result has a level of every state.
func result() *engine.Result {
	level := func(concurrency int, state engine.State, change func(*engine.LevelResult)) *engine.LevelResult {
		l := &engine.LevelResult{Concurrency: concurrency, State: state, Gated: true, Planned: 60}
		if found := figures(60); state.Shown() {
			l.Figures = found
		} else if state != engine.Skipped {
			l.Withheld = found
		}
		if change != nil {
			change(l)
		}
		return l
	}
	slo := engine.CheckResult{Group: engine.SLO, Expr: "ttft.p95 < ms(100)", At: "gate.yaml:20:11", Result: engine.CheckFails, Values: []engine.Value{{Path: "ttft.p95", Text: "120ms"}}}
	wrong := engine.CheckResult{
		Group: engine.Correct, Name: "counts", Expr: "all(requests, .output_tokens == 101)", At: "gate.yaml:18:11", Result: engine.CheckFails,
		Values:    []engine.Value{{Path: "requests", Text: "60 elements"}},
		Offenders: []engine.Offender{{List: "requests", Index: 3, Values: []engine.Value{{Path: ".output_tokens", Text: "100 tokens"}}}},
	}
	unknown := engine.CheckResult{Group: engine.Valid, Expr: "cached_ratio < 0.1", At: "gate.yaml:16:11", Result: engine.CheckUndecided, Reason: "cached_ratio was not measured", Values: []engine.Value{{Path: "cached_ratio", Text: "unknown"}}}
	guard := func(id string, status engine.GuardStatus, effect engine.Effect, message string) engine.GuardResult {
		return engine.GuardResult{ID: id, Status: status, Effect: effect, Message: message}
	}
	return &engine.Result{
		Schema:   engine.ResultSchema,
		Scenario: engine.ScenarioInfo{Name: "gate", Description: "before production"},
		Run:      engine.RunInfo{Overrides: []string{"target.base_url=…", "phases.decode.load.requests=60"}, Partial: []string{"--when concurrency < 99"}},
		Verdict:  engine.Verdict{Decision: engine.NoGo, ExitCode: 3, Reasons: []string{"decode C=4 rejected: counts fails"}},
		Target:   &target.Facts{BaseURLs: []string{"http://h:8000/v1"}, Server: "vllm", Version: "0.32.0", Model: "m", ContextTokens: 8192, InsecureTLS: true, Notes: []string{"something was found"}},
		Baseline: &engine.BaselineInfo{File: "b.yaml", Source: "published", Model: "M-397B", Hardware: "8 x GPU", Unstated: []string{"method", "origin"}},
		Phases: []*engine.PhaseResult{{
			Name: "decode", Kind: "fixed-token", API: "completions", Cache: "cold", Assumed: []string{"stream"},
			Warmup: &engine.WarmupResult{Sent: 8, Failed: 2, Error: "timeout: idle"},
			Tuned:  []engine.TunedGuard{{ID: "short-output", Effect: engine.Tag, Thresholds: map[string]float64{"min_tokens": 64}, Because: "it is short"}},
			Levels: []*engine.LevelResult{
				level(1, engine.Accepted, func(l *engine.LevelResult) {
					l.Guards = []engine.GuardResult{guard("short-output", engine.Fired, engine.Tag, "outputs are short")}
					l.Formulas = map[string]any{"catid-g0": &struct {
						TPS  metric.Number   `json:"aggregate_tps"`
						Wall metric.Duration `json:"wall"`
						None metric.Number   `json:"none"`
						N    int             `json:"n"`
					}{metric.Known(172.4), metric.Span(5810 * time.Millisecond), metric.Number{}, 1}}
				}),
				level(2, engine.Missed, func(l *engine.LevelResult) { l.Checks = []engine.CheckResult{slo} }),
				level(4, engine.Rejected, func(l *engine.LevelResult) {
					l.Checks = []engine.CheckResult{wrong, unknown}
					l.Guards = []engine.GuardResult{
						guard("errors", engine.Fired, engine.Reject, "5 of 60 requests failed"),
						guard("cache-warm", engine.NotChecked, engine.Void, "no count"),
					}
					l.Failures = []engine.FailureCount{
						{Outcome: "timeout", Error: "idle timeout", Count: 2},
						{Outcome: "http_error", Error: "HTTP 500", Count: 1},
						{Outcome: "http_error", Error: "HTTP 502", Count: 1},
						{Outcome: "http_error", Error: "HTTP 503", Count: 1},
					}
					l.OtherCauses, l.Retried = 7, 2
				}),
				level(8, engine.InvalidLevel, func(l *engine.LevelResult) {
					l.Guards = []engine.GuardResult{
						guard("early-stop", engine.Fired, engine.Undecide, "no usage"), guard("length-mismatch", engine.Fired, engine.Undecide, "no usage"),
						guard("cache-warm", engine.Fired, engine.Void, "96 % came from the cache"),
					}
				}),
				level(16, engine.UndecidedLevel, func(l *engine.LevelResult) { l.Checks = []engine.CheckResult{unknown}; l.Gated = false }),
				level(32, engine.IncompleteLevel, func(l *engine.LevelResult) {
					l.Reason = "stopped after 7 of 60 requests"
					l.Notes = []string{"3 of 60 replies: the stream ended without [DONE]"}
				}),
				level(64, engine.Skipped, func(l *engine.LevelResult) { l.Reason = "the target died in phase decode at C=32" }),
			},
		}},
	}
}

func TestTerminal(t *testing.T) {
	var b strings.Builder
	if err := Terminal(&b, result(), NewPalette(false)); err != nil {
		t.Fatal(err)
	}
	golden(t, "terminal.txt", b.String())
}

func TestTerminalShowsNoFigureOfWithheldLevels(t *testing.T) {
	r := result()
	for _, p := range r.Phases {
		for _, l := range p.Levels {
			if l.State.Shown() {
				l.State, l.Withheld, l.Figures, l.Formulas, l.Checks = engine.Rejected, l.Figures, nil, nil, nil
			}
		}
	}
	var b strings.Builder
	if err := Terminal(&b, r, NewPalette(false)); err != nil {
		t.Fatal(err)
	}
	server, _, _ := strings.Cut(b.String(), "client, at its worst level")
	for _, figure := range []string{" ms", " s ", "113", "172"} {
		if strings.Contains(server, figure) {
			t.Errorf("the report holds %q:\n%s", figure, &b)
		}
	}
}

func TestColourIsOnlyForTerminals(t *testing.T) {
	for _, coloured := range []bool{true, false} {
		var b strings.Builder
		if err := Terminal(&b, result(), NewPalette(coloured)); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "\x1b[") != coloured {
			t.Errorf("coloured %v: the report has escapes: %v", coloured, !coloured)
		}
	}
}

// stars replaces one word.
type stars string

func (s stars) String(text string) string { return strings.ReplaceAll(text, string(s), "<redacted>") }

func TestRedactJSONLeavesKeysAlone(t *testing.T) {
	for text, want := range map[string]string{
		`{"status":"status","a":["x status","\"status\""],"b":{"status" : 1}}`: `{"status":"<redacted>","a":["x <redacted>","\"<redacted>\""],"b":{"status" : 1}}`,
		`"status"`: `"<redacted>"`, `[]`: `[]`, `{"a\\":"status"}`: `{"a\\":"<redacted>"}`, `{"a":"status`: `{"a":"<redacted>`,
	} {
		if got := redactJSON(text, stars("status")); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
	if got, want := redactJSON(`{"a":"say stat\"us\""}`, stars(`stat\`)), `{"a":"say stat\"us\""}`; got != want {
		t.Errorf("what only looks like the secret became %s", got)
	}
}

func TestFilesOfARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "one")
	f, err := NewFiles(dir, []byte("name: secret-1\n"), stars("secret-1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewFiles(dir, nil, stars("x")); err == nil {
		t.Error("a run's folder was made twice")
	}
	for range 2 {
		line := engine.RequestLine{Phase: "decode", Concurrency: 2, Request: &metric.Request{Content: "says secret-1", OK: true}}
		if err := f.Request(line); err != nil {
			t.Fatal(err)
		}
		if err := f.Result(result()); err != nil {
			t.Fatal(err)
		}
	}
	lines, _ := os.ReadFile(filepath.Join(dir, "requests.jsonl"))
	if strings.Count(string(lines), "\n") != 2 {
		t.Errorf("before the end the requests are %q", lines)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		info, _ := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 || strings.Contains(string(data), "secret-1") {
			t.Errorf("%s: mode %v, %v, %.80q", e.Name(), info.Mode(), err, data)
		}
	}
	if len(entries) != 5 {
		t.Errorf("%d files, want 5", len(entries))
	}
	data, _ := os.ReadFile(filepath.Join(dir, "result.json"))
	if !json.Valid(data) {
		t.Error("result.json does not parse")
	}
}
