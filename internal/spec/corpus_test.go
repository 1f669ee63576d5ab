package spec

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestBadFiles loads every testdata/*.bad.yaml and compares the diagnostics with
// the .bad.txt beside it.
func TestBadFiles(t *testing.T) {
	for _, file := range corpus(t, "testdata/*.bad.yaml") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".bad.yaml"), func(t *testing.T) {
			src := readFile(t, file)
			s, list := Load(filepath.Base(file), src, options())
			if s != nil || !list.HasErrors() {
				t.Fatalf("the file loads, with diagnostics\n%s", list)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", list.String())
		})
	}
}

// TestGoodFiles loads every testdata/*.good.yaml and compares its warnings and
// its resolved form with the .good.txt beside it; that form must load to the
// same scenario.
func TestGoodFiles(t *testing.T) {
	rules, err := scenarioRules(options().Kinds)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range corpus(t, "testdata/*.good.yaml") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".good.yaml"), func(t *testing.T) {
			src := readFile(t, file)
			s, list := Load(filepath.Base(file), src, options())
			if s == nil {
				t.Fatalf("the file does not load:\n%s", list)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", list.String()+string(s.Resolved()))
			reload(t, s, rules)
		})
	}
}

// TestNoSecretIsPrinted looks for the secrets of the corpus in its goldens.
func TestNoSecretIsPrinted(t *testing.T) {
	for _, file := range corpus(t, "testdata/*.txt") {
		if text := string(readFile(t, file)); strings.Contains(text, "SECRET") {
			t.Errorf("%s prints a secret:\n%s", file, text)
		}
	}
}

func corpus(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return files
}

func readFile(t *testing.T, file string) []byte {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// golden compares text with a file, or writes the file.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(readFile(t, file)), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}
