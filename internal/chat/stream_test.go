package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// arrival is an Event with its time in milliseconds after the request's write.
type arrival struct {
	At     int
	Kind   EventKind
	Tokens int
}

func arrivals(r *Reply) []arrival {
	var all []arrival
	for _, e := range r.Events {
		all = append(all, arrival{sinceStart(e.At), e.Kind, int(e.Tokens)})
	}
	return all
}

func content(ms ...int) []arrival   { return ofKind(ContentEvent, ms) }
func reasoning(ms ...int) []arrival { return ofKind(ReasoningEvent, ms) }

func ofKind(kind EventKind, ms []int) []arrival {
	var all []arrival
	for _, m := range ms {
		all = append(all, arrival{m, kind, -1})
	}
	return all
}

func usageOf(prompt, output int) Usage { return Usage{prompt, output, -1, -1} }

func checkNotes(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestStreamArrivals(t *testing.T) {
	tests := []struct {
		name                      string
		script                    script
		content, reasoning, field string
		finish                    string
		usage                     Usage
		arrivals                  []arrival
		closed                    int
		notes                     []string
	}{
		{
			name:    "reasoning before the answer",
			script:  stream(at(50, role), at(200, r("Let")), at(220, r(" me")), at(240, c("42")), at(241, finish("stop")), at(242, used(9, 3), done)),
			content: "42", reasoning: "Let me", field: "reasoning", finish: "stop", usage: usageOf(9, 3),
			arrivals: append(reasoning(200, 220), content(240)...), closed: 242,
		},
		{
			name:    "reasoning under its other name",
			script:  stream(at(50, role), at(200, rc("Let")), at(220, rc(" me")), at(240, c("42")), at(241, finish("stop")), at(242, used(9, 3), done)),
			content: "42", reasoning: "Let me", field: "reasoning_content", finish: "stop", usage: usageOf(9, 3),
			arrivals: append(reasoning(200, 220), content(240)...), closed: 242,
		},
		{
			name:    "empty content beside reasoning",
			script:  stream(at(200, delta(`"content":"","reasoning":"Let"`)), at(220, delta(`"content":null,"reasoning":" "`)), at(240, c("42"), finish("stop"), used(9, 3), done)),
			content: "42", reasoning: "Let ", field: "reasoning", finish: "stop", usage: usageOf(9, 3),
			arrivals: append(reasoning(200, 220), content(240)...), closed: 240,
		},
		{
			name:    "reasoning and content in one event",
			script:  stream(at(10, delta(`"content":"a","reasoning":"b"`), finish("stop"), done)),
			content: "a", reasoning: "b", field: "reasoning", finish: "stop", usage: unknownUsage,
			arrivals: []arrival{{10, ContentEvent | ReasoningEvent, -1}}, closed: 10,
		},
		{
			name:    "empty events during prefill",
			script:  stream(at(40, x("")), at(80, x("")), at(120, x("")), at(160, x("a")), at(170, x("b")), at(171, finish("length"), used(1500, 2), done)),
			content: "ab", finish: "length", usage: usageOf(1500, 2), arrivals: content(160, 170), closed: 171,
		},
		{
			name:    "an opening event without choices, and late usage",
			script:  stream(at(5, event(`{"choices":[]}`)), at(100, c("a")), at(200, c("b")), at(300, c("c")), at(301, finish("stop")), at(650, used(7, 3)), at(651, done)),
			content: "abc", finish: "stop", usage: usageOf(7, 3), arrivals: content(100, 200, 300), closed: 651,
		},
		{
			name: "running totals in every event",
			script: stream(
				at(100, event(`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":`+counts(5, 1)+`}`)),
				at(120, event(`{"choices":[{"index":0,"delta":{"role":"assistant"}}],"usage":null}`)),
				at(140, event(`{"choices":[{"index":0,"delta":{"content":"bc"}}],"usage":`+counts(5, 3)+`}`)),
				at(160, event(`{"usage":`+counts(5, 4)+`,"choices":[{"index":0,"delta":{"content":"d"}}]}`)),
				at(161, finish("stop")), at(162, used(5, 4), done)),
			content: "abcd", finish: "stop", usage: usageOf(5, 4), closed: 162,
			arrivals: []arrival{{100, ContentEvent, 1}, {140, ContentEvent, 3}, {160, ContentEvent, 4}},
		},
		{
			name:    "a running total of nothing",
			script:  stream(at(10, event(`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":`+counts(5, 0)+`}`)), at(20, finish("stop"), used(5, 1), done)),
			content: "a", finish: "stop", usage: usageOf(5, 1), arrivals: content(10), closed: 20,
		},
		{
			name:    "several tokens in an event",
			script:  stream(at(100, c("one two")), at(140, c("three")), at(180, c("four")), at(220, c("five")), at(260, c("six")), at(261, finish("length"), used(8, 17), done)),
			content: "one twothreefourfivesix", finish: "length", usage: usageOf(8, 17),
			arrivals: content(100, 140, 180, 220, 260), closed: 261,
		},
		{
			name: "comments, carriage returns, ids and no space after data",
			script: stream(at(100, ":\n\n"), at(200, ": ping\r\n\r\n"),
				at(300, "id: 7\r\nevent: message\r\nretry: 10\r\ndata:"+strings.TrimSpace(c("A")[6:])+"\r\n\r\n"),
				at(310, "data:"+c("B")[6:]), at(311, finish("stop"), used(3, 2), "data:[DONE]\n\n")),
			content: "AB", finish: "stop", usage: usageOf(3, 2), arrivals: content(300, 310), closed: 311,
		},
		{
			name:    "several events in one write",
			script:  stream(at(320, c("a"), c("b"), c("c")), at(330, finish("stop"), used(1, 3), done)),
			content: "abc", finish: "stop", usage: usageOf(1, 3), arrivals: content(320, 320, 320), closed: 330,
		},
		{
			name:    "white space after the data",
			script:  stream(at(10, strings.ReplaceAll(c("a")+finish("stop")+used(1, 1), "\n\n", " \n\n")), at(11, "data: [DONE] \n\n")),
			content: "a", finish: "stop", usage: usageOf(1, 1), arrivals: content(10), closed: 11,
		},
		{
			name: "data over several lines",
			script: stream(at(10, "data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"a\"}}]}\n"), at(20, "\n"),
				at(30, finish("stop"), done)),
			content: "a", finish: "stop", usage: unknownUsage, arrivals: content(20), closed: 30,
		},
		{
			name:    "a finish reason in the event of the last text",
			script:  stream(at(10, c("a")), at(20, event(`{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"length"}],"usage":`+counts(4, 2)+`}`)), at(21, done)),
			content: "ab", finish: "length", usage: usageOf(4, 2), closed: 21,
			arrivals: []arrival{{10, ContentEvent, -1}, {20, ContentEvent, 2}},
		},
		{
			name:    "a last event without its blank line",
			script:  stream(at(10, c("a"), finish("stop"), used(1, 1)), at(20, "data: [DONE]")),
			content: "a", finish: "stop", usage: usageOf(1, 1), arrivals: content(10), closed: 20,
		},
		{
			name:    "no [DONE]",
			script:  stream(at(10, c("a"), c("b")), at(20, finish("stop"), used(3, 2))),
			content: "ab", finish: "stop", usage: usageOf(3, 2), arrivals: content(10, 10), closed: 20,
			notes: []string{"the stream ended without [DONE]"},
		},
		{
			name:    "usage never delivered",
			script:  stream(at(10, event(`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":null}`)), at(20, c("b c d"), finish("length"), done)),
			content: "ab c d", finish: "length", usage: unknownUsage, arrivals: content(10, 20), closed: 20,
		},
		{
			name:    "a null error is none",
			script:  stream(at(10, event(`{"choices":[{"index":0,"delta":{"content":"a"}}],"error":null}`)), at(20, event(`{"choices":[{"index":0,"delta":{"content":"b"}}],"error":""}`), finish("stop"), done)),
			content: "ab", finish: "stop", usage: unknownUsage, arrivals: content(10, 20), closed: 20,
		},
		{
			name:    "thinking left in the content",
			script:  stream(at(10, c("<think>maybe 42</think>")), at(20, c("It is 7"), finish("stop"), done)),
			content: "<think>maybe 42</think>It is 7", finish: "stop", usage: unknownUsage, arrivals: content(10, 20), closed: 20,
		},
		{
			name:      "the answer in the reasoning is not moved",
			script:    stream(at(80, r("391")), at(81, finish("stop"), used(12, 1), done)),
			reasoning: "391", field: "reasoning", finish: "stop", usage: usageOf(12, 1), arrivals: reasoning(80), closed: 81,
		},
		{
			name:    "a tool call left in the content is no call",
			script:  stream(at(10, c(`<tool_call>{"name":"add"}</tool_call>`)), at(11, finish("stop"), done)),
			content: `<tool_call>{"name":"add"}</tool_call>`, finish: "stop", usage: unknownUsage, arrivals: content(10), closed: 11,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := play(t, tt.script)
			want := &Reply{
				Status: 200, Attempts: 1, Written: got.Written, FirstByte: got.FirstByte, Closed: got.Closed, OtherReads: got.OtherReads,
				Content: tt.content, Reasoning: tt.reasoning, ReasoningField: tt.field, FinishReason: tt.finish,
				Usage: tt.usage, Done: got.Done, FirstParsed: got.Events[0].At, Events: got.Events, Notes: tt.notes,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.arrivals, arrivals(got)); diff != "" {
				t.Errorf("arrivals (-want +got):\n%s", diff)
			}
			if w, f, cl := sinceStart(got.Written), sinceStart(got.FirstByte), sinceStart(got.Closed); w != 0 || f != 0 || cl != tt.closed {
				t.Errorf("written, first byte, closed = %d, %d, %d, want 0, 0, %d", w, f, cl, tt.closed)
			}
		})
	}
}

func TestEventArrivesWithItsLastByte(t *testing.T) {
	var steps []step
	whole := c("日本🙂")
	for i := range len(whole) {
		steps = append(steps, at(300-len(whole)+1+i, whole[i:i+1]))
	}
	steps = append(steps, at(301, finish("stop"), done))
	got := play(t, stream(steps...))
	if got.Failure != NoFailure || got.Content != "日本🙂" {
		t.Errorf("got %v %q, content %q", got.Failure, got.Error, got.Content)
	}
	if diff := cmp.Diff(content(300), arrivals(got)); diff != "" {
		t.Errorf("arrivals (-want +got):\n%s", diff)
	}
}

func TestLongEventIsRead(t *testing.T) {
	long := strings.Repeat("x ", 1<<20)
	got := play(t, stream(at(10, c("a")), at(20, c(long)), at(30, finish("stop"), used(1, 2), done)))
	if got.Failure != NoFailure || len(got.Content) != 1+2<<20 {
		t.Errorf("got %v %q, %d bytes of content", got.Failure, got.Error, len(got.Content))
	}
}
