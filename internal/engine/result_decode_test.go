package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/engine"
	"scenario/internal/formula"
	"scenario/internal/metric"
)

// fill sets every field below v to something that is not zero, so that a field
// that is not read again is missed. n makes the values differ.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch v.Interface().(type) {
	case metric.Number:
		v.Set(reflect.ValueOf(metric.Known(float64(*n) / 7)))
		return
	case metric.Duration:
		v.Set(reflect.ValueOf(metric.Span(time.Duration(*n) * 1234567)))
		return
	case metric.Numbers:
		values := make([]float64, *n)
		for i := range values {
			values[i] = float64(i) / 3
		}
		v.Set(reflect.ValueOf(metric.NewNumbers(values)))
		return
	case metric.Durations:
		v.Set(reflect.ValueOf(metric.Summarised(*n, 1.5e6, 1e6, 9e9, func(q float64) float64 { return q * 1e8 })))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 12, 1, 2, 3, 4, *n, time.UTC)))
		return
	case metric.Requests:
		return // have a file of their own
	case map[string]any:
		all := map[string]any{}
		for _, f := range formula.All() {
			figures := reflect.New(f.Figures)
			fill(t, figures.Elem(), n)
			all[f.ID] = figures.Interface()
		}
		v.Set(reflect.ValueOf(all))
		return
	case engine.Decision:
		v.SetString(string(engine.NoGo))
		return
	case engine.State:
		v.SetString(string(engine.Missed))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d <&\"\\\n> é\u2028", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(1<<63 + uint64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 3)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(t, value, n)
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(t, v.Field(i), n)
			}
		}
	default:
		t.Fatalf("a result has a %s, which this test can't fill", v.Type())
	}
}

// stored is a result as it is stored.
func stored(t *testing.T, r *engine.Result) []byte {
	t.Helper()
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestResultsComeBackAsTheyWereStored(t *testing.T) {
	full, n := new(engine.Result), 0
	fill(t, reflect.ValueOf(full).Elem(), &n)
	full.Schema = engine.ResultSchema
	empty := &engine.Result{Schema: engine.ResultSchema, Verdict: engine.Verdict{Decision: engine.Unusable}, Phases: []*engine.PhaseResult{
		{Levels: []*engine.LevelResult{{State: engine.Rejected, Withheld: &metric.Level{}}, {State: engine.Skipped}}},
	}}
	for name, was := range map[string]*engine.Result{"every field": full, "nothing known": empty} {
		first := stored(t, was)
		is, err := engine.DecodeResult(first)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, first)
		}
		if diff := cmp.Diff(string(first), string(stored(t, is))); diff != "" {
			t.Errorf("%s (-stored +read):\n%s", name, diff)
		}
	}
}

func TestResultsOfRunsComeBack(t *testing.T) {
	r := healthy(t, `  - {name: a, kind: fixed-token, concurrency: [1, 4], formula: catid-g0, load: {mode: wave, waves: 20},
     workload: {prompt: {ids: random, tokens: 64}, output_tokens: 32}, checks: {correct: [ok_count == issued], slo: [ttft.p50 < us(1)]}}
  - {name: b, kind: fixed-token, concurrency: 2, formula: catid-g1, load: {mode: wave},
     workload: {prompt: {ids: random, tokens: 64}, output_tokens: 32}, checks: {correct: ["all(requests, .output_tokens == 1)"]}}
`)
	if len(r.Phases) != 2 || r.Phases[0].Levels[0].Formulas == nil || r.Phases[1].Levels[0].WithheldFormulas == nil {
		t.Fatalf("the run shows too little: %s", stored(t, r))
	}
	first := stored(t, r)
	is, err := engine.DecodeResult(first)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(first), string(stored(t, is))); diff != "" {
		t.Errorf("(-stored +read):\n%s", diff)
	}
	if figures, ok := is.Phases[0].Levels[0].Formulas["catid-g0"].(*formula.CatidG0); !ok {
		t.Errorf("the formula's figures are a %T", figures)
	}
	if p50, ok := is.Phases[0].Levels[0].Figures.TTFT.Quantile(0.5); !ok || p50 <= 0 {
		t.Errorf("TTFT p50 is %v, %v", p50, ok)
	}
}

func TestFiguresOfUnknownFormulasAreKept(t *testing.T) {
	text := `{"schema":"scenario-result/1","verdict":{"decision":"GO"},"phases":[{"levels":[{"state":"accepted","formulas":{"other":{"b":1,"a":null}}}]}]}`
	r, err := engine.DecodeResult([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := json.Marshal(r); !bytes.Contains(data, []byte(`"formulas":{"other":{"b":1,"a":null}}`)) {
		t.Errorf("the figures are gone: %s", data)
	}
}

func TestWhatIsNoResultIsRefusedInOneLine(t *testing.T) {
	sound := func(rest string) string {
		return `{"schema":"scenario-result/1","verdict":{"decision":"GO"},"phases":[` + rest + `]}`
	}
	for text, want := range map[string]string{
		"":                               "it is empty",
		"{\n":                            "its JSON is cut off after 2 bytes",
		`{"schema":"scenario-result/1"`:  "its JSON is cut off after 29 bytes",
		"version: 1\n":                   "it is not valid JSON: invalid character 'v' looking for beginning of value (byte 1)",
		`[]`:                             "it holds a value of the wrong type: array",
		`{}`:                             "this is no result of a scenario run: it names no schema",
		`{"schema":7}`:                   "schema is of the wrong type: number",
		`{"schema":"scenario-result/2"}`: `its layout is "scenario-result/2", and this version reads "scenario-result/1"`,
		`{"schema":"scenario-result/1"}`: `it has no verdict: decision is ""`,
		sound(`null`):                    "phase 0 is null",
		sound(`{"name":"a","levels":[{"state":"accepted"},null]}`):                      `level 1 of phase "a" is null`,
		sound(`{"name":"a","levels":[{"state":"fine"}]}`):                               `level 0 of phase "a" has no state: it is "fine"`,
		sound(`{"levels":[{"state":"accepted","formulas":{"catid-g0":{"wall":"x"}}}]}`): "wall is of the wrong type: string",
		sound(`{"levels":[{"state":"accepted","figures":{"ttft":{"n":-1}}}]}`):          "a distribution of n = -1 samples",
		sound(`{"levels":[{"state":"accepted","planned":"x"}]}`):                        "phases.levels.planned is of the wrong type: string",
		sound(`{"name":7}`): "phases.name is of the wrong type: number",
	} {
		r, err := engine.DecodeResult([]byte(text))
		if err == nil {
			t.Errorf("%s was read as %+v", text, r)
			continue
		}
		if got := err.Error(); want != got || strings.Contains(got, "\n") {
			t.Errorf("%s: error %q, want %q", text, got, want)
		}
	}
}

func FuzzDecodeResult(f *testing.F) {
	full, n := new(engine.Result), 0
	fill(new(testing.T), reflect.ValueOf(full).Elem(), &n)
	full.Schema = engine.ResultSchema
	data, err := json.Marshal(full)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":"scenario-result/1","verdict":{"decision":"GO"},"phases":[{"levels":[{"state":"accepted","formulas":{"catid-g0":null}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := engine.DecodeResult(data)
		if err != nil {
			return
		}
		first, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("what was read can't be written: %v", err)
		}
		again, err := engine.DecodeResult(first)
		if err != nil {
			t.Fatalf("what was written can't be read: %v\n%s", err, first)
		}
		if second, _ := json.Marshal(again); !bytes.Equal(first, second) {
			t.Errorf("it changes:\n%s\n%s", first, second)
		}
	})
}
