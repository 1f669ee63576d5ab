package report

import (
	"os"
	"strings"
	"testing"

	"scenario/internal/engine"
	"scenario/internal/formula"
	"scenario/internal/spec"
	"scenario/internal/workloads"
)

// planOf plans testdata/plan.yaml.
func planOf(t *testing.T, o engine.PlanOptions) *engine.Plan { return planFile(t, "plan", o) }

// planFile plans a file in testdata, with the baseline beside it.
func planFile(t *testing.T, name string, o engine.PlanOptions) *engine.Plan {
	t.Helper()
	read := func(file string) []byte {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	o.Kinds = workloads.Kinds()
	language := spec.Options{Formulas: formula.IDs()}
	for _, kind := range o.Kinds {
		language.Kinds = append(language.Kinds, spec.KindSchema{Name: kind.Name, Schema: kind.Schema})
	}
	for _, guard := range engine.Guards() {
		g := spec.GuardSchema{ID: guard.ID}
		for _, threshold := range guard.Thresholds {
			g.Thresholds = append(g.Thresholds, spec.ThresholdSchema{Name: threshold.Name, Min: threshold.Min, Max: threshold.Max})
		}
		language.Guards = append(language.Guards, g)
	}
	s, faults := spec.Load(name+".yaml", read("testdata/"+name+".yaml"), language)
	if s == nil {
		t.Fatal(faults)
	}
	baseline, faults := spec.LoadBaseline(name+".baseline.yaml", read("testdata/"+name+".baseline.yaml"))
	if baseline == nil {
		t.Fatal(faults)
	}
	plan, faults := engine.NewPlan(s, baseline, o)
	if plan == nil {
		t.Fatal(faults)
	}
	return plan
}

func TestPlan(t *testing.T) {
	for name, o := range map[string]engine.PlanOptions{
		"plan.txt": {},
		// Another phase is the first with a warm-up of the run, or a level of it.
		"plan_partial.txt": {Phases: []string{"long"}, When: "concurrency > 8 and concurrency < 128"},
	} {
		var b strings.Builder
		if err := Plan(&b, planOf(t, o), NewPalette(false)); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
	}
}

func TestPlanOfLoadsByTheClock(t *testing.T) {
	var b strings.Builder
	if err := Plan(&b, planFile(t, "plan_loads", engine.PlanOptions{}), NewPalette(false)); err != nil {
		t.Fatal(err)
	}
	golden(t, "plan_loads.txt", b.String())
}
