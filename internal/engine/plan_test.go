package engine_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/diag"
	"scenario/internal/engine"
	"scenario/internal/spec"
	"scenario/internal/workloads"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRefusedPlans: each testdata/*.bad.yaml passes the loader and cannot be
// planned; what is said of it stands beside it.
func TestRefusedPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bad.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s, faults := spec.Load(filepath.ToSlash(file), src, options())
			if s == nil {
				t.Fatalf("the loader refuses the file already:\n%s", faults)
			}
			baseline, faults := readBaseline(t, s)
			if !faults.HasErrors() {
				var p *engine.Plan
				p, faults = engine.NewPlan(s, baseline, engine.PlanOptions{Kinds: workloads.Kinds()})
				if p != nil {
					t.Fatal("the plan was made")
				}
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", faults.String())
		})
	}
}

func readBaseline(t *testing.T, s *spec.Scenario) (*spec.Baseline, diag.List) {
	t.Helper()
	if s.Baseline.Empty() {
		return nil, nil
	}
	path := filepath.Join("testdata", s.Baseline.String())
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return spec.LoadBaseline(filepath.ToSlash(path), src)
}

func golden(t *testing.T, path, got string) {
	t.Helper()
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
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestAutoCountsFollowTheChecks(t *testing.T) {
	phase := func(extra string) string {
		return header + `
  - name: decode
    kind: fixed-token
    concurrency: [1, 4, 32]
    workload: {prompt: {ids: random, tokens: 100}, output_tokens: 100}
` + extra
	}
	for name, c := range map[string]struct {
		src  string
		want []int
	}{
		"five rounds": {phase("    checks: {correct: [ok_count == issued]}\n"), []int{5, 20, 160}},
		"a p95 needs 59": {
			phase("    checks: {correct: [ok_count == issued], slo: [ttft.p95 < s(1)]}\n"), []int{59, 59, 160},
		},
		"only where the check exists": {
			phase("    checks: {correct: [ok_count == issued], slo: [{expr: ttft.p99 < s(1), when: concurrency == 4}]}\n"), []int{5, 299, 160},
		},
		"many samples per request": {
			phase("    checks: {correct: [ok_count == issued], slo: [gap.p99 < s(1)]}\n"), []int{50, 50, 160},
		},
		"room for the error budget": {
			phase("    error_budget: 0.1\n    checks: {correct: [ok_count > 1], slo: [ttft.p95 < s(1)]}\n"), []int{66, 66, 178},
		},
		"a fixed number": {phase("    load: {requests: 40}\n    checks: {correct: [ok_count == issued]}\n"), []int{40, 40, 40}},
		"a multiple":     {phase("    load: {requests: 3x}\n    checks: {correct: [ok_count == issued]}\n"), []int{3, 12, 96}},
		"waves":          {phase("    load: {mode: wave, waves: 2}\n    checks: {correct: [ok_count == issued]}\n"), []int{2, 8, 64}},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, c.src, engine.PlanOptions{})
			var got []int
			ordinal := 0
			for _, l := range p.Phases[0].Levels {
				got = append(got, l.Sessions)
				if l.Ordinal != ordinal {
					t.Errorf("C=%d begins at request %d of the ladder, want %d", l.Concurrency, l.Ordinal, ordinal)
				}
				ordinal += l.Sessions
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("requests per level (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLongerLaddersKeepTheirBeginning(t *testing.T) {
	phase := `
  - name: decode
    kind: fixed-token
    concurrency: [1, 4, 32]
    workload: {prompt: {ids: random, tokens: 100}, output_tokens: 100}
    checks: {correct: [ok_count == issued]}
`
	p := plan(t, header+phase, engine.PlanOptions{When: "concurrency >= 32"})
	if len(p.Phases[0].Levels) != 1 || p.Phases[0].Levels[0].Ordinal != 25 {
		t.Errorf("levels %d, the first at request %d of the ladder; want 1 at 25", len(p.Phases[0].Levels), p.Phases[0].Levels[0].Ordinal)
	}
	if diff := cmp.Diff([]string{"--when concurrency >= 32"}, p.Partial); diff != "" {
		t.Errorf("partial (-want +got):\n%s", diff)
	}
}

func TestSelectedPhasesBringWhatTheyRequire(t *testing.T) {
	phase := func(name, requires string) string {
		return "  - name: " + name + "\n    kind: fixed-token\n    concurrency: 1\n" + requires +
			"    workload: {prompt: {ids: random, tokens: 8}, output_tokens: 8}\n    checks: {correct: [ok_count == issued]}\n"
	}
	src := header + phase("a", "") + phase("b", "    requires: [a]\n") + phase("c", "    requires: [b]\n") + phase("d", "")
	p := plan(t, src, engine.PlanOptions{Phases: []string{"c"}})
	var got []string
	for _, ph := range p.Phases {
		got = append(got, ph.Spec.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	s, _ := spec.Load("test.yaml", []byte(src), options())
	_, faults := engine.NewPlan(s, nil, engine.PlanOptions{Kinds: workloads.Kinds(), Phases: []string{"e"}})
	if want := `--phase e: the scenario has no such phase; it has "a", "b", "c", "d"`; !strings.Contains(faults.String(), want) {
		t.Errorf("faults %q, want %q", faults, want)
	}
}

func TestKVDemandAgainstCapacity(t *testing.T) {
	src := strings.Replace(header, "proxy: off", "proxy: off, kv_capacity_tokens: 1570000", 1) + `
  - name: shared
    kind: fixed-token
    concurrency: [512, 785, 786, 1024]
    workload: {prompt: {ids: constant, id: 23066, tokens: 1000}, output_tokens: 1000}
    load: {mode: wave}
    checks: {correct: [ok_count == issued]}
`
	want := []string{
		"", "",
		"level C=786 needs 1.57M KV tokens at its end, the target holds 1.57M: above C=785 it measures queueing and preemption, not decode scaling (if the server shares the equal prompts it needs 787k, and fits)",
		"level C=1024 needs 2.05M KV tokens at its end, the target holds 1.57M: above C=785 it measures queueing and preemption, not decode scaling (if the server shares the equal prompts it needs 1.02M, and fits)",
	}
	for i, l := range plan(t, src, engine.PlanOptions{}).Phases[0].Levels {
		if l.KV.Message != want[i] {
			t.Errorf("C=%d: %q\nwant %q", l.Concurrency, l.KV.Message, want[i])
		}
	}
	closed := strings.NewReplacer("ids: constant, id: 23066", "ids: random", "[512, 785, 786, 1024]", "[1024, 1047]", "mode: wave", "mode: closed").Replace(src)
	for i, want := range []string{
		"level C=1024 needs 2.05M KV tokens at its end, the target holds 1.57M: above C=785 it measures queueing and preemption, not decode scaling (spread evenly over their course the sessions need 1.54M, and fit)",
		"level C=1047 needs 2.09M KV tokens at its end, the target holds 1.57M: above C=785 it measures queueing and preemption, not decode scaling",
	} {
		if got := plan(t, closed, engine.PlanOptions{}).Phases[0].Levels[i].KV.Message; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	tiny := strings.NewReplacer("1570000", "1999", "[512, 785, 786, 1024]", "2").Replace(src)
	const none = "level C=2 needs 4000 KV tokens at its end, the target holds 1999: not even one session fits"
	if got := plan(t, tiny, engine.PlanOptions{}).Phases[0].Levels[0].KV.Message; got != none {
		t.Errorf("got %q, want %q", got, none)
	}
}
