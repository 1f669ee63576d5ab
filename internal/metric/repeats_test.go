package metric

import (
	"math"
	"reflect"
	"slices"
	"testing"
	"time"
)

func TestPooledRepeats(t *testing.T) {
	// Three repeats of two requests of ten tokens, one after the other, that take
	// 1, 2 and 4 seconds: together they would seem to take 7.
	var levels []*Level
	at := int64(0)
	for i, length := range []int64{1000, 4000, 2000} {
		l := NewLevel(2, []*Request{
			good(0, at, at+100*int64(i+1), at+length, at+length, 10),
			good(1, at, at+100*int64(i+1), at+length, at+length, 10),
		})
		l.Attain(Limits{TTFT: 200 * time.Millisecond})
		l.Client.CPURatio, l.Client.Cores = Known(0.1*float64(i+1)), 4
		l.Client.Lag = Summarised(9, 1e6, 1e5, float64(3-i)*1e6, func(float64) float64 { return 1e6 })
		l.CanaryPassRatio = Known(1 - 0.1*float64(i))
		n := float64(i + 1)
		l.Server = Server{RunningMax: Known(n), Preemptions: Known(1), PromptTokens: Known(100 * n), CachedRatio: Known(0.1 * n), SpecAcceptRatio: Known(0.2 * n), Samples: 2}
		levels = append(levels, l)
		at += length
	}
	l := Pool(levels, Limits{TTFT: 200 * time.Millisecond})
	for name, c := range map[string]struct {
		got  Number
		want float64
	}{
		"output_tps":           {l.OutputTPS, 10}, // of 20, 5 and 10
		"output_tps_share":     {l.OutputTPSShare, 5},
		"request_rate":         {l.RequestRate, 1},
		"inflight_mean":        {l.InflightMean, 2},
		"goodput":              {l.Goodput, 0.5}, // of 2, 0.5 and 0
		"slo_attainment_ratio": {l.SLOAttainmentRatio, 4.0 / 6},
		"canary_pass_ratio":    {l.CanaryPassRatio, 0.9},
		"cpu_ratio":            {l.Client.CPURatio, 0.3},
		"running_max":          {l.Server.RunningMax, 3},
		"preemptions":          {l.Server.Preemptions, 3},
		"server cached_ratio":  {l.Server.CachedRatio, (10 + 40 + 90) / 600.0},
		"spec_accept_ratio":    {l.Server.SpecAcceptRatio, 0.4},
	} {
		if got := or(c.got); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s = %v, want %v", name, got, c.want)
		}
	}
	if d, _ := l.Window.Duration(); d != 2*time.Second {
		t.Errorf("window %v, want 2s", d)
	}
	if l.Issued != 6 || l.OKCount != 6 || l.TTFT.Count() != 6 {
		t.Errorf("issued %d, ok %d, ttft.n %d: want 6 of each", l.Issued, l.OKCount, l.TTFT.Count())
	}
	if p50, _ := l.TTFT.Quantile(0.5); p50 != float64(200*time.Millisecond) {
		t.Errorf("ttft.p50 %v, want 200ms", time.Duration(p50))
	}
	if worst, _ := l.Client.Lag.Max(); worst != 3e6 {
		t.Errorf("the lag's maximum is %v, want 3ms", time.Duration(worst))
	}

	levels[1].OutputTPS = Number{}
	if l := Pool(levels, Limits{}); !math.IsNaN(or(l.OutputTPS)) || or(l.RequestRate) != 1 {
		t.Errorf("with one repeat unknown: output_tps %v, request_rate %v", or(l.OutputTPS), or(l.RequestRate))
	}
	even := Pool([]*Level{levels[0], levels[2]}, Limits{})
	if got := or(even.OutputTPS); got != 15 {
		t.Errorf("of two repeats: %v, want 15", got)
	}
}

// A figure of a level that is not made of its requests alone must say what it is
// when the level is repeated.
func TestEveryFigureCanBePooled(t *testing.T) {
	ofRequests := []string{
		"error_ratio", "tokens_per_event", "cached_ratio", "slo_attainment_ratio", "degenerate_ratio", "duplicate_output_ratio", "answer_right_ratio",
		"efficiency", "elasticity", // set anew for the pooled level
	}
	others := []string{"concurrency", "rate", "requests", "issued", "cut_count", "ok_count", "client", "server", "minutes"}
	for f := range reflect.TypeFor[Level]().Fields() {
		name, tag := jsonName(f), f.Tag.Get("pool")
		switch f.Type {
		case reflect.TypeFor[Numbers](), reflect.TypeFor[Durations]():
		case reflect.TypeFor[Number](), reflect.TypeFor[Duration]():
			if (tag == "median" || tag == "mean") == slices.Contains(ofRequests, name) {
				t.Errorf(`%s: is it made of requests alone, or does it need pool:"median"?`, name)
			}
		default:
			if f.IsExported() && !slices.Contains(others, name) {
				t.Errorf("%s: Pool does not know what to make of it", name)
			}
		}
	}
}

func jsonName(f reflect.StructField) string {
	name := f.Tag.Get("json")
	for i, r := range name {
		if r == ',' {
			return name[:i]
		}
	}
	return name
}
