package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"scenario/internal/chat"
)

const (
	opening = "Once upon a time there was"
	sum     = "What is 17 + 25? Think it over, then answer in one short sentence."
)

func completions(ctx context.Context, s *session) Finding {
	r := s.send(ctx, question{api: chat.Completions, prompt: text(opening), limit: 8})
	if !s.good(r) {
		return failed(r)
	}
	s.completion = r
	return Finding{Yes, streamed(r)}
}

func completionsWhole(ctx context.Context, s *session) Finding {
	return s.whole(ctx, question{api: chat.Completions, prompt: text(opening), limit: 8})
}

func chatStreamed(ctx context.Context, s *session) Finding {
	q := question{api: chat.Chat, prompt: says(sum), limit: 48}
	r := s.send(ctx, q)
	for r.Failure != chat.NoFailure && s.adapt(r) {
		r = s.send(ctx, q)
	}
	if !s.good(r) {
		return failed(r)
	}
	s.question = r
	return Finding{Yes, streamed(r)}
}

func chatWhole(ctx context.Context, s *session) Finding {
	return s.whole(ctx, question{api: chat.Chat, prompt: says(sum), limit: 8})
}

func (s *session) whole(ctx context.Context, q question) Finding {
	q.whole = true
	r := s.send(ctx, q)
	if !s.good(r) {
		return failed(r)
	}
	if r.Usage.OutputTokens < 0 {
		return Finding{Yes, "without usage"}
	}
	return Finding{Yes, ""}
}

// streamed says in how many events a reply came.
func streamed(r *chat.Reply) string {
	detail := fmt.Sprintf("%d events", len(r.Events))
	if len(r.Events) == 1 && r.Usage.OutputTokens > 1 {
		detail += ": all at once"
	}
	if !r.Done {
		detail += ", no [DONE]"
	}
	return detail
}

// sentence is what the tokenizer gets; its ids make the prompts of ids.
const sentence = "The harbour was quiet in the early morning, and the boats lay side by side along the old stone wall while the tide came slowly in over the sand and the stones of the shore."

func tokenize(ctx context.Context, s *session) Finding {
	path, fields, list := "/tokenize", []chat.Field{{Name: "model", Value: s.facts.Model}, {Name: "prompt", Value: sentence}}, "tokens"
	switch s.facts.Server {
	case "llamacpp":
		fields = []chat.Field{{Name: "content", Value: sentence}}
	case "lmdeploy":
		path, fields, list = "encode", []chat.Field{{Name: "input", Value: sentence}}, "input_ids"
	case "trtllm":
		path = "/_internal/tokenize"
	}
	body, err := chat.Encode(fields)
	if err != nil {
		return Finding{Unknown, err.Error()}
	}
	status, _, answer, err := s.client.Post(ctx, 0, path, body, 1<<20)
	switch {
	case err != nil:
		return Finding{Unknown, shorten(err.Error())}
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError && status != http.StatusNotImplemented:
		return Finding{Unknown, fmt.Sprintf("%s answers %d", path, status)}
	case status != http.StatusOK:
		return Finding{No, fmt.Sprintf("%s answers %d", path, status)}
	}
	for _, id := range gjson.GetBytes(answer, list).Array() {
		s.ids = append(s.ids, int(id.Int()))
	}
	if len(s.ids) == 0 {
		return Finding{No, path + " gives no ids"}
	}
	return Finding{Yes, path}
}

// idsSent is the length of the prompt of ids.
const idsSent = 32

// idPrompt is a prompt of n ids: those of the tokenizer over and over, else ids
// that are text in every large vocabulary.
func (s *session) idPrompt(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 300 + i%idsSent
		if len(s.ids) > 0 {
			list[i] = s.ids[i%len(s.ids)]
		}
	}
	return list
}

func tokenIDs(ctx context.Context, s *session) Finding {
	r := s.send(ctx, question{api: chat.Completions, prompt: ids(s.idPrompt(idsSent)), limit: 4})
	if !s.good(r) {
		return failed(r)
	}
	switch n := r.Usage.PromptTokens; n {
	case idsSent:
		return Finding{Yes, fmt.Sprintf("%d ids count as %d prompt tokens", idsSent, n)}
	case -1:
		return Finding{Unknown, "accepted, and usage does not say how many tokens they were"}
	default:
		return Finding{No, fmt.Sprintf("accepted, but %d ids count as %d prompt tokens", idsSent, n)}
	}
}

const weather = `[{"type":"function","function":{"name":"get_weather","description":"Get the current weather of a city.","parameters":{"type":"object","properties":{"city":{"type":"string","description":"name of the city"}},"required":["city"]}}}]`

func tools(ctx context.Context, s *session) Finding {
	q := question{
		api: chat.Chat, prompt: says("Get the current weather of Paris."), limit: 160,
		extra: []chat.Field{{Name: "tools", Value: json.RawMessage(weather)}, {Name: "tool_choice", Value: "auto"}},
	}
	r := s.send(ctx, q)
	if r.Failure != chat.NoFailure {
		return failed(r)
	}
	if len(r.ToolCalls) > 0 {
		return parsedCall(r, "tool_choice auto")
	}
	auto := noCall(r)
	q.extra[1].Value = "required"
	r = s.send(ctx, q)
	switch {
	case r.Failure != chat.NoFailure || len(r.ToolCalls) == 0:
	case auto.Answer == No: // agents ask with auto
		auto.Detail += "; with tool_choice required a call is parsed"
	default:
		found := parsedCall(r, "tool_choice required")
		found.Detail += "; with auto: " + auto.Detail
		return found
	}
	return auto
}

// parsedCall judges a call by what a program could do with it.
func parsedCall(r *chat.Reply, how string) Finding {
	call := r.ToolCalls[0]
	switch {
	case call.Name != "get_weather":
		return Finding{No, fmt.Sprintf("the call names %q, a tool that was not offered", shorten(call.Name))}
	case !gjson.Valid(call.Arguments) || !gjson.Parse(call.Arguments).IsObject():
		return Finding{No, "the arguments are no JSON object: " + shorten(call.Arguments)}
	case r.FinishReason != "tool_calls" && r.FinishReason != "stop":
		return Finding{Unknown, fmt.Sprintf("a call came, and finish reason %q", r.FinishReason)}
	}
	return Finding{Yes, how + ": get_weather " + shorten(call.Arguments)}
}

// noCall says what came in a call's place.
func noCall(r *chat.Reply) Finding {
	all := r.Content + r.Reasoning
	for _, mark := range []string{"<tool_call>", "<function", "get_weather"} {
		if strings.Contains(all, mark) {
			return Finding{No, "the call came as text (" + mark + "): the server has no parser for it"}
		}
	}
	if r.FinishReason == "length" {
		return Finding{Unknown, "no call came within the limit of tokens"}
	}
	return Finding{Unknown, "accepted, and the model answered without a call"}
}
