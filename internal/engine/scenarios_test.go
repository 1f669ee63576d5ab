package engine_test

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"scenario/internal/engine"
	"scenario/internal/simserver"
	"scenario/internal/spec"
	"scenario/internal/workloads"
	"scenario/scenarios"
)

// reduced makes the shipped scenarios that take long on a real server small enough
// for a test: with options that a user may give, too.
var reduced = map[string][]string{
	"soak.yaml":       {"phases.soak.load.duration=3m", "phases.soak.concurrency=2"},
	"throughput.yaml": {"phases.decode.concurrency=[1, 8, 72]"},
	"open-loop.yaml":  {"phases.arrivals.load.rates=[0.5, 4]"},
}

// TestShippedScenariosPassOnTheSimulatedServer runs every one of them, whole or reduced.
func TestShippedScenariosPassOnTheSimulatedServer(t *testing.T) {
	err := fs.WalkDir(scenarios.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".baseline.yaml") || !strings.HasSuffix(name, ".yaml") {
			return err
		}
		t.Run(name, func(t *testing.T) {
			src, err := scenarios.Files.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			o := options()
			o.Set = []string{"target.base_url=http://sim", "target.model=sim-1", "target.proxy=off"}
			o.Set = append(o.Set, reduced[name]...)
			s, faults := spec.Load(name, src, o)
			if s == nil || len(faults) > 0 {
				t.Fatalf("faults:\n%s", faults)
			}
			var baseline *spec.Baseline
			if !s.Baseline.Empty() {
				file := path.Join(path.Dir(name), s.Baseline.String())
				data, err := scenarios.Files.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if baseline, faults = spec.LoadBaseline(file, data); baseline == nil {
					t.Fatalf("faults:\n%s", faults)
				}
			}
			p, faults := engine.NewPlan(s, baseline, engine.PlanOptions{Kinds: workloads.Kinds(), Nonce: "shipped", Dir: filepath.Join("..", "..", "scenarios", path.Dir(name))})
			if p == nil {
				t.Fatalf("faults:\n%s", faults)
			}
			r := world{server: simserver.Healthy()}.run(t, p)
			if r.Verdict.Decision != engine.Go {
				t.Errorf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPublishedBaselinesLoad(t *testing.T) {
	files, err := fs.Glob(scenarios.Files, "*/*.baseline.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no baselines", err)
	}
	for _, name := range files {
		src, err := scenarios.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if b, faults := spec.LoadBaseline(name, src); b == nil || len(faults) > 0 {
			t.Errorf("%s:\n%s", name, faults)
		}
	}
}
