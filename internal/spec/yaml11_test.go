package spec

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// yaml11Bool is what readers of YAML 1.1, editors among them, take for a boolean.
var yaml11Bool = regexp.MustCompile(`^(?i:yes|no|on|off)$`)

// readYAML11 reads a file as such a reader does.
func readYAML11(t *testing.T, src []byte) any {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal(src, &document); err != nil {
		t.Fatal(err)
	}
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.Style == 0 && yaml11Bool.MatchString(n.Value) {
			n.Tag, n.Value = "!!bool", map[bool]string{true: "true", false: "false"}[strings.EqualFold(n.Value, "yes") || strings.EqualFold(n.Value, "on")]
		}
		for _, below := range n.Content {
			walk(below)
		}
	}
	walk(&document)
	var value any
	if err := document.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// published is the schema that editors point at.
func published(t *testing.T) *ruleset {
	t.Helper()
	text, err := os.ReadFile("../../schema/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// TestShippedScenariosAreValidForReadersOfYAML11 holds them to the schema as an
// editor sees them, in which off is false.
func TestShippedScenariosAreValidForReadersOfYAML11(t *testing.T) {
	rules, count := published(t), 0
	for _, pattern := range []string{"../../scenarios/*.yaml", "../../scenarios/*/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".baseline.yaml") {
				continue
			}
			count++
			if err := rules.compiled.Validate(readYAML11(t, readFile(t, file))); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if count < 3 {
		t.Errorf("%d scenarios", count)
	}
}

const allOff = `name: gate
target: {base_url: "http://h", proxy: off, metrics_url: off}
phases:
  - name: a
    kind: fixed-token
    concurrency: 1
    workload: {prompt: {ids: random, tokens: 64}, output_tokens: 64}
    warmup: off
    cache_flush: off
    canaries: off
    guards: {short-output: {effect: off, because: it is meant}}
    checks: {correct: [ok_count == issued]}
`

func TestOffForReadersOfYAML11(t *testing.T) {
	rules := published(t)
	for _, text := range []string{allOff, strings.ReplaceAll(allOff, " off", ` "off"`)} {
		if err := rules.compiled.Validate(readYAML11(t, []byte(text))); err != nil {
			t.Errorf("%s%v", text, err)
		}
	}
	// Neither true, nor false where off means nothing.
	for _, c := range []struct{ old, new string }{
		{"canaries: off", "canaries: on"},
		{"warmup: off", "warmup: on"},
		{"proxy: off", "proxy: on"},
		{"metrics_url: off", "metrics_url: yes"},
		{"cache_flush: off", "cache_flush: on"},
		{"effect: off", "effect: on"},
		{"name: gate", "name: off"},
		{"kind: fixed-token", "kind: off"},
	} {
		text := strings.Replace(allOff, c.old, c.new, 1)
		if rules.compiled.Validate(readYAML11(t, []byte(text))) == nil {
			t.Errorf("%s is valid", c.new)
		}
	}
}
