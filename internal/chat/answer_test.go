package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decode reads a body as the client does, all of it at one moment.
func decode(contentType, body string, streamed bool) *Reply {
	d := newDecoder(contentType, streamed)
	d.feed([]byte(body), 1)
	d.end(nil)
	r := &Reply{}
	d.answer.write(r)
	if d.fault != nil {
		r.Failure, r.Error, r.Code = d.fault.failure, d.fault.message, d.fault.code
	}
	return r
}

// decodeStream reads a complete event stream that begins with the given events.
func decodeStream(t *testing.T, events ...string) *Reply {
	t.Helper()
	got := decode("text/event-stream", strings.Join(events, "")+finish("stop")+done, true)
	if got.Failure != NoFailure {
		t.Errorf("failure %v %q", got.Failure, got.Error)
	}
	return got
}

func TestToolCallsAreAssembled(t *testing.T) {
	two := func(first, second int, ids ...string) []ToolCall {
		return []ToolCall{{first, ids[0], "add", `{"a":1}`}, {second, ids[1], "mul", `{"b":2}`}}
	}
	const (
		add, addHead, addTail = `{"a":1}`, `{"a":`, `1}`
		mul, mulHead, mulTail = `{"b":2}`, `{"b":`, `2}`
	)
	nonconforming := []string{NoteNonconformingIndex}
	tests := []struct {
		name   string
		events []string
		want   []ToolCall
		pieces int
		notes  []string
	}{
		{
			"interleaved by index",
			[]string{tc(0, "k1", "add", addHead), tc(1, "k2", "mul", mulHead), tc(0, absent, absent, addTail), tc(1, absent, absent, mulTail)},
			two(0, 1, "k1", "k2"), 4, nil,
		},
		{
			"interleaved, with empty ids",
			[]string{tc(0, "k1", "add", ""), tc(1, "k2", "mul", ""), tc(0, "", absent, add), tc(1, "", "", mul)},
			two(0, 1, "k1", "k2"), 4, nil,
		},
		{
			"whole calls, all of index 0",
			[]string{tc(0, "k1", "add", add), tc(0, "k2", "mul", mul)},
			two(0, 0, "k1", "k2"), 2, nonconforming,
		},
		{
			"whole calls without an index",
			[]string{tc(none, "k1", "add", add), tc(none, "k2", "mul", mul)},
			two(-1, -1, "k1", "k2"), 2, nonconforming,
		},
		{
			"pieces, all of index 0, with empty ids",
			[]string{tc(0, "k1", "add", ""), tc(0, "", absent, add), tc(0, "k2", "mul", ""), tc(0, "", absent, mul)},
			two(0, 0, "k1", "k2"), 4, nonconforming,
		},
		{
			"pieces, all of index 0, with the id repeated",
			[]string{tc(0, "k1", "add", ""), tc(0, "k1", absent, add), tc(0, "k2", "mul", ""), tc(0, "k2", absent, mul)},
			two(0, 0, "k1", "k2"), 4, nonconforming,
		},
		{
			"all of index 0, interleaved by id",
			[]string{tc(0, "k1", "add", addHead), tc(0, "k2", "mul", mulHead), tc(0, "k1", absent, addTail), tc(0, "k2", absent, mulTail)},
			two(0, 0, "k1", "k2"), 4, nonconforming,
		},
		{
			"pieces without an index, by id",
			[]string{tc(none, "k1", "add", addHead), tc(none, "k2", "mul", mulHead), tc(none, "k1", absent, addTail), tc(none, "k2", absent, mulTail)},
			two(-1, -1, "k1", "k2"), 4, nonconforming,
		},
		{
			"the index only in the first piece",
			[]string{tc(0, "k1", "add", addHead), tc(none, absent, absent, addTail)},
			[]ToolCall{{0, "k1", "add", add}},
			2, nonconforming,
		},
		{
			"whole calls without ids",
			[]string{tc(0, absent, "add", add), tc(0, absent, "mul", mul)},
			two(0, 0, "", ""), 2, nonconforming,
		},
		{
			"whole calls without ids or indexes, in one event",
			[]string{delta(`"tool_calls":[{"function":{"name":"add","arguments":"{\"a\":1}"}},{"function":{"name":"add","arguments":"{\"a\":1}"}}]`)},
			[]ToolCall{{-1, "", "add", add}, {-1, "", "add", add}},
			1, nonconforming,
		},
		{
			"one id for all, told apart by index",
			[]string{tc(0, "x", "add", add), tc(1, "x", "mul", mul)},
			two(0, 1, "x", "x"), 2, nil,
		},
		{
			"a named call without an id",
			[]string{tc(0, absent, "add", ""), tc(0, absent, absent, addHead), tc(0, absent, absent, addTail)},
			[]ToolCall{{0, "", "add", add}},
			3, nil,
		},
		{
			"the name in every piece",
			[]string{tc(0, "k1", "add", addHead), tc(0, "k1", "add", addTail)},
			[]ToolCall{{0, "k1", "add", add}},
			2, nil,
		},
		{
			"the id after the name",
			[]string{tc(0, "", "add", ""), tc(0, "k1", absent, add)},
			[]ToolCall{{0, "k1", "add", add}},
			2, nil,
		},
		{
			"null ids and names in later pieces",
			[]string{tc(0, "k1", "add", addHead), delta(`"content":null,"tool_calls":[{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"1}"}}]`)},
			[]ToolCall{{0, "k1", "add", add}},
			2, nil,
		},
		{
			"an id alone is no piece",
			[]string{tc(0, "k1", absent, absent), tc(0, "k1", "add", add)},
			[]ToolCall{{0, "k1", "add", add}},
			1, nil,
		},
		{
			"indexes that do not start at 0",
			[]string{tc(3, "k1", "add", add), tc(7, "k2", "mul", mul)},
			two(3, 7, "k1", "k2"), 2, nil,
		},
		{
			"arguments that are an object",
			[]string{delta(`"tool_calls":[{"index":0,"id":"k1","function":{"name":"add","arguments":{"a":1}}}]`)},
			[]ToolCall{{0, "k1", "add", add}},
			1,
			[]string{"the arguments of a tool call are not a string"},
		},
		{
			"a legacy call",
			[]string{delta(`"function_call":{"name":"add","arguments":""}`), delta(`"function_call":{"arguments":"{\"a\":"}`), delta(`"function_call":{"arguments":"1}"}`)},
			[]ToolCall{{-1, "", "add", add}},
			3,
			[]string{"the call came as a legacy function_call"},
		},
		{
			"a legacy call beside the calls",
			[]string{delta(`"tool_calls":[{"index":0,"id":"k1","function":{"name":"add","arguments":"{\"a\":1}"}}],"function_call":{"name":"add","arguments":"{\"a\":1}"}`)},
			[]ToolCall{{0, "k1", "add", add}},
			1,
			[]string{"function_call beside tool_calls was not read"},
		},
		{
			"a call without a function",
			[]string{c("a"), delta(`"tool_calls":[{"index":0,"id":"k1"}]`)},
			nil, 0,
			[]string{"a tool call without a function"},
		},
		{
			"tool_calls that is no list",
			[]string{c("a"), delta(`"tool_calls":{"index":0}`)},
			nil, 0,
			[]string{"tool_calls is not a list"},
		},
		{
			"an index that is a string",
			[]string{delta(`"tool_calls":[{"index":"1","id":"k1","function":{"name":"add","arguments":"{\"a\":1}"}}]`)},
			[]ToolCall{{1, "k1", "add", add}},
			1, nil,
		},
		{
			"escapes in arguments",
			[]string{tc(0, "k1", "add", `{"s":"\"`), tc(0, absent, absent, `\n\u00e9"}`)},
			[]ToolCall{{0, "k1", "add", `{"s":"\"\n\u00e9"}`}},
			2, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decodeStream(t, tt.events...)
			if diff := cmp.Diff(tt.want, got.ToolCalls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			checkNotes(t, got.Notes, tt.notes...)
			pieces := 0
			for _, e := range got.Events {
				if e.Kind&ToolEvent != 0 {
					pieces++
				}
			}
			if pieces != tt.pieces {
				t.Errorf("%d tool events, want %d", pieces, tt.pieces)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	in := func(members string) string { return event(`{"choices":[],"usage":{` + members + `}}`) }
	const odd = "usage has a count that is not a number of tokens: "
	tests := []struct {
		name   string
		events []string
		want   Usage
		notes  []string
	}{
		{"whole numbers in other forms", []string{c("a"), in(`"prompt_tokens":12.0,"completion_tokens":1e2`)}, usageOf(12, 100), nil},
		{"numbers in strings", []string{c("a"), in(`"prompt_tokens":"12","completion_tokens":" 3.0 "`)}, usageOf(12, 3), nil},
		{
			"numbers that count nothing",
			[]string{c("a"), in(`"prompt_tokens":12.5,"completion_tokens":-3`)},
			unknownUsage,
			[]string{odd + "12.5", odd + "-3"},
		},
		{
			"absurd numbers and words",
			[]string{c("a"), in(`"prompt_tokens":1099511627777,"completion_tokens":"many","prompt_tokens_details":{"cached_tokens":true}`)},
			unknownUsage,
			[]string{odd + "1099511627777", odd + `"many"`, odd + "true"},
		},
		{"numbers in a string that JSON does not have", []string{c("a"), in(`"prompt_tokens":3,"completion_tokens":"NaN"`)}, usageOf(3, -1), []string{odd + `"NaN"`}},
		{"null and absent", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":null,"prompt_tokens_details":null`)}, usageOf(5, -1), nil},
		{"a null later", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":1`), event(`{"choices":[],"usage":null}`)}, usageOf(5, 1), nil},
		{"cached and reasoning tokens", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":3}`)}, Usage{5, 4, 0, 3}, nil},
		{"cached and reasoning tokens at the top", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":4,"cached_tokens":2,"reasoning_tokens":0`)}, Usage{5, 4, 2, 0}, nil},
		{"cache hits", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":4,"prompt_cache_hit_tokens":2,"prompt_cache_miss_tokens":3`)}, Usage{5, 4, 2, -1}, nil},
		{"cached tokens in timings", []string{c("a"), event(`{"choices":[],"usage":` + counts(5, 4) + `,"timings":{"cache_n":3}}`)}, Usage{5, 4, 3, -1}, nil},
		{"timings do not win over usage", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":4,"cached_tokens":2`), event(`{"choices":[],"timings":{"cache_n":3}}`)}, Usage{5, 4, 2, -1}, nil},
		{"details stated before the last usage", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":1,"cached_tokens":2`), used(5, 4)}, Usage{5, 4, 2, -1}, nil},
		{
			"zeros in every event but the last",
			[]string{
				event(`{"choices":[{"index":0,"text":"a"}],"usage":` + counts(0, 0) + `}`),
				event(`{"choices":[{"index":0,"text":"b"}],"usage":` + counts(0, 0) + `}`), used(5, 2),
			},
			usageOf(5, 2), nil,
		},
		{"zeros in the last event", []string{c("a"), used(5, 2), used(0, 0)}, usageOf(5, 2), nil},
		{"zeros only", []string{c("a"), used(0, 0)}, unknownUsage, []string{"usage counts no output tokens, although output came"}},
		{"no output counted", []string{c("a"), used(5, 0)}, usageOf(5, -1), []string{"usage counts no output tokens, although output came"}},
		{"a smaller count at the end", []string{c("a"), used(5, 9), used(5, 2)}, usageOf(5, 2), []string{"the last usage counts fewer output tokens than an earlier one"}},
		{"usage that is a number", []string{c("a"), event(`{"choices":[],"usage":7}`)}, unknownUsage, []string{"usage is not an object"}},
		{"usage inside the choice", []string{c("a"), event(`{"choices":[{"index":0,"delta":{},"usage":` + counts(5, 4) + `}]}`)}, usageOf(5, 4), nil},
		{"the last of two equal keys", []string{c("a"), in(`"prompt_tokens":1,"prompt_tokens":5,"completion_tokens":4`)}, usageOf(5, 4), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decodeStream(t, tt.events...)
			if diff := cmp.Diff(tt.want, got.Usage); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			checkNotes(t, got.Notes, tt.notes...)
		})
	}
}

func TestTextsOfOddTypes(t *testing.T) {
	type texts struct{ Content, Reasoning, Field string }
	tests := []struct {
		name   string
		events []string
		want   texts
		notes  []string
	}{
		{"null and missing content", []string{delta(`"content":null`), delta(``), c("a")}, texts{Content: "a"}, nil},
		{"content in parts", []string{delta(`"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`)}, texts{Content: "ab"}, nil},
		{"content in strings", []string{delta(`"content":["a","b"]`)}, texts{Content: "ab"}, nil},
		{"a part of another type", []string{delta(`"content":[{"type":"image","url":"x"},{"type":"text","text":"b"}]`)}, texts{Content: "b"}, []string{"a part of type image was not read"}},
		{"content of another type", []string{delta(`"content":7,"reasoning":"b"`), c("a")}, texts{"a", "b", "reasoning"}, []string{"a text of the reply is neither a string nor a list of parts"}},
		{"both names, one text", []string{delta(`"reasoning":"a","reasoning_content":"a"`)}, texts{"", "a", "reasoning"}, nil},
		{"both names, written differently", []string{delta(`"reasoning":"\u0061","reasoning_content":"a"`)}, texts{"", "a", "reasoning"}, nil},
		{"both names, one empty", []string{delta(`"reasoning":"","reasoning_content":"a"`)}, texts{"", "a", "reasoning_content"}, nil},
		{"both names, two texts", []string{delta(`"reasoning":"a","reasoning_content":"b"`)}, texts{"", "a", "reasoning"}, []string{"reasoning and reasoning_content differ; reasoning was read"}},
		{"one name after the other", []string{r("a"), rc("b")}, texts{"", "ab", "reasoning"}, []string{"reasoning came under two names"}},
		{"reasoning of white space", []string{delta(`"reasoning":" ","reasoning_content":null`), r("a")}, texts{"", " a", "reasoning"}, nil},
		{"reasoning under a third name", []string{delta(`"content":"a","reasoning_details":[{"text":"b"}],"thinking":"c"`), delta(`"content":"b","thinking":"c"`)}, texts{Content: "ab"}, []string{"the field reasoning_details was not read", "the field thinking was not read"}},
		{"a refusal", []string{c("a"), delta(`"refusal":"I cannot"`)}, texts{Content: "a"}, []string{"the reply carries a refusal"}},
		{"messages instead of deltas", []string{event(`{"choices":[{"index":0,"message":{"content":"a"}}]}`), event(`{"choices":[{"index":0,"delta":null,"message":{"content":"b"}}]}`)}, texts{Content: "ab"}, nil},
		{"a whole message after its deltas", []string{c("a"), c("b"), event(`{"choices":[{"index":0,"message":{"content":"ab"}}]}`)}, texts{Content: "ab"}, []string{"a whole message after deltas was not read"}},
		{"several choices", []string{c("a"), event(`{"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":"abort"}]}`), c("b")}, texts{Content: "ab"}, []string{"the reply has several choices; only the first is read"}},
		{"several choices in one event", []string{event(`{"choices":[{"index":1,"text":"x"},{"index":0,"text":"a"}]}`)}, texts{Content: "a"}, []string{"the reply has several choices; only the first is read"}},
		{"choices without an index", []string{event(`{"choices":[{"text":"a"}]}`)}, texts{Content: "a"}, nil},
		{"choices that is no list", []string{c("a"), event(`{"choices":{"index":0}}`)}, texts{Content: "a"}, []string{"choices is not a list"}},
		{"a finish reason in an object", []string{c("a"), event(`{"choices":[{"index":0,"delta":{},"finish_reason":{"type":"stop","matched":2}}]}`)}, texts{Content: "a"}, []string{"the finish reason is an object, not a string"}},
		{"a finish reason that is a number", []string{c("a"), event(`{"choices":[{"index":0,"delta":{},"finish_reason":1}]}`)}, texts{Content: "a"}, []string{"the finish reason is not a string"}},
		{"an empty finish reason in every event", []string{event(`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":""}]}`), c("b")}, texts{Content: "ab"}, nil},
		{"a key in other letters is another key", []string{delta(`"Content":"x"`), c("a")}, texts{Content: "a"}, nil},
		{"a surrogate pair in two events", []string{delta(`"content":"a\ud83d"`), delta(`"content":"\ude42b"`)}, texts{Content: "a🙂b"}, nil},
		{"a surrogate pair in one event", []string{delta(`"content":"\ud83d\ude42"`)}, texts{Content: "🙂"}, nil},
		{"bytes of a character in two events", []string{delta("\"content\":\"\xf0\x9f\""), delta("\"content\":\"\x99\x82\"")}, texts{Content: "🙂"}, nil},
		{"half a surrogate pair", []string{delta(`"content":"a\ud83d"`), c("b")}, texts{Content: "a�b"}, []string{noteBrokenText}},
		{"the halves in the wrong order", []string{delta(`"content":"\ude42\ud83d"`)}, texts{Content: "��"}, []string{noteBrokenText}},
		{"half a character", []string{delta("\"content\":\"a\xf0\""), c("b")}, texts{Content: "a�b"}, []string{noteBrokenText}},
		{"a replacement character that was sent", []string{c("a�")}, texts{Content: "a�"}, nil},
		{"escapes", []string{delta(`"content":"\"\\\/\b\f\n\r\t\u00e9\u0000"`)}, texts{Content: "\"\\/\b\f\n\r\té\x00"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decodeStream(t, tt.events...)
			if diff := cmp.Diff(tt.want, texts{got.Content, got.Reasoning, got.ReasoningField}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkNotes(t, got.Notes, tt.notes...)
		})
	}
}

func TestIdentity(t *testing.T) {
	got := decodeStream(t,
		event(`{"model":"m","system_fingerprint":null,"choices":[{"index":0,"delta":{"content":"a"}}]}`),
		event(`{"model":"m","system_fingerprint":"fp","choices":[]}`))
	if got.Model != "m" || got.SystemFingerprint != "fp" {
		t.Errorf("model %q, fingerprint %q", got.Model, got.SystemFingerprint)
	}
	got = decodeStream(t, event(`{"model":"m","choices":[{"index":0,"delta":{"content":"a"}}]}`), event(`{"model":"n","choices":[]}`))
	checkNotes(t, got.Notes, "the reply names different models")
}

func TestNotesAreBounded(t *testing.T) {
	var events []string
	for i := range 100 {
		events = append(events, strings.Repeat("x", i+1)+"\n")
	}
	got := decodeStream(t, append(events, "\n", c("a"))...)
	if len(got.Notes) != maxNotes {
		t.Errorf("%d notes, want %d", len(got.Notes), maxNotes)
	}
}
