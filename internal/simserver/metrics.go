package simserver

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// A metric is one family of the metrics endpoint.
type metric struct {
	name, kind, help string
	series           []series
}

// A series is one line of it.
type series struct {
	labels string
	value  float64
}

// metrics answers with the engine's state in Prometheus' text format, under
// vLLM's names.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	now := s.engine.state()
	started := float64(now.started.UnixMilli()) / 1000
	var text strings.Builder
	for _, m := range s.families(now) {
		write(&text, m)
		if m.kind == "counter" { // as the Python client library adds to each
			created := metric{strings.TrimSuffix(m.name, "_total") + "_created", "gauge", m.help, nil}
			for _, line := range m.series {
				created.series = append(created.series, series{line.labels, started})
			}
			write(&text, created)
		}
	}
	write(&text, metric{
		"process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.",
		[]series{{"", started}},
	})
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprint(w, text.String())
}

// families are the metrics that vLLM has.
func (s *Server) families(now state) []metric {
	labels := `engine="0",model_name="` + labelValue(s.cfg.Model) + `"`
	one := func(value float64) []series { return []series{{labels, value}} }
	count := func(value int64) []series { return one(float64(value)) }
	var finished []series
	for end, name := range endNames {
		finished = append(finished, series{
			`engine="0",finished_reason="` + name + `",model_name="` + labelValue(s.cfg.Model) + `"`,
			float64(now.finished[end]),
		})
	}
	return []metric{
		{"vllm:num_requests_running", "gauge", "Requests that the engine works on.", one(float64(now.running))},
		{"vllm:num_requests_waiting", "gauge", "Requests that wait for a place.", one(float64(now.waiting))},
		{"vllm:kv_cache_usage_perc", "gauge", "Share of the KV cache that is in use; 1 is all of it.", one(float64(now.used) / float64(now.blocks))},
		{"vllm:prefix_cache_queries_total", "counter", "Prompt tokens looked up in the prefix cache.", count(now.queried)},
		{"vllm:prefix_cache_hits_total", "counter", "Prompt tokens found in the prefix cache.", count(now.hit)},
		{"vllm:num_preemptions_total", "counter", "Preemptions.", count(now.preemptions)},
		{"vllm:prompt_tokens_total", "counter", "Prompt tokens processed.", count(now.prompt)},
		{"vllm:generation_tokens_total", "counter", "Tokens generated.", count(now.generated)},
		{"vllm:request_success_total", "counter", "Requests that came to an end.", finished},
		{"vllm:cache_config_info", "gauge", "The configuration of the KV cache.", []series{{s.cacheConfig(now), 1}}},
	}
}

// cacheConfig is the KV cache's configuration as labels.
func (s *Server) cacheConfig(now state) string {
	caching := "False"
	if s.cfg.PrefixCache {
		caching = "True"
	}
	return fmt.Sprintf(`block_size="%d",cache_dtype="auto",enable_prefix_caching="%s",engine="0",num_gpu_blocks="%d",num_gpu_blocks_override="None"`,
		s.cfg.BlockSize, caching, now.blocks)
}

// write appends a family.
func write(to *strings.Builder, m metric) {
	fmt.Fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", m.name, m.help, m.name, m.kind)
	for _, line := range m.series {
		to.WriteString(m.name)
		if line.labels != "" {
			to.WriteString("{" + line.labels + "}")
		}
		to.WriteString(" " + floatText(line.value) + "\n")
	}
}

// floatText is a number as Python writes it: with a point, even when whole.
func floatText(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// labelValue is a string as the inside of a label's value.
func labelValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}
