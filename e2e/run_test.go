//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outcome is what a run of the program left.
type outcome struct {
	status int
	screen string
	dir    string // the run's folder; empty: none was made
	result result
	lines  int // of requests.jsonl
}

// result is what the tests read of result.json.
type result struct {
	Verdict struct {
		Decision string
		ExitCode int `json:"exit_code"`
		Reasons  []string
	}
	Target struct{ Server, Version, Model string }
	Phases []struct {
		Name   string
		Warmup struct{ Sent int }
		Levels []level
	}
}

type level struct {
	Concurrency int
	State       string
	Figures     *figures
	Withheld    *figures
	Warmup      struct{ Sent int }
	Guards      []struct{ ID, Status, Effect, Message string }
	Outcomes    map[string]int
}

type figures struct {
	Issued      int
	OKCount     int      `json:"ok_count"`
	OutputTPS   *float64 `json:"output_tps"`
	Window      *float64
	TTFT, E2E   struct{ P50 *float64 }
	CachedRatio *float64 `json:"cached_ratio"`
	Server      struct {
		RunningMax       *float64 `json:"running_max"`
		PromptTokens     *float64 `json:"prompt_tokens"`
		GenerationTokens *float64 `json:"generation_tokens"`
	}
}

// scenario runs the program and reads what it left.
func scenario(t *testing.T, args ...string) outcome {
	t.Helper()
	c := command(t, args...)
	screen, err := c.cmd.CombinedOutput()
	return c.read(t, string(screen), err)
}

type running struct {
	cmd *exec.Cmd
	out string
}

func command(t *testing.T, args ...string) running {
	out := filepath.Join(t.TempDir(), "runs")
	cmd := exec.CommandContext(t.Context(), program, append(append([]string{"run"}, args...), "--out", out)...)
	cmd.Env = append(os.Environ(), "SCENARIO_BASE_URL=http://127.0.0.1:1")
	return running{cmd, out}
}

func (r running) read(t *testing.T, screen string, err error) outcome {
	t.Helper()
	o := outcome{screen: screen}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		o.status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	t.Logf("exit status %d\n%s", o.status, o.screen)
	dirs, _ := filepath.Glob(filepath.Join(r.out, "*"))
	if len(dirs) != 1 {
		return o
	}
	o.dir = dirs[0]
	data, err := os.ReadFile(filepath.Join(o.dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &o.result); err != nil {
		t.Fatalf("result.json does not parse: %v", err)
	}
	lines, err := os.ReadFile(filepath.Join(o.dir, "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("a line of requests.jsonl does not parse: %.200s", line)
		}
		o.lines++
	}
	return o
}

// want compares the exit status and the verdict's words.
func (o outcome) want(t *testing.T, status int, decision string, words ...string) {
	t.Helper()
	if o.status != status || o.result.Verdict.ExitCode != status || o.result.Verdict.Decision != decision {
		t.Errorf("exit status %d, verdict %+v; want %d, %s", o.status, o.result.Verdict, status, decision)
	}
	for _, word := range words {
		if !strings.Contains(o.screen, word) {
			t.Errorf("the screen does not say %q", word)
		}
	}
}
