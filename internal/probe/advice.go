package probe

import (
	"fmt"
	"strings"
)

// KindAdvice says whether a kind of workload can run on the target.
type KindAdvice struct {
	Kind   string `json:"kind" doc:"name of the kind"`
	Runs   Answer `json:"runs" doc:"yes, no, or unknown"`
	Detail string `json:"detail" doc:"why, or what to write"`
}

func (r *Report) has(id string) Answer { return r.Findings[id].Answer }

// advise draws the conclusions.
func (r *Report) advise() {
	r.Kinds = []KindAdvice{r.fixedToken(), r.longContext(), r.multiTurn()}
	r.Advice = append(r.scenarioAdvice(), r.operatorAdvice()...)
}

func (r *Report) fixedToken() KindAdvice {
	a := KindAdvice{Kind: "fixed-token"}
	var missing []string
	a.Runs = Yes
	for _, need := range []struct{ id, words string }{
		{"token-ids", "prompts of token ids"}, {"exact-length", "exact prompt length"}, {"ignore-eos", "ignore_eos"}, {"usage-stream", "usage in the stream"},
	} {
		switch r.has(need.id) {
		case No:
			a.Runs = No
			missing = append(missing, "no "+need.words)
		case Unknown:
			if a.Runs == Yes {
				a.Runs = Unknown
			}
			missing = append(missing, need.words+" not proven")
		}
	}
	switch a.Runs {
	case Yes:
		a.Detail = "as is: token ids, exact lengths"
	case Unknown:
		a.Detail = strings.Join(missing, ", ") + ": the preflight of a run will tell"
	default:
		a.Detail = strings.Join(missing, ", ") + ": use prompt: {text: story, tokens: …} and ignore_eos: false"
	}
	return a
}

func (r *Report) longContext() KindAdvice {
	a := KindAdvice{Kind: "long-context", Runs: r.has("chat")}
	switch {
	case a.Runs != Yes:
		a.Detail = "it needs chat"
	case r.has("exact-length") == No:
		a.Detail = "runs, and will be rejected: a prompt was " + r.Findings["exact-length"].Detail
	case r.has("over-limit") == No:
		a.Detail = "runs, and will be rejected beyond the context: the target does not refuse what is too long"
	case r.Target.ContextTokens > 0:
		a.Detail = fmt.Sprintf("lengths up to %d tokens, prompt and answer together", r.Target.ContextTokens)
	default:
		a.Detail = "set target.context_tokens: the target does not say it"
	}
	return a
}

func (r *Report) multiTurn() KindAdvice {
	a := KindAdvice{Kind: "multi-turn", Runs: r.has("chat")}
	switch {
	case a.Runs != Yes:
		a.Detail = "it needs chat"
	case r.has("tools") == Yes && r.has("reasoning") == Yes:
		a.Detail = "with tools and reasoning"
	case r.has("reasoning") == No:
		a.Detail = "runs, and will be rejected: " + r.Findings["reasoning"].Detail
	case r.has("tools") == Yes:
		a.Detail = "with tools; no reasoning was seen: not thinking: required"
	default:
		a.Detail = "without tools: " + r.Findings["tools"].Detail
	}
	return a
}

// scenarioAdvice is what a scenario file should set.
func (r *Report) scenarioAdvice() []string {
	var list []string
	t := r.Target
	add := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(len(t.Models) > 1, "target.model: %s (it serves %d models)", t.Model, len(t.Models))
	add(t.Server == "unknown", "target.server: the software, if you know it")
	add(t.ContextTokens == 0, "target.context_tokens: the target does not say its context")
	add(t.KVCapacityTokens == 0, "target.kv_capacity_tokens: the target does not say it; without it no level is marked kv-bound")
	add(r.has("max-tokens") == No && r.has("max-completion-tokens") == Yes, "target.server: openai (it takes max_completion_tokens alone)")
	add(strings.HasPrefix(r.Findings["temperature"].Detail, "refused"), "temperature: unset (it is refused)")
	add(r.has("cached-tokens") == No, "expect the guard cache-unverified: cached tokens are not reported")
	add(r.has("metrics") == No && r.has("cached-tokens") != Yes, "target.metrics_url: where the server's metrics are, if there are any")
	add(r.has("usage-stream") == No, "checks that read no token counts: there is no usage")
	add(r.has("tokens-per-event") == No, "tpot and gap in the place of itl: events carry several tokens")
	add(r.has("min-tokens") == No, "no min_tokens in body: it is ignored")
	return list
}

// operatorAdvice is what the server could be started with.
func (r *Report) operatorAdvice() []string {
	var list []string
	for _, hint := range []struct {
		server, step string
		option       string
	}{
		{"sglang", "metrics", "--enable-metrics"},
		{"llamacpp", "metrics", "--metrics"},
		{"vllm", "cached-tokens", "--enable-prompt-tokens-details"},
		{"sglang", "cached-tokens", "--enable-cache-report"},
		{"vllm", "reasoning", "--reasoning-parser"},
		{"sglang", "reasoning", "--reasoning-parser"},
		{"lmdeploy", "reasoning", "--reasoning-parser"},
		{"llamacpp", "reasoning", "--reasoning-format auto"},
		{"vllm", "tools", "--enable-auto-tool-choice --tool-call-parser"},
		{"sglang", "tools", "--tool-call-parser"},
		{"lmdeploy", "tools", "--tool-call-parser"},
		{"llamacpp", "tools", "--jinja"},
	} {
		if hint.server == r.Target.Server && r.has(hint.step) == No {
			list = append(list, fmt.Sprintf("the server's option %s: %s", hint.option, r.Findings[hint.step].Detail))
		}
	}
	return list
}
