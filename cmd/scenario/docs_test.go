package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"scenario/internal/assert"
	"scenario/internal/engine"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestScenariosInDocumentsAreValid: every YAML block of a document is a scenario
// that can be planned.
func TestScenariosInDocumentsAreValid(t *testing.T) {
	blocks := 0
	for _, document := range []string{"README.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", document))
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range yamlBlock.FindAllStringSubmatch(string(text), -1) {
			blocks++
			file := filepath.Join(t.TempDir(), "block.yaml")
			if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			none := func(string) (string, bool) { return "", false }
			if one, faults := (loader{flags: &loadFlags{}, env: none}).load(file, ""); one == nil || len(faults) > 0 {
				t.Errorf("%s:\n%s", document, faults)
			}
		}
	}
	if blocks == 0 {
		t.Error("no document has a YAML block")
	}
}

func TestSchemasAreCurrent(t *testing.T) {
	for file, args := range map[string][]string{
		"scenario.schema.json": {"schema"},
		"result.schema.json":   {"schema", "--result"},
	} {
		want, err := os.ReadFile(filepath.Join("..", "..", "schema", file))
		if err != nil {
			t.Fatal(err)
		}
		var out, errs strings.Builder
		if status := run(t.Context(), args, &out, &errs); status != 0 {
			t.Fatalf("status %d: %s", status, errs.String())
		}
		if out.String() != string(want) {
			t.Errorf("schema/%s is not current: run make schema", file)
		}
	}
}

func TestExplainedFunctionsCompile(t *testing.T) {
	scope := engine.Scope(nil)
	for _, f := range functions {
		if _, faults := assert.Compile(f.example, scope, assert.Measured); len(faults) > 0 {
			t.Errorf("%s: %q: %v", f.form, f.example, faults)
		}
	}
}
