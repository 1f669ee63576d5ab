package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/engine"
	"scenario/internal/simserver"
	"scenario/internal/spec"
	"scenario/internal/workloads"
)

// declared is a scenario whose production is this, with two levels that count and
// one that does not.
func declared(production, phase string) string {
	return strings.Replace(header, "phases:", "production: "+production+"\nphases:", 1) + `
  - name: decode
    kind: fixed-token
    concurrency: [1, 4, 16]
    gate: concurrency <= 4
    canaries: off
    workload: {prompt: {ids: random, tokens: 100}, output_tokens: 28}
    checks: {correct: [ok_count == issued]}
` + phase
}

func TestWhatProductionDoesMustBeCovered(t *testing.T) {
	const (
		concurrency = "production has 16 requests in flight, levels that count go to 4"
		context     = "production has contexts of 130 tokens, levels that count go to 128"
	)
	because := func(effect string) string {
		return "    guards: {not-covered: {effect: " + effect + ", because: of a test}}\n"
	}
	for name, c := range map[string]struct {
		production, phase string
		exit              int
		gaps              []string
	}{
		"nothing is declared":             {"{}", "", 0, nil},
		"all is covered":                  {"{concurrency: 4, context: 128, features: [streaming]}", "", 0, nil},
		"within one per cent":             {"{context: 129}", "", 0, nil},
		"explored levels cover nothing":   {"{concurrency: 16}", "", 4, []string{concurrency}},
		"a context that is not reached":   {"{context: 130}", "", 4, []string{context}},
		"features of no kind":             {"{features: [tools, streaming, reasoning]}", "", 4, []string{"production uses tools, and no level that counts does", "production uses reasoning, and no level that counts does"}},
		"streaming that is not":           {"{features: [streaming]}", "    stream: false\n", 4, []string{"production uses streaming, and no level that counts does"}},
		"several":                         {"{concurrency: 16, context: 130}", "", 4, []string{concurrency, context}},
		"rejected by the scenario's will": {"{concurrency: 16}", because("reject"), 3, []string{concurrency}},
		"a warning by its will":           {"{concurrency: 16}", because("warn"), 0, []string{concurrency}},
		"off":                             {"{concurrency: 16}", because("off"), 0, []string{concurrency}},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, declared(c.production, c.phase), engine.PlanOptions{})
			if diff := cmp.Diff(c.gaps, p.NotCovered); diff != "" {
				t.Errorf("the plan names (-want +got):\n%s", diff)
			}
			r := world{server: simserver.Healthy()}.run(t, p)
			if diff := cmp.Diff(c.gaps, r.Production.NotCovered); diff != "" {
				t.Errorf("the run names (-want +got):\n%s", diff)
			}
			var want []string
			if c.exit != 0 {
				for _, g := range c.gaps {
					want = append(want, "not-covered: "+g)
				}
			}
			if !slices.Equal(r.Verdict.Reasons, want) || r.Verdict.ExitCode != c.exit {
				t.Errorf("exit %d %q, want %d %q", r.Verdict.ExitCode, r.Verdict.Reasons, c.exit, want)
			}
		})
	}
}

func TestWhatIsNotCoveredIsANoteInPartialRuns(t *testing.T) {
	p := plan(t, declared("{concurrency: 16}", ""), engine.PlanOptions{When: "concurrency <= 1"})
	r := world{server: simserver.Healthy()}.run(t, p)
	if r.Verdict.ExitCode != 0 || r.Production.Effect != engine.Warn || len(r.Production.NotCovered) != 1 {
		t.Errorf("exit %d, %+v", r.Verdict.ExitCode, r.Production)
	}
	// What a partial run leaves out is covered by the file all the same.
	p = plan(t, declared("{concurrency: 4}", ""), engine.PlanOptions{When: "concurrency <= 1"})
	if r := (world{server: simserver.Healthy()}).run(t, p); len(r.Production.NotCovered) > 0 {
		t.Errorf("%+v", r.Production)
	}
}

func TestAWarningNamesWhatIsNotCovered(t *testing.T) {
	s, faults := spec.Load("test.yaml", []byte(strings.TrimPrefix(declared("{concurrency: 16, context: 130, features: [tools]}", ""), "\n")), options())
	if s == nil {
		t.Fatal(faults)
	}
	p, faults := engine.NewPlan(s, nil, engine.PlanOptions{Kinds: workloads.Kinds()})
	if p == nil || faults.HasErrors() {
		t.Fatal(faults)
	}
	for _, want := range []string{
		"test.yaml:4:27: warning: production has 16 requests in flight, levels that count go to 4: the run can't be GO (guard not-covered)",
		"test.yaml:4:40: warning: production has contexts of 130 tokens, levels that count go to 128: ",
		"test.yaml:4:56: warning: production uses tools, and no level that counts does: ",
	} {
		if !strings.Contains(faults.String(), want) {
			t.Errorf("%q is not in\n%s", want, faults)
		}
	}
}

func TestNaturalLengthsCoverWhatCame(t *testing.T) {
	// Answers may be 4,000 tokens long and are far shorter: the plan can't know.
	src := strings.Replace(declared("{context: 4000}", ""), "output_tokens: 28", "output_tokens: 4000, ignore_eos: false", 1)
	src = strings.Replace(src, "concurrency: [1, 4, 16]", "concurrency: [1, 4]", 1)
	p := plan(t, src, engine.PlanOptions{})
	r := world{server: simserver.Healthy()}.run(t, p)
	if len(p.NotCovered) > 0 || r.Verdict.ExitCode != 4 || len(r.Production.NotCovered) != 1 || !strings.HasPrefix(r.Production.NotCovered[0], "production has contexts of 4000 tokens, levels that count go to ") {
		t.Errorf("planned %q; exit %d, %+v, %v", p.NotCovered, r.Verdict.ExitCode, r.Production, r.Verdict.Reasons)
	}
}

func TestRatesCoverTheRequestsThatWereInFlight(t *testing.T) {
	src := func(n string) string {
		return strings.Replace(header, "phases:", "production: {concurrency: "+n+"}\nphases:", 1) + `
  - name: open
    kind: fixed-token
    canaries: off
    load: {mode: rate, rates: [20], requests: 100}
    workload: {prompt: {ids: random, tokens: 64}, output_tokens: 64}
    checks: {correct: [ok_count == issued]}
`
	}
	for n, exit := range map[string]int{"2": 0, "500": 4} {
		p := plan(t, src(n), engine.PlanOptions{})
		r := world{server: simserver.Healthy()}.run(t, p)
		if len(p.NotCovered) > 0 || r.Verdict.ExitCode != exit {
			held, _ := r.Phases[0].Levels[0].Found().InflightMean.Number()
			t.Errorf("%s in flight: planned %q, exit %d, want %d (%.1f were in flight): %v", n, p.NotCovered, r.Verdict.ExitCode, exit, held, r.Verdict.Reasons)
		}
	}
}
