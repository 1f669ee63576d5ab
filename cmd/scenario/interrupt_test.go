package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scenario/internal/engine"
)

// trigger is a writer that acts once a text has been written to it.
type trigger struct {
	bytes.Buffer
	text string
	act  func()
}

func (w *trigger) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if w.act != nil && strings.Contains(w.String(), w.text) {
		w.act()
		w.act = nil
	}
	return n, err
}

func TestInterruptedRunLeavesValidFiles(t *testing.T) {
	for name, text := range map[string]string{
		"as soon as the target is known": "target: ",
		"after the first level":          "decode C=1: accepted",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			errs := &trigger{text: text, act: cancel}
			var out bytes.Buffer
			dir := filepath.Join(t.TempDir(), "runs")
			code := run(ctx, []string{
				"run", "../../scenarios/quickstart.yaml", "--simulate", "--out", dir, "--junit", filepath.Join(dir, "fixed.xml"),
				"--set", "phases.decode.workload.output_tokens=32", "--set", "phases.decode.checks.correct=[ok_count >= 0]",
			}, &out, errs)
			if code != engine.ExitInterrupted || !strings.Contains(out.String(), "INCOMPLETE") {
				t.Errorf("exit status %d, want 130\n%s%s", code, &out, errs)
			}
			for _, file := range []string{"*/junit.xml", "*/report.md", "fixed.xml"} {
				files, _ := filepath.Glob(filepath.Join(dir, file))
				if len(files) != 1 {
					t.Fatalf("%d files %s", len(files), file)
				}
				if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), "INCOMPLETE") {
					t.Errorf("%s: %v\n%s", file, err, text)
				}
			}
			files, _ := filepath.Glob(filepath.Join(dir, "*", "result.json"))
			if len(files) != 1 {
				t.Fatalf("%d result files", len(files))
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			var r engine.Result
			if err := json.Unmarshal(data, &r); err != nil {
				t.Fatal(err)
			}
			if r.Run.Complete || !r.Run.Interrupted || r.Verdict.ExitCode != engine.ExitInterrupted {
				t.Errorf("run %+v, verdict %+v", r.Run, r.Verdict)
			}
		})
	}
}
