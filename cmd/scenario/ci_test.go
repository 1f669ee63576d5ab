package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scenario/internal/engine"
)

// TestNoGoWithoutItsJUnitFile: a run whose JUnit file can't be written in the end
// is not GO, since whoever reads the file would not know.
func TestNoGoWithoutItsJUnitFile(t *testing.T) {
	dir := t.TempDir()
	file, junit := filepath.Join(dir, "s.yaml"), filepath.Join(dir, "junit.xml")
	src := `
version: 1
name: s
target: {base_url: "http://127.0.0.1:9"}
phases:
  - name: decode
    kind: fixed-token
    concurrency: 1
    workload: {prompt: {ids: random, tokens: 32}, output_tokens: 16}
    guards: {client-bound: {effect: tag, because: the cores are shared}, concurrency-not-held: {effect: tag, because: the cores are shared}}
    checks:
      correct: [ok_count == issued]
`
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(){
		"written": func() {
			if text, err := os.ReadFile(junit); err != nil || !strings.Contains(string(text), `<error message="the run has not ended"`) {
				t.Errorf("while it runs the file is %v\n%s", err, text)
			}
		},
		"not written": func() { os.Remove(junit); os.Mkdir(junit, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			errs := &trigger{text: "target: ", act: spoil}
			code := run(t.Context(), []string{"run", file, "--simulate", "--out", filepath.Join(dir, "runs"), "--junit", junit}, &out, errs)
			want := map[string]int{"written": engine.ExitGo, "not written": engine.ExitInvalid}[name]
			if code != want || strings.Contains(errs.String(), "can't be written") != (want != engine.ExitGo) {
				t.Errorf("exit status %d, want %d\n%s%s", code, want, &out, errs)
			}
			os.Remove(junit)
		})
	}
}
