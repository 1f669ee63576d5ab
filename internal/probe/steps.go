package probe

import "context"

// Group is what a step is about.
type Group string

// The groups, in the order they are asked and printed.
const (
	GroupAPIs    Group = "APIs"
	GroupHonours Group = "honours"
	GroupReports Group = "reports"
)

// A Step is one question to the server.
type Step struct {
	ID    string
	Group Group
	Name  string
	Doc   string // how the answer is found

	run func(context.Context, *session) Finding
}

// Steps are all questions, in the order they are asked: a step may build on the
// replies of earlier ones, which the session keeps.
func Steps() []Step {
	return []Step{
		{"completions", GroupAPIs, "/v1/completions, streamed", "a text is continued by 8 tokens, as a stream", completions},
		{"completions-whole", GroupAPIs, "/v1/completions, whole", "the same, as one object", completionsWhole},
		{"chat", GroupAPIs, "/v1/chat/completions, streamed", "a question is answered by at most 48 tokens, as a stream", chatStreamed},
		{"chat-whole", GroupAPIs, "/v1/chat/completions, whole", "the same with 8 tokens, as one object", chatWhole},
		{"tokenize", GroupAPIs, "tokenizer", "a text is turned into ids", tokenize},
		{"token-ids", GroupAPIs, "prompts of token ids", "32 ids are sent: yes if usage counts exactly as many", tokenIDs},
		{"tools", GroupAPIs, "tools, call parsed", "a question that needs a simple tool: yes if a call with arguments in JSON comes back", tools},

		{"max-tokens", GroupHonours, "max_tokens", "chat with max_tokens 4: yes if the reply ends there", maxTokens},
		{"max-completion-tokens", GroupHonours, "max_completion_tokens", "chat with max_completion_tokens 4: yes if the reply ends there", maxCompletionTokens},
		{"ignore-eos", GroupHonours, "ignore_eos", "a reply that ends by itself is asked for again with ignore_eos: yes if it has all tokens of the limit", ignoreEOS},
		{"min-tokens", GroupHonours, "min_tokens", "the same with min_tokens: yes if it has as many", minTokens},
		{"temperature", GroupHonours, "temperature 0 repeats", "one question twice at temperature 0: yes if the replies are equal", temperature},
		{"seed", GroupHonours, "seed", "one question twice at temperature 1 with one seed: yes if the replies are equal", seed},
		{"exact-length", GroupHonours, "a longer prompt is whole", "some 400 ids, or words: yes if usage counts no fewer", exactLength},
		{"over-limit", GroupHonours, "over-limit prompt refused", "a prompt longer than the context: no if it is accepted, and cut", overLimit},

		{"usage-stream", GroupReports, "usage in the stream", "with stream_options.include_usage: yes if prompt and output tokens come", usageInStream},
		{"cached-tokens", GroupReports, "cached tokens", "the longer prompt once more: yes if usage counts cached tokens", cachedTokens},
		{"reasoning", GroupReports, "reasoning field", "which field the reasoning of a thinking model comes in", reasoning},
		{"tokens-per-event", GroupReports, "one token per event", "output tokens over events of a stream", tokensPerEvent},
		{"metrics", GroupReports, "counters", "a metrics page with names that are known here", counters},
	}
}
