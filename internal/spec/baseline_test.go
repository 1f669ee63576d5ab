package spec

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestBadBaselines(t *testing.T) {
	for _, file := range corpus(t, "testdata/baseline/*.bad.yaml") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".bad.yaml"), func(t *testing.T) {
			b, list := LoadBaseline(filepath.Base(file), readFile(t, file))
			if b != nil || !list.HasErrors() {
				t.Fatalf("the file loads, with diagnostics\n%s", list)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", list.String())
		})
	}
}

func TestBaseline(t *testing.T) {
	const file = "testdata/baseline/published.good.yaml"
	b, list := LoadBaseline("published.yaml", readFile(t, file))
	if b == nil || len(list) > 0 {
		t.Fatalf("the file does not load:\n%s", list)
	}
	text := func(s string) Text { return NewText(s) }
	none := Figures{}
	want := &Baseline{
		File: "published.yaml", Source: "published", Model: "Qwen3.5-397B-A17B-NVFP4", Hardware: "8 x RTX PRO 6000",
		Engine: "SGLang", Method: "1,000 ids in, 1,000 tokens out", Origin: "a link, and a revision",
		Phases: []BaselinePhase{
			{
				Name: text("decode"), Formula: text("catid-g0"),
				Figures: Figures{Values: map[string]float64{"wall": 12e9}, Durations: map[string]bool{"wall": true}},
				Levels: []BaselineLevel{
					{Concurrency: 1, Note: "from the table in the README", Figures: Figures{
						Values:    map[string]float64{"aggregate_tps": 172, "ttft.p95": 2.5e9, "ttft.deep.p99": 250e3},
						Durations: map[string]bool{"ttft.p95": true, "ttft.deep.p99": true},
					}},
					{Concurrency: 4, Figures: Figures{Values: map[string]float64{"aggregate_tps": 542.5}}},
					{Concurrency: 4, Length: 2048, Excluded: "the source marks it as failed", Figures: Figures{Values: map[string]float64{"recall_ratio": 1}}},
				},
			},
			{
				Kind: text("fixed-token"), Note: "no formula", Figures: none,
				Levels: []BaselineLevel{{Rate: 0.5, Figures: Figures{Values: map[string]float64{"output_tps": 1.5e-3}}}},
			},
		},
	}
	if diff := cmp.Diff(want, b, cmpopts.IgnoreTypes(At{}), cmpopts.IgnoreFields(Figures{}, "Places"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the baseline (-want +got):\n%s", diff)
	}
	for path, place := range map[string]string{"ttft.deep.p99": "published.yaml:13:88", "aggregate_tps": "published.yaml:13:41"} {
		if got := b.Phases[0].Levels[0].Figures.Places[path].Pos().String(); got != place {
			t.Errorf("%s stands at %s, want %s", path, got, place)
		}
	}
	if n := len(b.Phases[0].Levels[0].Figures.Places); n != 3 {
		t.Errorf("there are places for %d figures, want 3", n)
	}
}
