package target

import (
	"context"
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"
)

// capacity is how much a server's KV cache holds, as the server says.
type capacity struct {
	tokens, block int // 0: not known
	source        string
}

// A capacitySource is one place where a server states its KV capacity. To read
// another server's, add a line to capacitySources.
type capacitySource struct {
	server string // "": of any server that has the metrics
	read   func(pages) capacity
}

// pages are where a capacity can stand: the metrics, and pages of JSON by path.
type pages struct {
	metrics exposition
	ask     func(path string) gjson.Result
}

var capacitySources = []capacitySource{
	{"", vllmCapacity},
	{"sglang", sglangCapacity},
	{"", sglangMetricsCapacity},
	{"llamacpp", llamacppCapacity},
	{"", trtllmCapacity},
	{"", lmdeployCapacity},
}

// askCapacity is the KV capacity of one server, from the first place that has it.
func askCapacity(ctx context.Context, client Client, endpoint int, server string, metrics exposition) capacity {
	p := pages{metrics, func(path string) gjson.Result { return askAt(ctx, client, endpoint, path) }}
	for _, s := range capacitySources {
		if s.server != "" && s.server != server {
			continue
		}
		if c := s.read(p); c.tokens > 0 {
			return c
		}
	}
	return capacity{}
}

// vllmCapacity reads the labels of vLLM's cache configuration, one series for
// each engine. Current releases state the tokens; blocks × block size are too
// many for a model whose layers do not all keep keys and values.
func vllmCapacity(p pages) capacity {
	c := capacity{source: "from /metrics vllm:cache_config_info: kv_cache_size_tokens"}
	series, _ := p.metrics.series("vllm:cache_config_info")
	for _, s := range series {
		c.block = s.label("block_size")
		tokens := s.label("kv_cache_size_tokens")
		if tokens == 0 {
			tokens = s.label("num_gpu_blocks") * c.block
			c.source = "from /metrics vllm:cache_config_info: num_gpu_blocks × block_size"
		}
		c.tokens += tokens
	}
	return c
}

// sglangCapacity reads SGLang's page about itself. What it states is of one
// data-parallel rank; each has as much.
func sglangCapacity(p pages) capacity {
	for _, path := range []string{"/server_info", "/get_server_info"} {
		info := p.ask(path)
		if tokens := int(info.Get("max_total_num_tokens").Int()); tokens > 0 {
			c := capacity{tokens: tokens, block: int(info.Get("page_size").Int()), source: "from " + path + ": max_total_num_tokens"}
			if ranks := int(info.Get("dp_size").Int()); ranks > 1 {
				c.tokens *= ranks
				c.source += " × dp_size"
			}
			return c
		}
	}
	return capacity{}
}

// sglangMetricsCapacity is for an SGLang whose own page is not to be had.
func sglangMetricsCapacity(p pages) capacity {
	tokens, _ := p.metrics.sum("sglang:max_total_num_tokens").Number()
	c := capacity{tokens: int(tokens), source: "from /metrics sglang:max_total_num_tokens"}
	if block, known := p.metrics.most("sglang:page_size").Number(); known {
		c.block = int(block)
	}
	series, _ := p.metrics.series("sglang:cache_config_info")
	for _, s := range series {
		c.block = max(c.block, s.label("page_size"))
	}
	return c
}

// llamacppCapacity is the context of all slots together. A server that was
// started with one cache for all slots holds but one context; it does not say so.
func llamacppCapacity(p pages) capacity {
	if slots := p.ask("/slots"); slots.IsArray() {
		c := capacity{source: "from /slots: n_ctx of all slots (less if they share one: --kv-unified)"}
		for _, slot := range slots.Array() {
			c.tokens += int(slot.Get("n_ctx").Int())
		}
		if c.tokens > 0 {
			return c
		}
	}
	props := p.ask("/props")
	return capacity{
		tokens: int(props.Get("default_generation_settings.n_ctx").Int() * props.Get("total_slots").Int()),
		source: "from /props: n_ctx × total_slots (less if they share one: --kv-unified)",
	}
}

func trtllmCapacity(p pages) capacity {
	blocks, _ := p.metrics.sum("trtllm_kv_cache_max_blocks").Number()
	block, _ := p.metrics.most("trtllm_kv_cache_tokens_per_block").Number()
	return capacity{int(blocks * block), int(block), "from /prometheus/metrics: trtllm_kv_cache_max_blocks × trtllm_kv_cache_tokens_per_block"}
}

// lmdeployCapacity reads the labels of LMDeploy's configuration, where it states
// how many blocks it took.
func lmdeployCapacity(p pages) capacity {
	c := capacity{source: "from /metrics lmdeploy:backend_config_info: num_gpu_blocks × block_size"}
	series, _ := p.metrics.series("lmdeploy:backend_config_info", "lmdeploy:backend_config")
	for _, s := range series {
		c.block = max(s.label("block_size"), s.label("cache_block_seq_len"))
		c.tokens += s.label("num_gpu_blocks") * c.block
	}
	return c
}

// label is a label that holds a count; 0 where it does not.
func (s sample) label(name string) int {
	n, err := strconv.Atoi(s.labels[name])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// tolerance is how far a stated KV capacity may be from the server's own.
const tolerance = 0.10

// settleCapacity keeps the KV capacity: what the scenario says, else what all
// servers say together.
func (f *Facts) settleCapacity(stated int, found []capacity) {
	total := capacity{}
	for i, c := range found {
		if c.tokens == 0 { // of the others alone it would be too small
			total = capacity{}
			break
		}
		if i == 0 {
			total = c
			continue
		}
		total.tokens += c.tokens
		total.block = max(total.block, c.block)
	}
	if len(found) > 1 && total.tokens > 0 {
		total.source += fmt.Sprintf(", of all %d base URLs", len(found))
	}
	f.KVBlockTokens = total.block
	f.KVCapacityTokens, f.KVCapacitySource = total.tokens, total.source
	if total.tokens == 0 {
		f.KVCapacitySource = ""
	}
	if stated == 0 {
		return
	}
	f.KVCapacityTokens, f.KVCapacitySource = stated, "target.kv_capacity_tokens"
	if apart := float64(stated)/float64(total.tokens) - 1; total.tokens > 0 && (apart > tolerance || apart < -tolerance) {
		f.Notes = append(f.Notes, fmt.Sprintf("the scenario says that the KV cache holds %d tokens, the server says %d (%s): the scenario's number counts", stated, total.tokens, total.source))
	}
}
