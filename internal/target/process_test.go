package target

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/spec"
)

func TestKVCapacity(t *testing.T) {
	slots := page{200, `[{"n_ctx":8192},{"n_ctx":8192}]`}
	props := page{200, `{"build_info":"b1","total_slots":4,"default_generation_settings":{"n_ctx":8192}}`}
	info := page{200, `{"version":"0.5.16","max_total_num_tokens":200000,"page_size":64,"dp_size":2}`}
	metrics := func(text string) page { return page{200, text + "\n"} }
	for name, c := range map[string]struct {
		owner         string
		pages         map[string]page
		target        spec.Target
		tokens, block int
		source, note  string
	}{
		"vllm": {
			owner: "vllm", pages: map[string]page{"/metrics": metricsPage(t, "vllm")},
			tokens: 93184, block: 128, source: "kv_cache_size_tokens",
		},
		"vllm of an earlier release, two engines": {
			owner: "vllm", pages: map[string]page{"/metrics": metrics(`vllm:num_requests_running 0
vllm:cache_config_info{block_size="16",num_gpu_blocks="1000",engine="0"} 1
vllm:cache_config_info{block_size="16",num_gpu_blocks="500",engine="1"} 1`)},
			tokens: 24000, block: 16, source: "num_gpu_blocks × block_size",
		},
		"vllm that has not settled it": {
			owner: "vllm", pages: map[string]page{"/metrics": metrics(`vllm:num_requests_running 0
vllm:cache_config_info{block_size="16",num_gpu_blocks="None"} 1`)},
		},
		"sglang by its page":    {owner: "sglang", pages: map[string]page{"/server_info": info}, tokens: 400000, block: 64, source: "/server_info: max_total_num_tokens × dp_size"},
		"sglang, earlier":       {owner: "sglang", pages: map[string]page{"/get_server_info": info}, tokens: 400000, block: 64, source: "/get_server_info"},
		"sglang by its metrics": {owner: "sglang", pages: map[string]page{"/metrics": metricsPage(t, "sglang")}, tokens: 400000, block: 64, source: "/metrics sglang:max_total_num_tokens"},
		"llama.cpp":             {owner: "llamacpp", pages: map[string]page{"/props": props, "/slots": slots}, tokens: 16384, source: "/slots"},
		"llama.cpp, no slots":   {owner: "llamacpp", pages: map[string]page{"/props": props}, tokens: 32768, source: "/props: n_ctx × total_slots"},
		"trtllm":                {owner: "tensorrt_llm", pages: map[string]page{"/prometheus/metrics": metricsPage(t, "trtllm")}, tokens: 638720, block: 32, source: "max_blocks"},
		"lmdeploy":              {owner: "lmdeploy", pages: map[string]page{"/metrics": metricsPage(t, "lmdeploy")}, tokens: 64000, block: 64, source: "lmdeploy:backend_config_info"},
		"nothing says":          {owner: "vllm"},
		"the scenario alone":    {owner: "vllm", target: spec.Target{KVCapacityTokens: 7000}, tokens: 7000, source: "target.kv_capacity_tokens"},
		"the scenario agrees": {
			owner: "vllm", pages: map[string]page{"/metrics": metricsPage(t, "vllm")}, target: spec.Target{KVCapacityTokens: 95000},
			tokens: 95000, block: 128, source: "target.kv_capacity_tokens",
		},
		"the scenario contradicts": {
			owner: "vllm", pages: map[string]page{"/metrics": metricsPage(t, "vllm")}, target: spec.Target{KVCapacityTokens: 1570000},
			tokens: 1570000, block: 128, source: "target.kv_capacity_tokens", note: "holds 1570000 tokens, the server says 93184",
		},
		"metrics are off": {
			owner: "vllm", pages: map[string]page{"/metrics": metricsPage(t, "vllm")}, target: spec.Target{MetricsURL: spec.NewText("off")},
		},
		"metrics elsewhere": {
			owner: "vllm", pages: map[string]page{"http://u:pw@m:9/x?k=1": metricsPage(t, "vllm")}, target: spec.Target{MetricsURL: spec.NewText("http://u:pw@m:9/x?k=1")},
			tokens: 93184, block: 128, source: "vllm:cache_config_info",
		},
		"metrics elsewhere are not there": {
			owner: "vllm", pages: map[string]page{"/metrics": metricsPage(t, "vllm")}, target: spec.Target{MetricsURL: spec.NewText("http://m:9/x")},
			note: "target.metrics_url brings no metrics: status 404",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.target.Server = "auto"
			s := &site{pages: map[string]page{"models": listing("m", c.owner, "")}}
			for path, p := range c.pages {
				s.pages[path] = p
			}
			f, err := Discover(t.Context(), s, &c.target, []string{"http://h/v1"})
			if err != nil {
				t.Fatal(err)
			}
			if f.KVCapacityTokens != c.tokens || f.KVBlockTokens != c.block || !strings.Contains(f.KVCapacitySource, c.source) || c.source == "" && f.KVCapacitySource != "" {
				t.Errorf("capacity %d, block %d, %q", f.KVCapacityTokens, f.KVBlockTokens, f.KVCapacitySource)
			}
			if notes := strings.Join(f.Notes, "\n"); c.note == "" && notes != "" || !strings.Contains(notes, c.note) {
				t.Errorf("notes %q", notes)
			}
			if strings.Contains(f.Metrics, "pw") || strings.Contains(f.Metrics, "k=1") {
				t.Errorf("%q holds a secret", f.Metrics)
			}
		})
	}
}

func TestCapacityOfSeveralServers(t *testing.T) {
	pages := map[string]page{
		"models": listing("m", "vllm", ""), "second:models": listing("m", "vllm", ""),
		"/metrics": metricsPage(t, "vllm"), "second:/metrics": metricsPage(t, "vllm"),
	}
	two := []string{"http://h/v1", "http://i/v1"}
	f, err := Discover(t.Context(), &site{pages: pages}, &spec.Target{Server: "auto"}, two)
	if err != nil {
		t.Fatal(err)
	}
	if f.KVCapacityTokens != 2*93184 || !strings.HasSuffix(f.KVCapacitySource, "of all 2 base URLs") || len(f.MetricsAt) != 2 || len(f.Fingerprints) != 2 {
		t.Errorf("facts %+v", f)
	}
	delete(pages, "second:/metrics")
	if f, _ := Discover(t.Context(), &site{pages: pages}, &spec.Target{Server: "auto"}, two); f.KVCapacityTokens != 0 {
		t.Errorf("the capacity of one of two is taken for that of both: %d", f.KVCapacityTokens)
	}
}

func TestFingerprints(t *testing.T) {
	pages := map[string]page{
		"models":   listing("m", "vllm", `,"max_model_len":8192,"root":"/models/m"`),
		"/version": {200, `{"version":"0.32.0"}`}, "/metrics": metricsPage(t, "vllm"),
	}
	s := &site{pages: pages}
	facts, err := Discover(t.Context(), s, &spec.Target{Server: "auto"}, []string{"http://h/v1"})
	if err != nil {
		t.Fatal(err)
	}
	want := Fingerprint{Server: "vllm", Version: "0.32.0", Model: "m", Listed: true, ModelRoot: "/models/m", OwnedBy: "vllm", ContextTokens: 8192, ProcessStart: "1796098940.15"}
	before := facts.Fingerprints[0]
	if diff := cmp.Diff(want, before); diff != "" {
		t.Errorf("fingerprint (-want +got):\n%s", diff)
	}
	for name, c := range map[string]struct {
		path string
		page page
		want []string
	}{
		"nothing":              {"/other", page{200, ""}, nil},
		"another version":      {"/version", page{200, `{"version":"0.33.0"}`}, []string{"version (0.32.0 before, 0.33.0 after)"}},
		"another process":      {"/metrics", page{200, "vllm:num_requests_running 0\nprocess_start_time_seconds 1796098999\n"}, []string{"process start (1796098940.15 before, 1796098999 after)"}},
		"no metrics any more":  {"/metrics", page{500, ""}, nil},
		"another model":        {"models", listing("n", "vllm", ""), []string{`model "m" is no longer listed`}},
		"another context":      {"models", listing("m", "vllm", `,"max_model_len":4096,"root":"/models/m"`), []string{"context (8192 before, 4096 after)"}},
		"other weights":        {"models", listing("m", "vllm", `,"max_model_len":8192,"root":"/models/m2"`), []string{"model root (/models/m before, /models/m2 after)"}},
		"a gateway in between": {"models", listing("m", "someone", `,"max_model_len":8192`), []string{"owner of the model (vllm before, someone after)"}},
	} {
		t.Run(name, func(t *testing.T) {
			changed := &site{pages: map[string]page{}}
			for path, p := range pages {
				changed.pages[path] = p
			}
			changed.pages[c.path] = c.page
			after, err := Identify(t.Context(), changed, 0, facts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, Changed(before, after)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
	busy := &site{pages: map[string]page{"models": {503, ""}}}
	if _, err := Identify(t.Context(), busy, 0, facts); err == nil {
		t.Error("a server that is not ready was identified")
	}
	gone := &site{pages: map[string]page{"models": {0, "connection refused"}}}
	if _, err := Identify(t.Context(), gone, 0, facts); err == nil {
		t.Error("a server that is gone was identified")
	}
}
