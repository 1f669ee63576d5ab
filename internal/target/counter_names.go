package target

import "scenario/internal/metric"

// counterRow says where a number of Counters comes from. The first name that the
// page has counts. A gauge has no delta.
type counterRow struct {
	of    func(*Counters) *metric.Number
	delta func(*Delta) *metric.Number
	most  bool // the largest of an engine's series, not their sum
	names []string
}

// counterNames are the metrics of each server, under the names of its current and
// earlier releases. A name that does not end in _total stands for both. (SGLang's
// sglang:num_retracted_reqs is a gauge that falls back to 0; the counter beside
// it is num_retracted_reqs_total.)
var counterNames = []counterRow{
	{
		of: func(c *Counters) *metric.Number { return &c.PromptTokens }, delta: func(d *Delta) *metric.Number { return &d.PromptTokens },
		names: []string{
			"vllm:prompt_tokens", "sglang:prompt_tokens", "trtllm_prompt_tokens",
			"llamacpp:prompt_tokens", // without the cached ones, which are added
			"lmdeploy:prompt_tokens",
		},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.GenerationTokens }, delta: func(d *Delta) *metric.Number { return &d.GenerationTokens },
		names: []string{
			"vllm:generation_tokens", "sglang:generation_tokens", "trtllm_generation_tokens",
			"llamacpp:tokens_predicted",
			// Releases of LMDeploy added every token twice to the counter; the sum of
			// the histogram over requests has them once.
			"lmdeploy:request_generation_tokens_sum", "lmdeploy:generation_tokens",
		},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.Finished }, delta: func(d *Delta) *metric.Number { return &d.Finished },
		names: []string{
			"vllm:request_success", "sglang:num_requests", "trtllm_num_requests_completed", "trtllm_request_success",
			"lmdeploy:request_success", "lmdeploy:e2e_request_latency_seconds_count",
		},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.Preemptions }, delta: func(d *Delta) *metric.Number { return &d.Preemptions },
		names: []string{"vllm:num_preemptions", "sglang:num_retracted_requests_total", "sglang:num_retracted_reqs_total"},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.PrefixQueries }, delta: func(d *Delta) *metric.Number { return &d.PrefixQueries },
		names: []string{"vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries"},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.PrefixHits }, delta: func(d *Delta) *metric.Number { return &d.PrefixHits },
		names: []string{
			"vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits", "sglang:cached_tokens",
			"trtllm_prompt_cached_tokens", "llamacpp:prompt_tokens_cached", "lmdeploy:cached_tokens",
		},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.DraftTokens }, delta: func(d *Delta) *metric.Number { return &d.DraftTokens },
		names: []string{
			"vllm:spec_decode_num_draft_tokens", "trtllm_spec_decode_num_draft_tokens", "trtllm_spec_decode_drafted_tokens",
			"llamacpp:spec_decode_num_draft_tokens", "lmdeploy:spec_decode_num_draft_tokens",
		},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.AcceptedTokens }, delta: func(d *Delta) *metric.Number { return &d.AcceptedTokens },
		names: []string{
			"vllm:spec_decode_num_accepted_tokens", "trtllm_spec_decode_num_accepted_tokens", "trtllm_spec_decode_accepted_tokens",
			"llamacpp:spec_decode_num_accepted_tokens", "lmdeploy:spec_decode_num_accepted_tokens",
		},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.Running },
		names: []string{
			"vllm:num_requests_running", "sglang:num_running_reqs", "trtllm_num_requests_running",
			"llamacpp:requests_processing", "lmdeploy:num_requests_running",
		},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.Waiting },
		names: []string{
			"vllm:num_requests_waiting", "sglang:num_queue_reqs", "trtllm_num_requests_waiting",
			"llamacpp:requests_deferred", "lmdeploy:num_requests_waiting",
		},
	},
	{
		of: func(c *Counters) *metric.Number { return &c.KVUsage }, most: true,
		names: []string{
			"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage", "trtllm_kv_cache_utilization",
			"lmdeploy:gpu_cache_usage_perc",
		},
	},
	{of: func(c *Counters) *metric.Number { return &c.AcceptRate }, most: true, names: []string{"sglang:spec_accept_rate"}},
	{of: func(c *Counters) *metric.Number { return &c.AcceptLength }, most: true, names: []string{"sglang:spec_accept_length"}},
}
