package target

import (
	"net/http"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"scenario/internal/metric"
)

// metricsPage is a page of testdata, served.
func metricsPage(t *testing.T, name string) page {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name + ".prom")
	if err != nil {
		t.Fatal(err)
	}
	return page{200, string(body)}
}

// numbers compare by what they are.
var numbers = cmp.Options{
	cmp.Comparer(func(a, b metric.Number) bool { return a == b }),
	cmpopts.IgnoreUnexported(Counters{}),
}

func TestCountersOfEachServer(t *testing.T) {
	known := metric.Known
	for name, want := range map[string]Counters{
		"vllm": {
			PromptTokens: known(152), GenerationTokens: known(27), Finished: known(3), Preemptions: known(0),
			PrefixQueries: known(152), PrefixHits: known(0), Running: known(0), Waiting: known(0), KVUsage: known(0),
			ProcessStart: "1796098940.15",
		},
		"sglang": {
			PromptTokens: known(1000), GenerationTokens: known(400), Finished: known(12), Preemptions: known(3),
			PrefixQueries: known(1000), PrefixHits: known(64), Running: known(7), Waiting: known(1), KVUsage: known(0.5),
		},
		"llamacpp": {
			PromptTokens: known(3), GenerationTokens: known(4), PrefixQueries: known(3), PrefixHits: known(0),
			DraftTokens: known(0), AcceptedTokens: known(0), Running: known(0), Waiting: known(0),
		},
		"trtllm": {
			PromptTokens: known(1000), GenerationTokens: known(400), Finished: known(12),
			PrefixQueries: known(1000), PrefixHits: known(64), DraftTokens: known(30), AcceptedTokens: known(20),
			Running: known(5), Waiting: known(1), KVUsage: known(0.5),
		},
		"lmdeploy": {
			PromptTokens: known(1000), GenerationTokens: known(400), Finished: known(12),
			Running: known(5), Waiting: known(1), KVUsage: known(0.5), ProcessStart: "1796000000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(t.Context(), &site{pages: map[string]page{"/metrics": metricsPage(t, name)}}, Place{0, "/metrics"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, numbers); diff != "" {
				t.Errorf("counters (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPagesThatHoldNoCounters(t *testing.T) {
	for name, p := range map[string]page{
		"not there":              {404, ""},
		"empty":                  {200, ""},
		"blank":                  {200, " \n"},
		"JSON of statistics":     {200, `[{"iter":1}]`},
		"a page for people":      {200, "<html>"},
		"another program's":      {200, "# TYPE go_goroutines gauge\ngo_goroutines 7\n"},
		"cut":                    {200, "vllm:prompt_tokens_total{engine=\"0"},
		"a value that is none":   {200, "vllm:prompt_tokens_total NaN\n"},
		"nobody there":           {0, "connection refused"},
		"text that is no number": {200, "vllm:prompt_tokens_total many\n"},
	} {
		if c, err := Read(t.Context(), &site{pages: map[string]page{"/metrics": p}}, Place{0, "/metrics"}); err == nil {
			t.Errorf("%s: read %+v", name, c)
		}
	}
}

func TestCachedTokensOfLlamacppAreAdded(t *testing.T) {
	text := "llamacpp:prompt_tokens_total 10\nllamacpp:prompt_tokens_cached_total 30\n"
	e, err := parseMetrics([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := e.counters(http.Header{"Process-Start-Time-Unix": {"77"}})
	if c.PromptTokens != metric.Known(40) || c.PrefixHits != metric.Known(30) || c.PrefixQueries != metric.Known(40) || c.ProcessStart != "77" {
		t.Errorf("counters %+v", c)
	}
}

func TestDifferenceOfTwoReadings(t *testing.T) {
	known := metric.Known
	before := Counters{PromptTokens: known(100), GenerationTokens: known(50), Finished: known(1), Running: known(3), ProcessStart: "1"}
	for name, c := range map[string]struct {
		after Counters
		want  Delta
	}{
		"work": {
			Counters{PromptTokens: known(150), GenerationTokens: known(50), Finished: known(2), Running: known(0), ProcessStart: "1"},
			Delta{PromptTokens: known(50), GenerationTokens: known(0), Finished: known(1)},
		},
		"a number is gone":       {Counters{PromptTokens: known(101), ProcessStart: "1"}, Delta{PromptTokens: known(1)}},
		"a number is new":        {Counters{PromptTokens: known(101), Preemptions: known(1)}, Delta{PromptTokens: known(1)}},
		"a counter went back":    {Counters{PromptTokens: known(150), GenerationTokens: known(10)}, Delta{Restarted: true}},
		"another process":        {Counters{PromptTokens: known(150), GenerationTokens: known(60), ProcessStart: "2"}, Delta{Restarted: true}},
		"start no longer stated": {Counters{PromptTokens: known(150)}, Delta{PromptTokens: known(50)}},
	} {
		if diff := cmp.Diff(c.want, c.after.Since(before), numbers); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzMetricsPage(f *testing.F) {
	for _, name := range []string{"vllm", "sglang", "llamacpp", "trtllm", "lmdeploy"} {
		if body, err := os.ReadFile("testdata/" + name + ".prom"); err == nil {
			f.Add(body)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if lines := counterLines(body); len(lines) > len(body) {
			t.Errorf("%d bytes have %d of counters", len(body), len(lines))
		}
		e, err := parseMetrics(body)
		if err != nil {
			return
		}
		c := e.counters(nil)
		if d := c.Since(c); d.Restarted {
			t.Errorf("a reading restarted since itself: %+v", c)
		}
		askCapacity(t.Context(), &site{}, 0, "sglang", e)
	})
}

func TestCountersNeedOnlyTheirOwnLines(t *testing.T) {
	for _, name := range []string{"vllm", "sglang", "llamacpp", "trtllm", "lmdeploy"} {
		body, err := os.ReadFile("testdata/" + name + ".prom")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := parseMetrics(body)
		if err != nil {
			t.Fatal(err)
		}
		lines := counterLines(body)
		few, err := parseMetrics(lines)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(whole.counters(nil), few.counters(nil), numbers, cmp.AllowUnexported(Counters{})); diff != "" {
			t.Errorf("%s (-whole page +lines):\n%s", name, diff)
		}
		if len(lines) > len(body)*3/5 {
			t.Errorf("%s: %d of %d bytes are parsed", name, len(lines), len(body))
		}
	}
}
