package simserver

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// scrape reads the metrics: values by name and labels, without those that every
// series has.
func (r *rig) scrape() map[string]float64 {
	r.Helper()
	g := r.must(r.send(r.Context(), http.MethodGet, "/metrics", ""))
	values := map[string]float64{}
	for line := range strings.Lines(g.body) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "#" {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			r.Fatalf("%s: %v", line, err)
		}
		for _, label := range []string{`engine="0",`, `model_name="sim-1"`, `engine="0"`} {
			name = strings.Replace(name, label, "", 1)
		}
		name = strings.NewReplacer("{}", "", ",}", "}", "vllm:", "").Replace(name)
		values[name] = number
	}
	return values
}

// gauges are the values that tests look at.
func (r *rig) gauges(names ...string) map[string]float64 {
	r.Helper()
	all := r.scrape()
	list := map[string]float64{}
	for _, name := range names {
		value, ok := all[name]
		if !ok {
			r.Fatalf("there is no metric %s in %v", name, all)
		}
		list[name] = value
	}
	return list
}

func TestMetricsAreTrueAtEveryMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		cfg.Slots, cfg.KVCapacity = 2, 1600 // 100 blocks
		r := serve(t, cfg)
		look := func(when string, want map[string]float64) {
			t.Helper()
			names := make([]string, 0, len(want))
			for name := range want {
				names = append(names, name)
			}
			if diff := cmp.Diff(want, r.gauges(names...)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		look("before any request", map[string]float64{
			"num_requests_running": 0, "num_requests_waiting": 0, "kv_cache_usage_perc": 0,
			"prompt_tokens_total": 0, "generation_tokens_total": 0, "num_preemptions_total": 0,
			`request_success_total{finished_reason="length"}`: 0, `request_success_total{finished_reason="error"}`: 0,
			"process_start_time_seconds": 946684800, "prompt_tokens_created": 946684800,
			`cache_config_info{block_size="16",cache_dtype="auto",enable_prefix_caching="True",num_gpu_blocks="100",num_gpu_blocks_override="None"}`: 1,
		})
		replies := make(chan []got)
		go func() { replies <- r.all(3, func(i int) fields { return ask(ids(i, 100), 20) }) }()
		time.Sleep(cfg.Step(2, 200) / 2)
		look("in the first step", map[string]float64{
			"num_requests_running": 2, "num_requests_waiting": 1, "kv_cache_usage_perc": 0.14,
			"prompt_tokens_total": 0, "generation_tokens_total": 0,
			"prefix_cache_queries_total": 200, "prefix_cache_hits_total": 0,
		})
		time.Sleep(cfg.Step(2, 200)/2 + 13*cfg.Step(2, 0) + cfg.StepBase/2)
		look("after 14 steps", map[string]float64{ // of 114 tokens, eight blocks hold 128
			"num_requests_running": 2, "num_requests_waiting": 1, "kv_cache_usage_perc": 0.16,
			"prompt_tokens_total": 200, "generation_tokens_total": 28,
			`request_success_total{finished_reason="length"}`: 0,
		})
		for _, g := range <-replies {
			r.must(g)
		}
		look("after all three", map[string]float64{
			"num_requests_running": 0, "num_requests_waiting": 0, "kv_cache_usage_perc": 0,
			"prompt_tokens_total": 300, "generation_tokens_total": 60, "prefix_cache_queries_total": 300,
			`request_success_total{finished_reason="length"}`: 3, `request_success_total{finished_reason="stop"}`: 0,
		})
		r.must(r.post(t.Context(), "/v1/completions", ask(ids(0, 100), 1)))
		r.must(r.post(t.Context(), "/v1/completions", fields{"prompt": ids(9, 10), "max_tokens": 200}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r.post(ctx, "/v1/completions", ask(ids(8, 100), 1400))
		synctest.Wait()
		look("after a known prompt, a reply that stopped and one that nobody waited for", map[string]float64{
			"num_requests_running": 0, "kv_cache_usage_perc": 0, "prefix_cache_hits_total": 96,
			`request_success_total{finished_reason="length"}`: 4, `request_success_total{finished_reason="stop"}`: 1,
			`request_success_total{finished_reason="abort"}`: 1,
		})
	})
}

func TestMetricsAreInPrometheusForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		cfg.Model = `a "model" \ of` + "\nmine"
		r := serve(t, cfg)
		g := r.must(r.send(t.Context(), http.MethodGet, "/metrics", ""))
		if kind := g.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
			t.Errorf("the content type is %s", kind)
		}
		line := regexp.MustCompile(`^([a-z_:]+)(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? \d+\.\d+\n$`)
		family, lines := "", 0
		for text := range strings.Lines(g.body) {
			if help, ok := strings.CutPrefix(text, "# HELP "); ok {
				family, _, _ = strings.Cut(help, " ")
				continue
			}
			if kind, ok := strings.CutPrefix(text, "# TYPE "); ok {
				if kind != family+" counter\n" && kind != family+" gauge\n" {
					t.Errorf("after the help of %s comes the type of %s", family, kind)
				}
				continue
			}
			lines++
			if found := line.FindStringSubmatch(text); found == nil || found[1] != family {
				t.Errorf("in the family %s: %q", family, text)
			}
		}
		if lines < 20 {
			t.Errorf("there are %d lines:\n%s", lines, g.body)
		}
	})
}

func TestCacheIsResetOnlyWhileNothingRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		reset := func() { r.must(r.send(t.Context(), http.MethodPost, "/reset_prefix_cache", "")) }
		cached := func() int { return r.must(r.post(t.Context(), "/v1/completions", ask(ids(1, 1000), 2))).cached }
		cached()
		reset()
		if n := cached(); n != 0 {
			t.Errorf("%d tokens are cached after a reset", n)
		}
		other := make(chan got)
		go func() { other <- r.post(t.Context(), "/v1/completions", ask(ids(2, 10), 100)) }()
		synctest.Wait()
		time.Sleep(time.Millisecond)
		reset()
		if n := cached(); n != 992 {
			t.Errorf("%d tokens are cached after a reset while a request ran, want 992", n)
		}
		r.must(<-other)
	})
}
