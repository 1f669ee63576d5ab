package spec

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestDefaults reads a file with nothing in it but what must be there.
func TestDefaults(t *testing.T) {
	s, list := loadText(`name: gate
target: {base_url: http://h}
phases:
  - {name: a, kind: talk, concurrency: 4, checks: {correct: [error_ratio == 0]}}
`, options())
	if s == nil || len(list) > 0 {
		t.Fatalf("does not load:\n%s", list)
	}
	want := &Scenario{
		File: "test.yaml", Name: "gate", Seed: 1,
		Target: Target{
			BaseURLs: []Text{NewText("http://h")}, Server: "auto", Proxy: NewText("env"), MetricsURL: NewText("auto"),
			Timeouts: Timeouts{Connect: 10 * time.Second, FirstToken: 10 * time.Minute, Idle: 2 * time.Minute, Request: time.Hour},
		},
		Phases: []Phase{{
			Name: "a", Kind: NewText("talk"), Concurrency: []int{4}, Stream: true, Repeats: 1, Canaries: "edges",
			Load:        LoadSettings{Mode: "closed", Sessions: Count{Auto: true}, Waves: 1, Arrivals: "poisson", MaxInFlight: 1024, Drain: "finish"},
			Warmup:      Warmup{Scope: "level", Requests: Count{PerC: 1}, OutputTokens: 32},
			Temperature: Optional[float64]{Set: true}, Seed: Optional[int64]{Set: true},
			Checks: Checks{Correct: []Check{{Expr: NewText("error_ratio == 0")}}},
		}},
	}
	if diff := cmp.Diff(want, s, cmpopts.IgnoreTypes(At{})); diff != "" {
		t.Errorf("the defaults (-want +got):\n%s", diff)
	}
	p := s.Phases[0]
	if p.Workload.Exists() || p.Load.At.Exists() || p.Warmup.At.Exists() || p.Load.At.Pos().Line != 4 || p.Workload.Pos().Line != 4 {
		t.Error("what the file leaves out does not have the phase's place")
	}
	if text := s.Phases[0].Load.Sessions; text.Resolve(4, 59) != 59 || (Count{PerC: 5}).Resolve(4, 59) != 20 || (Count{N: 7}).Resolve(4, 59) != 7 {
		t.Error("counts resolve to other numbers")
	}
}

// TestEverything looks at values that a file states.
func TestEverything(t *testing.T) {
	s, list := Load("everything.yaml", readFile(t, "testdata/everything.good.yaml"), options())
	if s == nil {
		t.Fatalf("does not load:\n%s", list)
	}
	first, second := s.Phases[0], s.Phases[1]
	var body []string
	for _, field := range first.Body {
		value := string(field.Value)
		if field.Unset {
			value = "unset"
		}
		body = append(body, field.Name+"="+value)
	}
	wantBody := []string{
		"min_p=unset", "stop=null", `text="unset"`, "ratio=1.50", "flag=true", `code="010"`,
		`chat_template_kwargs={"b":[1,{"c":"x\ny"}],"a":2,"enable_thinking":false}`, "top_p=0.95",
	}
	if diff := cmp.Diff(wantBody, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	wantGuards := GuardSettings{
		{ID: "cache-warm", Because: "No usage here.", Thresholds: map[string]float64{"ratio": 0.5}},
		{ID: "short-output", Off: true, Because: "A published method."},
	}
	if diff := cmp.Diff(wantGuards, first.Guards, cmpopts.IgnoreTypes(At{})); diff != "" {
		t.Errorf("guards (-want +got):\n%s", diff)
	}
	wantTarget := Target{
		BaseURLs: []Text{NewText("http://127.0.0.1:8000"), NewText("https://user:4@h/v1?api-version=2&sig=4")},
		Model:    NewText("42"), APIKeyEnv: NewText("OPENAI_API_KEY"), APIKeyHeader: "api-key",
		Headers: Headers{{"X-Tenant", NewText("t-1")}, {"X-Title", NewText("bench")}},
		Server:  "vllm", ContextTokens: 131072, KVCapacityTokens: 1570000, Accelerators: 8,
		TLS:   TLS{NewText("ca.pem"), NewText("c.pem"), NewText("k.pem"), true},
		Proxy: NewText("off"), MetricsURL: NewText("off"),
		Timeouts: Timeouts{5 * time.Second, 90 * time.Minute, 250 * time.Microsecond, 2500 * time.Millisecond},
	}
	if diff := cmp.Diff(wantTarget, s.Target, cmpopts.IgnoreTypes(At{})); diff != "" {
		t.Errorf("target (-want +got):\n%s", diff)
	}
	if first.Retries != 0 || !first.FailFast || first.Temperature.Set || first.Seed.Value != 7 || first.Stream || first.ErrorBudget != 0.01 ||
		first.Load.Sessions.PerC != 10 || first.Warmup.Scope != "run" || first.Warmup.Requests.N != 4 || first.Warmup.OutputTokens != 64 || !first.Warmup.PerEndpoint {
		t.Errorf("the first phase: %+v", first)
	}
	if second.Load.Mode != "wave" || second.Load.Waves != 3 || !second.Warmup.Off || second.Temperature.Value != 0.7 {
		t.Errorf("the second phase: %+v", second)
	}
	if check := first.Checks.Correct[1]; check.Name != "quick" || check.When.String() != "concurrency <= 4" {
		t.Errorf("the second check: %+v", check)
	}
	var workload struct {
		Prompt struct {
			IDs    string `yaml:"ids"`
			Tokens Tokens `yaml:"tokens"`
		} `yaml:"prompt"`
		OutputTokens Tokens   `yaml:"output_tokens"`
		Pause        Duration `yaml:"pause"`
	}
	if err := first.Workload.Decode(&workload); err != nil || workload.OutputTokens != 1536 || workload.Pause != Duration(time.Minute) || workload.Prompt.IDs != "random" {
		t.Errorf("the workload: %+v, %v", workload, err)
	}
}

// TestLanguage loads the example of the whole language: what this version does
// not have is all it complains about.
func TestLanguage(t *testing.T) {
	o := options()
	s, list := Load("language.yaml", readFile(t, "testdata/language.yaml"), o)
	if s != nil {
		t.Fatal("the example loads, with parts that this version does not have")
	}
	golden(t, "testdata/language.txt", list.String())
	for _, d := range list {
		if !strings.Contains(d.Message, "not available yet in this version") {
			t.Errorf("the example is at fault:\n%s%s", d.Error(), d.Snippet())
		}
	}
	lines := strings.Split(string(readFile(t, "testdata/language.yaml")), "\n")
	for i := len(list) - 1; i >= 0; i-- {
		lines[list[i].Pos.Line-1] = "" // the example has each such key on a line of its own
	}
	// Without their kinds two phases are none: they become ones of this build.
	text := regexp.MustCompile(`- name: (tools|recall)\n`).ReplaceAllString(strings.Join(lines, "\n"), "- name: $1\n    kind: talk\n")
	text = regexp.MustCompile(`workload: {lengths.*`).ReplaceAllString(text, "")
	s, list = loadText(text, o)
	if s == nil || len(s.Phases) != 3 {
		t.Errorf("without those parts it does not load:\n%s", list)
	}
}

func TestSchemaFaults(t *testing.T) {
	o := options()
	o.Kinds = append(o.Kinds, KindSchema{Name: "open", Schema: []byte(`{"type": "object", "properties": {}}`)})
	if s, list := loadText(twoPhases, o); s != nil || len(list) != 1 || !strings.Contains(list[0].Message, `kind "open": schema: not closed`) {
		t.Errorf("an open schema: %v", list)
	}
	o.Kinds[2].Schema = []byte(`{"type": "object", "additionalProperties": false, "properties": {"a": {"$ref": "https://example.org/x"}}}`)
	if s, list := loadText(twoPhases, o); s != nil || len(list) != 1 || !strings.Contains(list[0].Message, "may not refer to https://example.org/x") {
		t.Errorf("a schema from elsewhere: %v", list)
	}
}

func TestTooManyPhases(t *testing.T) {
	var text strings.Builder
	text.WriteString("name: gate\ntarget: {base_url: http://h}\nphases:\n")
	for i := range 201 {
		text.WriteString("  - {name: p" + strings.Repeat("x", i%90) + string(rune('a'+i/90)) + ", kind: talk, concurrency: 1, checks: {correct: [a]}}\n")
	}
	s, list := loadText(text.String(), options())
	if s != nil || len(list) != 1 || list[0].Error() != "test.yaml:4:3: phases must have at most 200 entries; found 201" {
		t.Errorf("201 phases: %v", list)
	}
}

func TestDeepNesting(t *testing.T) {
	s, list := loadText("name: gate\nx-deep: "+strings.Repeat("[", 200)+strings.Repeat("]", 200)+"\n", options())
	if s != nil || !strings.Contains(list.String(), "nested more than 100 deep") {
		t.Errorf("200 lists in each other: %v", list)
	}
}

func TestResolvedElsewhere(t *testing.T) {
	rules, err := scenarioRules(options().Kinds)
	if err != nil {
		t.Fatal(err)
	}
	src := "name: a\nbaseline: b/c.yaml\ntarget: {base_url: 'http://h', tls: {ca_file: ca.pem, cert_file: /x/c.pem, key_file: k.pem}}\n" +
		"phases:\n  - {name: a, kind: talk, concurrency: 1, body: {big: 123456789012345678901234567890}, checks: {correct: [a]}}\n"
	s, list := load("a.yaml", []byte(src), options(), rules)
	if s == nil {
		t.Fatal(list)
	}
	moved := string(s.ResolvedFrom("/somewhere"))
	for _, want := range []string{"baseline: /somewhere/b/c.yaml", "ca_file: /somewhere/ca.pem", "cert_file: /x/c.pem", "big: 123456789012345678901234567890\n"} {
		if !strings.Contains(moved, want) {
			t.Errorf("no %q in\n%s", want, moved)
		}
	}
	if again, list := load("b.yaml", []byte(moved), options(), rules); again == nil {
		t.Error(list)
	}
}
