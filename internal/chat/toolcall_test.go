package chat

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
			"one id and one index for two functions",
			[]string{tc(0, "x", "add", add), tc(0, "x", "mul", mul)},
			two(0, 0, "x", "x"), 2, nonconforming,
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
			"whole messages",
			[]string{event(`{"choices":[{"index":0,"message":{"tool_calls":[{"id":"k1","function":{"name":"add","arguments":"{\"a\":1}"}},{"id":"k2","function":{"name":"mul","arguments":"{\"b\":2}"}}]}}]}`)},
			two(0, 1, "k1", "k2"), 1, nil,
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
