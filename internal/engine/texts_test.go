package engine_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scenario/internal/engine"
	"scenario/internal/simserver"
	"scenario/internal/spec"
	"scenario/internal/workloads"
)

// textPhase has prompts of plain English.
const textPhase = `
  - name: stories
    kind: fixed-token
    concurrency: [1, 4]
    api: API
    workload: {prompt: {text: story, tokens: 300}, output_tokens: 64}
    canaries: off
    checks: {correct: ["all(requests, .ok and .prompt_tokens >= 297 and .prompt_tokens <= 303 and .output_tokens == 64)"]}
`

func texts(api string) string { return header + strings.Replace(textPhase, "API", api, 1) }

func TestTextsAreBroughtToTheirLength(t *testing.T) {
	usageAlone := func(c *simserver.Config) { c.Tokenize = false }
	for name, c := range map[string]struct {
		api, by string
		change  func(*simserver.Config)
	}{
		"completions, by the tokenizer": {"completions", "tokenize", func(*simserver.Config) {}},
		"chat, by the tokenizer":        {"chat", "tokenize", func(*simserver.Config) {}},
		"completions, by usage":         {"completions", "usage", usageAlone},
		"chat, by usage":                {"chat", "usage", usageAlone},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := simserver.Healthy()
			c.change(&cfg)
			r := world{server: cfg}.run(t, plan(t, texts(c.api), engine.PlanOptions{}))
			if r.Verdict.Decision != engine.Go {
				t.Fatalf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
			}
			fit := r.Phases[0].Prompts
			if fit == nil || fit.By != c.by || fit.Tokens != 300 || fit.Tolerance != 3 || len(fit.Counted) != 2 {
				t.Fatalf("fit %+v, want it by %s", fit, c.by)
			}
			for _, n := range fit.Counted {
				if n < 297 || n > 303 {
					t.Errorf("a prompt of %d tokens was taken", n)
				}
			}
			for _, l := range r.Phases[0].Levels {
				if least, _ := l.Figures.PromptTokens.Min(); least < 297 {
					t.Errorf("C=%d: a prompt of %.0f tokens", l.Concurrency, least)
				}
				if cached, _ := l.Figures.CachedRatio.Number(); cached > 0.1 {
					t.Errorf("C=%d: %.0f %% of the prompts were cached", l.Concurrency, 100*cached)
				}
			}
		})
	}
}

func TestTextsThatAreCutAreRejected(t *testing.T) {
	persona, ok := simserver.Find("short-prompt")
	if !ok {
		t.Fatal("no such persona")
	}
	r := world{server: simserver.Healthy().With(persona)}.run(t, plan(t, texts("completions"), engine.PlanOptions{}))
	if r.Verdict.Decision == engine.Go {
		t.Errorf("verdict %s though prompts are cut", r.Verdict.Decision)
	}
}

func TestTextsThatCannotBeCountedSkipThePhase(t *testing.T) {
	silent := http.NewServeMux()
	silent.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[{"id":"sim-1"}]}`) })
	silent.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Well\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n")
	})
	r := world{handler: silent}.run(t, plan(t, texts("chat"), engine.PlanOptions{}))
	l := r.Phases[0].Levels[0]
	if r.Verdict.ExitCode != engine.ExitInvalid || l.State != engine.Skipped || !strings.Contains(l.Reason, "replies state no prompt tokens, and /tokenize answers 404") {
		t.Errorf("exit %d, %s: %s", r.Verdict.ExitCode, l.State, l.Reason)
	}
}

func TestTextsThatAreAllTemplateSkipThePhase(t *testing.T) {
	src := strings.Replace(texts("chat"), "tokens: 300", "tokens: 4", 1)
	l := world{server: simserver.Healthy()}.run(t, plan(t, src, engine.PlanOptions{})).Phases[0].Levels[0]
	if l.State != engine.Skipped || !strings.Contains(l.Reason, "has no room for text") {
		t.Errorf("%s: %s", l.State, l.Reason)
	}
}

// filePhase has prompts of a file.
const filePhase = `
  - name: mine
    kind: fixed-token
    concurrency: [1, 4]
    api: chat
    workload: {prompt: {file: prompts.jsonl}, output_tokens: 64}
    load: {requests: 6}
    canaries: off
    checks: {correct: ["answer_right_ratio == 1"]}
`

func fromFile(t *testing.T, server simserver.Config, lines string) *engine.Result {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "prompts.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return world{server: server}.run(t, plan(t, header+filePhase, engine.PlanOptions{Dir: dir}))
}

func TestPromptsOfAFileAreSentAndTheirAnswersCompared(t *testing.T) {
	right := `{"prompt": "What is 17 + 25? Answer with the number alone.", "expected": "42"}
{"messages": [{"role": "user", "content": "What is 30 + 4? Answer with the number alone."}], "expected": "34", "max_tokens": 8}
`
	r := fromFile(t, simserver.Healthy(), right)
	if r.Verdict.Decision != engine.Go {
		t.Fatalf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
	}
	p := r.Phases[0]
	if p.Data == nil || p.Data.File != "prompts.jsonl" || p.Data.Prompts != 2 || len(p.Data.SHA256) != 64 || p.Cache != "any" {
		t.Errorf("data %+v, cache %s", p.Data, p.Cache)
	}

	r = fromFile(t, simserver.Healthy(), strings.Replace(right, `"34"`, `"35"`, 1))
	l := r.Phases[0].Levels[0]
	if r.Verdict.Decision != engine.NoGo || l.Outcomes["wrong_answer"] != 3 || l.Outcomes["ok"] != 3 {
		t.Errorf("verdict %s, outcomes %v", r.Verdict.Decision, l.Outcomes)
	}
	if !slices.ContainsFunc(l.Failures, func(f engine.FailureCount) bool { return f.Error == `the answer does not contain "35"` }) {
		t.Errorf("failures %v", l.Failures)
	}
}

func TestPromptsOfAFileThatAreSentAgainAreNotCold(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "prompts.jsonl"), []byte(`{"prompt": "Say yes."}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, faults := spec.Load("test.yaml", []byte(header+strings.Replace(filePhase, "api: chat", "api: chat\n    cache: cold", 1)), options())
	if s == nil {
		t.Fatal(faults)
	}
	_, faults = engine.NewPlan(s, nil, engine.PlanOptions{Kinds: workloads.Kinds(), Dir: dir})
	if want := "up to level C=1 the phase sends 6 prompts, and prompts.jsonl has 1"; !strings.Contains(faults.String(), want) {
		t.Errorf("%s\nwant %q", faults, want)
	}
}

func TestCanariesOfAChatAreAsked(t *testing.T) {
	r := world{server: simserver.Healthy()}.run(t, plan(t, strings.Replace(texts("chat"), "canaries: off", "canaries: edges", 1), engine.PlanOptions{}))
	if r.Verdict.Decision != engine.Go {
		t.Fatalf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
	}
	for _, l := range r.Phases[0].Levels {
		if ratio, known := l.Figures.CanaryPassRatio.Number(); !known || ratio < 0.9 {
			t.Errorf("C=%d: canaries pass %.2f (known %v)", l.Concurrency, ratio, known)
		}
	}
	if c := r.Phases[0].Calibration; c == nil || c.API != "chat" {
		t.Errorf("calibration %+v", c)
	}
}
