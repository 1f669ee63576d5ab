package metric

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rung is an accepted level with a throughput.
func rung(concurrency int, tps float64) Rung {
	return Rung{Level: &Level{Concurrency: concurrency, OutputTPS: Known(tps)}, At: float64(concurrency), Accepted: true}
}

// without is a level that was not accepted.
func without(concurrency int, ended string) Rung {
	return Rung{Level: &Level{Concurrency: concurrency, OutputTPS: Known(1e6)}, At: float64(concurrency), Ended: ended}
}

func bound(r Rung) Rung {
	r.KVBound = true
	return r
}

func TestScalingOfLadders(t *testing.T) {
	type want struct {
		knee     float64 // NaN: unknown
		sort     KneeSort
		peak     float64
		at       float64
		capacity float64
		class    string // empty: unknown
		wall     string
	}
	unknown := math.NaN()
	for name, c := range map[string]struct {
		rungs []Rung
		want  want
	}{
		// ln(542/172)/ln 4 = 0.83, ln(1647/542)/ln 4 = 0.80, ln(2156/1647)/ln 2 = 0.39
		"one step past the knee": {
			[]Rung{rung(1, 172), rung(4, 542), rung(16, 1647), rung(32, 2156)},
			want{16, KneeOneStep, 2156, 32, 32, "saturating", ""},
		},
		// 1, 0.58, 0.26, 0.07: two steps past it
		"found": {
			[]Rung{rung(1, 100), rung(2, 200), rung(4, 300), rung(8, 360), rung(16, 378)},
			want{4, KneeBelow, 378, 16, 16, "wall", ""},
		},
		"not reached": {
			[]Rung{rung(1, 100), rung(2, 195), rung(4, 380)},
			want{4, KneeBeyond, 380, 4, 4, "linear", ""},
		},
		// a step of 0.45 that recovers to 0.87 is no knee
		"a dip that recovers": {
			[]Rung{rung(8, 100), rung(16, 180), rung(32, 246), rung(64, 450)},
			want{64, KneeBeyond, 450, 64, 64, "sub-linear", ""},
		},
		"saturated from the start": {
			[]Rung{rung(1, 100), rung(2, 130), rung(4, 160)},
			want{1, KneeAtStart, 160, 4, 4, "saturating", ""},
		},
		"falls": {
			[]Rung{rung(1, 100), rung(2, 200), rung(4, 180)},
			want{2, KneeOneStep, 200, 2, 4, "retrograde", ""},
		},
		// exactly 41.4 % more is not below
		"at the bound": {
			[]Rung{rung(1, 100), rung(2, 100*math.Sqrt2)},
			want{2, KneeBeyond, 100 * math.Sqrt2, 2, 2, "sub-linear", ""},
		},
		"one level":   {[]Rung{rung(4, 100)}, want{unknown, "", 100, 4, 4, "", ""}},
		"no level":    {nil, want{unknown, "", unknown, 0, 0, "", ""}},
		"none passes": {[]Rung{without(1, ""), without(2, "")}, want{unknown, "", unknown, 0, 0, "", ""}},
		"the lowest does not pass": {
			[]Rung{without(1, ""), rung(2, 100), rung(4, 200)},
			want{4, KneeBeyond, 200, 4, 0, "linear", ""},
		},
		"a gap ends the capacity and not the ladder": {
			[]Rung{rung(1, 100), without(2, ""), rung(4, 400)},
			want{4, KneeBeyond, 400, 4, 1, "linear", ""},
		},
		"the throughput of levels that do not pass is none": {
			[]Rung{rung(1, 100), rung(2, 200), without(4, "")},
			want{2, KneeBeyond, 200, 2, 2, "linear", ""},
		},
		"errors end the growth": {
			[]Rung{rung(1, 100), rung(2, 200), without(4, "errors")},
			want{2, KneeBeyond, 200, 2, 2, "linear", "errors"},
		},
		"the client ends it": {
			[]Rung{rung(1, 100), rung(2, 200), without(4, "client"), without(8, "errors")},
			want{2, KneeBeyond, 200, 2, 2, "linear", "client"},
		},
		"what fails past a knee did not cause it": {
			[]Rung{rung(1, 100), rung(2, 200), rung(4, 210), without(8, "errors")},
			want{2, KneeOneStep, 210, 4, 4, "wall", ""},
		},
		// 220 at C=8 would be a knee at 4 without the KV cache's part in it.
		"the KV cache ends it": {
			[]Rung{rung(1, 100), rung(2, 190), rung(4, 360), bound(rung(8, 370))},
			want{4, KneeBeyond, 370, 8, 8, "linear", "kv"},
		},
		"all but one are bound by the KV cache": {
			[]Rung{rung(1, 100), bound(rung(2, 110)), bound(rung(4, 120))},
			want{unknown, "", 120, 4, 4, "", ""},
		},
		"rates": {
			[]Rung{
				{Level: &Level{Rate: 0.5, OutputTPS: Known(50)}, At: 0.5, Accepted: true},
				{Level: &Level{Rate: 2, OutputTPS: Known(190)}, At: 2, Accepted: true},
				{At: 4},
			},
			want{unknown, "", 190, 2, 2, "", ""},
		},
		"in any order": {
			[]Rung{rung(32, 2156), rung(1, 172), rung(16, 1647), rung(4, 542)},
			want{16, KneeOneStep, 2156, 32, 32, "saturating", ""},
		},
		"a throughput is unknown": {
			[]Rung{rung(1, 100), {Level: &Level{Concurrency: 2}, At: 2, Accepted: true}, rung(4, 400)},
			want{unknown, "", unknown, 0, 4, "", ""},
		},
		"nothing came out": {
			[]Rung{rung(1, 100), rung(2, 0)},
			want{unknown, "", unknown, 0, 2, "", ""},
		},
		"two levels of one concurrency are no ladder": {
			[]Rung{rung(1, 100), rung(1, 90), rung(4, 400)},
			want{unknown, "", 400, 4, 4, "", ""},
		},
		"of two levels of one concurrency one fails": {
			[]Rung{rung(1, 100), rung(1, 90), rung(4, 400), without(4, ""), rung(8, 500)},
			want{unknown, "", 500, 8, 1, "", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewScaling(c.rungs)
			class, _ := s.ScalingClass.Text()
			wall, _ := s.Wall.Text()
			got := want{or(s.Knee), s.KneeFound, or(s.PeakOutputTPS), s.PeakAt, s.SLOCapacity, class, wall}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(want{}), cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, l := range s.Levels {
				if tps, _ := l.OutputTPS.Number(); tps == 1e6 {
					t.Errorf("C=%d is among the levels, and was not accepted", l.Concurrency)
				}
			}
		})
	}
}

func TestTheServersCountersNameTheWall(t *testing.T) {
	idle := Server{RunningMax: Known(4), WaitingMax: Known(0), KVUsageMax: Known(0.4), Preemptions: Known(0)}
	with := func(change func(*Server)) Server {
		s := idle
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		server Server
		want   string
	}{
		"nothing is known":           {Server{}, ""},
		"nothing stands in the way":  {idle, "compute"},
		"the cache is full":          {with(func(s *Server) { s.KVUsageMax = Known(0.95) }), "kv"},
		"preemptions":                {with(func(s *Server) { s.Preemptions = Known(1) }), "kv"},
		"fewer run than are sent":    {with(func(s *Server) { s.RunningMax, s.WaitingMax = Known(2), Known(2) }), "scheduler"},
		"fewer run, and none waits":  {with(func(s *Server) { s.RunningMax = Known(2) }), "compute"},
		"the cache is not told":      {with(func(s *Server) { s.KVUsageMax = Number{} }), ""},
		"full, and little else told": {Server{KVUsageMax: Known(1)}, "kv"},
	} {
		past := rung(4, 210)
		past.Level.Server = c.server
		s := NewScaling([]Rung{rung(1, 100), rung(2, 200), past, rung(8, 215)})
		if got, _ := s.Wall.Text(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestStepsOfALadder(t *testing.T) {
	s := NewScaling([]Rung{rung(1, 172), rung(4, 542), rung(16, 1647), rung(32, 2156)})
	want := []struct {
		from, to   int
		elasticity float64
		class      string
	}{{1, 4, 0.8279, "sub-linear"}, {4, 16, 0.8017, "sub-linear"}, {16, 32, 0.3885, "saturating"}}
	if len(s.Steps) != len(want) {
		t.Fatalf("%d steps, want %d", len(s.Steps), len(want))
	}
	for i, w := range want {
		step := s.Steps[i]
		class, _ := step.Class.Text()
		if step.From != w.from || step.To != w.to || math.Abs(or(step.Elasticity)-w.elasticity) > 1e-4 || class != w.class {
			t.Errorf("step %d: %+v, want %+v", i, step, w)
		}
	}
}

func TestEfficiencyAndElasticityOfALevel(t *testing.T) {
	one, four := &Level{Concurrency: 1, OutputTPS: Known(172)}, &Level{Concurrency: 4, OutputTPS: Known(542)}
	l := &Level{Concurrency: 16, OutputTPS: Known(1647)}
	l.Scale(one, four)
	if got := or(l.Efficiency); math.Abs(got-1647.0/(16*172)) > 1e-12 {
		t.Errorf("efficiency %v, want 0.598", got)
	}
	if got := or(l.Elasticity); math.Abs(got-0.8017) > 1e-4 {
		t.Errorf("elasticity %v, want 0.8017", got)
	}
	l.Scale(nil, nil)
	if e := []float64{or(l.Efficiency), or(l.Elasticity)}; !math.IsNaN(e[0]) || !math.IsNaN(e[1]) {
		t.Errorf("without the others %v, want unknown", e)
	}
	one.Scale(one, nil)
	if or(one.Efficiency) != 1 {
		t.Errorf("of C=1 itself: %v, want 1", or(one.Efficiency))
	}
}

func TestClassesOfElasticity(t *testing.T) {
	for e, want := range map[float64]string{
		1.2: "linear", 0.9: "linear", 0.8999: "sub-linear", 0.5: "sub-linear", 0.4999: "saturating",
		0.1: "saturating", 0.0999: "wall", 0: "wall", -0.05: "wall", -0.0501: "retrograde", -3: "retrograde",
	} {
		if got, known := Class(Known(e)).Text(); got != want || !known {
			t.Errorf("%v is %q, want %q", e, got, want)
		}
	}
	if word, known := Class(Number{}).Text(); known {
		t.Errorf("an unknown elasticity is %q", word)
	}
}

func TestWordsInJSON(t *testing.T) {
	for text, word := range map[string]Word{`"kv"`: Told("kv"), `""`: Told(""), `null`: {}} {
		data, err := json.Marshal(word)
		if err != nil || string(data) != text {
			t.Errorf("%+v becomes %s, %v", word, data, err)
		}
		back := Told("x")
		if err := json.Unmarshal(data, &back); err != nil || back != word {
			t.Errorf("%s is read as %+v, %v", data, back, err)
		}
	}
	if err := json.Unmarshal([]byte("3"), new(Word)); err == nil {
		t.Error("a number is read as a word")
	}
}
