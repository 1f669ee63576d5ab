package metric

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// distribution is what both kinds can do.
type distribution interface {
	Count() int
	Mean() (float64, bool)
	Min() (float64, bool)
	Max() (float64, bool)
	Quantile(float64) (float64, bool)
}

// sameFigures compares what of a distribution is printed.
func sameFigures(t *testing.T, name string, was, is distribution, tolerance float64) {
	t.Helper()
	figures := func(d distribution) map[string]Number {
		list := map[string]Number{"n": Count(d.Count())}
		keep := func(name string, v float64, ok bool) {
			if list[name] = (Number{}); ok {
				list[name] = Known(v)
			}
		}
		for name, of := range map[string]func() (float64, bool){"mean": d.Mean, "min": d.Min, "max": d.Max} {
			v, ok := of()
			keep(name, v, ok)
		}
		for name, q := range map[string]float64{"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99} {
			v, ok := d.Quantile(q)
			keep(name, v, ok)
		}
		return list
	}
	before, after := figures(was), figures(is)
	for figure, a := range before {
		b := after[figure]
		if a.known != b.known || math.Abs(a.value-b.value) > tolerance {
			t.Errorf("%s: %s was %v, is %v", name, figure, a, b)
		}
	}
	if v, ok := is.Quantile(0.97); ok {
		t.Errorf("%s: p97 was not stored, and is %v", name, v)
	}
}

func TestDistributionsComeBackFromJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 4, 5, 28, 29, 58, 59, 298, 299, 1000} {
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Round(math.Exp(10 + 10*random.Float64()))
		}
		durations := NewDurations(append([]float64(nil), values...))
		for i := range values {
			values[i] *= random.Float64()
		}
		numbers := NewNumbers(values)

		first, _ := json.Marshal(durations)
		var d Durations
		if err := json.Unmarshal(first, &d); err != nil {
			t.Fatal(err)
		}
		sameFigures(t, "durations", durations, d, 0.5) // whole nanoseconds
		if second, _ := json.Marshal(d); string(first) != string(second) {
			t.Errorf("n = %d: %s became %s", n, first, second)
		}

		first, _ = json.Marshal(numbers)
		var u Numbers
		if err := json.Unmarshal(first, &u); err != nil {
			t.Fatal(err)
		}
		sameFigures(t, "numbers", numbers, u, 1e-6)
		if second, _ := json.Marshal(u); string(first) != string(second) {
			t.Errorf("n = %d: %s became %s", n, first, second)
		}
	}
}

func TestBrokenDistributionsAreRefused(t *testing.T) {
	for _, text := range []string{`{"n":-1}`, `{"n":3,"mean":1,"min":1}`, `{"n":"3"}`, `[]`, `7`} {
		var d Durations
		if err := json.Unmarshal([]byte(text), &d); err == nil {
			t.Errorf("%s was read as %+v", text, d.kept)
		}
	}
	d := NewDurations([]float64{1, 2})
	if err := json.Unmarshal([]byte(`{"n":0,"mean":null}`), &d); err != nil || d.Count() != 0 {
		t.Errorf("no samples: %v, %d", err, d.Count())
	}
}

// FuzzJSONIsStable: what has been read is written as it was read, so that a
// report made from a stored result shows the figures of the run.
func FuzzJSONIsStable(f *testing.F) {
	for _, v := range []float64{0, -1, 0.5, 1e-10, 0.3e-9, 1.5e-9, 0.1, 1.0 / 3, 172.031, 999999.9999999, 1e15, 1e300} {
		f.Add(v, 400)
	}
	f.Fuzz(func(t *testing.T, v float64, n int) {
		if n < 1 || math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > 1e290 {
			t.Skip()
		}
		values := []float64{v, v, v, v, v}
		first, _ := json.Marshal(NewNumbers(values))
		var u Numbers
		if err := json.Unmarshal(first, &u); err != nil {
			t.Fatal(err)
		}
		if second, _ := json.Marshal(u); string(first) != string(second) {
			t.Errorf("%v: %s became %s", v, first, second)
		}
		whole := math.Round(v)
		if math.Abs(whole) > 1e15 {
			t.Skip()
		}
		first, _ = json.Marshal(Summarised(n, whole, whole, whole, func(float64) float64 { return whole }))
		var d Durations
		if err := json.Unmarshal(first, &d); err != nil {
			t.Fatal(err)
		}
		if second, _ := json.Marshal(d); string(first) != string(second) {
			t.Errorf("%v ns: %s became %s", whole, first, second)
		}
	})
}
