package engine

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
)

// at is a stamp of so many milliseconds.
func at(ms float64) chat.Stamp { return chat.Stamp(ms*1e6) + 1 }

func unknownUsage() chat.Usage {
	return chat.Usage{PromptTokens: -1, OutputTokens: -1, CachedTokens: -1, ReasoningTokens: -1}
}

// streamed is a good reply whose token events came at these milliseconds.
func streamed(tokens int, times ...float64) *chat.Reply {
	r := &chat.Reply{Status: 200, Attempts: 1, Written: at(0), Usage: unknownUsage(), FinishReason: "stop", Content: "words enough for every token of it"}
	for _, t := range times {
		r.Events = append(r.Events, chat.Event{At: at(t), Kind: chat.ContentEvent, Tokens: -1})
	}
	r.Closed = at(times[len(times)-1] + 50)
	r.Usage.OutputTokens = tokens
	return r
}

func milliseconds(t *testing.T, name string, d metric.Duration, want float64) {
	t.Helper()
	got, ok := d.Duration()
	switch {
	case want < 0 && ok:
		t.Errorf("%s = %v, want unknown", name, got)
	case want >= 0 && (!ok || got != time.Duration(want*1e6)):
		t.Errorf("%s = %v (known %v), want %v ms", name, got, ok, want)
	}
}

func TestMeasure(t *testing.T) {
	const unknown = -1
	reasoning := streamed(3, 200, 220, 240)
	reasoning.Events[0].Kind, reasoning.Events[1].Kind = chat.ReasoningEvent, chat.ReasoningEvent
	reasoning.Reasoning = "Let me"
	running := streamed(4, 100, 140, 160)
	running.Events[0].Tokens, running.Events[1].Tokens, running.Events[2].Tokens = 1, 3, 4
	tool := streamed(9, 100, 200)
	tool.Events[0].Kind, tool.Events[1].Kind, tool.Content = chat.ToolEvent, chat.ToolEvent, ""
	tool.ToolCalls = []chat.ToolCall{{Name: "add", Arguments: `{"a":1}`}}
	wide := streamed(10, 100, 200)
	wide.Events[0].Tokens = 6
	hidden := streamed(100, 100, 200)
	hidden.Usage.ReasoningTokens = 90
	lost := streamed(200, 100, 200)
	lost.Content = "ab"
	whole := streamed(5, 900)
	whole.Events = nil
	noUsage := streamed(0, 100, 200)
	noUsage.Usage = unknownUsage()
	for name, c := range map[string]struct {
		reply                        *chat.Reply
		ttft, ttfc, e2e, tpot, stall float64
		gaps                         int
	}{
		"one token per event":                    {streamed(4, 500, 510, 520, 530), 500, 500, 530, 10, 10, 3},
		"thinking before the answer":             {reasoning, 200, 240, 240, 20, 20, 2},
		"running totals of tokens":               {running, 100, 100, 160, 20, 40, 2},
		"a tool call is no content":              {tool, 100, unknown, 200, 12.5, 100, 1},
		"several tokens in each event":           {streamed(17, 100, 140, 180, 220, 260), 100, 100, 260, 10, 40, 4},
		"several tokens in the first event":      {wide, 100, 100, 200, 25, 100, 1},
		"one token":                              {streamed(1, 100), 100, 100, 100, unknown, unknown, 0},
		"one event with all tokens":              {streamed(8, 100), 100, 100, 100, unknown, unknown, 0},
		"tokens that are not in the stream":      {hidden, 100, 100, 200, unknown, 100, 1},
		"text that got lost":                     {lost, 100, 100, 200, unknown, 100, 1},
		"all tokens after the first at once":     {streamed(9, 100, 104, 105), 100, 100, 105, unknown, 4, 2},
		"a few tokens at once":                   {streamed(8, 100, 105), 100, 100, 105, 5.0 / 7, 5, 1},
		"two events in one read":                 {streamed(2, 100, 100), 100, 100, 100, unknown, 0, 1},
		"no usage":                               {noUsage, 100, 100, 200, unknown, 100, 1},
		"not streamed: the last byte is the end": {whole, unknown, unknown, 950, unknown, unknown, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := measure(c.reply, metric.Stamps{Due: int64(at(0)), Called: int64(at(0)), Returned: int64(c.reply.Closed)})
			milliseconds(t, "ttft", r.TTFT, c.ttft)
			milliseconds(t, "ttfc", r.TTFC, c.ttfc)
			milliseconds(t, "e2e", r.E2E, c.e2e)
			milliseconds(t, "tpot", r.TPOT, c.tpot)
			milliseconds(t, "stall", r.Stall, c.stall)
			if len(r.Gaps) != c.gaps || !r.OK {
				t.Errorf("%d gaps, ok %v; want %d, true", len(r.Gaps), r.OK, c.gaps)
			}
		})
	}
}

func TestMeasureOfFailures(t *testing.T) {
	for failure, want := range map[chat.Failure]string{
		chat.HTTPError: "http_error", chat.ConnectError: "connect_error", chat.Timeout: "timeout",
		chat.StreamBroken: "stream_broken", chat.ClientError: "connect_error",
	} {
		reply := streamed(3, 100, 110, 120)
		reply.Failure, reply.Error, reply.Code = failure, "it broke", "overloaded"
		r := measure(reply, metric.Stamps{})
		if r.OK || r.Outcome != want || !r.Failed() || r.Error != "it broke" {
			t.Errorf("%v: outcome %s, ok %v", failure, r.Outcome, r.OK)
		}
		if line, err := json.Marshal(r); err != nil || !strings.Contains(string(line), `"code":"overloaded"`) {
			t.Errorf("%v: the code is not in %s (%v)", failure, line, err)
		}
		for name, d := range map[string]metric.Duration{"ttft": r.TTFT, "e2e": r.E2E, "tpot": r.TPOT, "stall": r.Stall} {
			milliseconds(t, name, d, -1)
		}
	}
}

func TestMoreCachedTokensThanThePromptHasAreNotBelieved(t *testing.T) {
	for cached, known := range map[int]bool{-1: false, 0: true, 10: true, 11: false} {
		reply := streamed(3, 100, 110, 120)
		reply.Usage.PromptTokens, reply.Usage.CachedTokens = 10, cached
		r := measure(reply, metric.Stamps{})
		if _, ok := r.CachedTokens.Number(); ok != known {
			t.Errorf("%d of 10 cached: known %v, want %v", cached, ok, known)
		}
		if wrong := cached > 10; r.CachedTooMany != wrong || wrong != (len(r.Notes) == 1) {
			t.Errorf("%d of 10 cached: too many %v, notes %q", cached, r.CachedTooMany, r.Notes)
		}
	}
}

func TestARetryIsAFailureWithItsWholeTime(t *testing.T) {
	// 429 at 10 ms with Retry-After: 1, first token of the second try 100 ms after it.
	reply := streamed(2, 1110, 1120)
	reply.Attempts, reply.FirstFailure, reply.FirstError = 2, chat.HTTPError, "HTTP 429 Too Many Requests"
	r := measure(reply, metric.Stamps{})
	countRetries(r, reply)
	if r.OK || r.Outcome != metric.OutcomeHTTPError || r.Attempts != 2 || !r.Failed() {
		t.Errorf("outcome %s, ok %v, attempts %d; want http_error, false, 2", r.Outcome, r.OK, r.Attempts)
	}
	milliseconds(t, "ttft", r.TTFT, 1110)
}

func TestFinishReasonsAreAClosedSet(t *testing.T) {
	for sent, want := range map[string]string{"": "none", "stop": "stop", "length": "length", "tool_calls": "tool_calls", "repetition": "other"} {
		if got := finishReason(sent); got != want {
			t.Errorf("finishReason(%q) = %q, want %q", sent, got, want)
		}
	}
}
