package chat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const wholeReply = `{"id":"1","model":"m","system_fingerprint":"fp","choices":[{"index":0,"message":{"role":"assistant",
"content":"It is 7","reasoning_content":"Let me","tool_calls":[{"id":"k1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}},
{"id":"k2","type":"function","function":{"name":"add","arguments":"{\"a\":2}"}}]},
"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}`

func jsonScript(body string) script {
	return script{
		head:  head("200 OK", "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body))),
		steps: []step{at(600, body[:len(body)/2]), at(900, body[len(body)/2:])},
	}
}

func TestReplyAsOneObject(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		t.Run(fmt.Sprintf("stream %v", streamed), func(t *testing.T) {
			s := newScripted(t, jsonScript(wholeReply))
			got := s.client(nil).Do(t.Context(), &Request{API: Chat, Body: []byte(`{}`), Stream: streamed})
			want := &Reply{
				Status: 200, Attempts: 1, Written: got.Written, FirstByte: got.FirstByte, Closed: got.Closed, OtherReads: got.OtherReads,
				Model: "m", SystemFingerprint: "fp",
				Content: "It is 7", Reasoning: "Let me", ReasoningField: "reasoning_content",
				ToolCalls:    []ToolCall{{0, "k1", "add", `{"a":1}`}, {1, "k2", "add", `{"a":2}`}},
				FinishReason: "tool_calls", Usage: Usage{9, 3, 4, -1},
			}
			if streamed {
				want.Notes = []string{"the server did not stream"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
			if closed := sinceStart(got.Closed); closed != 900 {
				t.Errorf("closed at %d, want 900", closed)
			}
		})
	}
}

func TestStreamThatWasNotAskedFor(t *testing.T) {
	s := newScripted(t, stream(at(10, c("a")), at(20, c("b"), finish("stop"), used(1, 2), done)))
	got := s.client(nil).Do(t.Context(), &Request{Body: []byte(`{}`)})
	if got.Failure != NoFailure || got.Content != "ab" {
		t.Errorf("got %v %q, content %q", got.Failure, got.Error, got.Content)
	}
	if diff := cmp.Diff(content(10, 20), arrivals(got)); diff != "" {
		t.Errorf("arrivals (-want +got):\n%s", diff)
	}
	checkNotes(t, got.Notes, "the server streamed, although it was not asked to")
}

func TestBrokenObjects(t *testing.T) {
	choice := func(members string) string { return `{"choices":[{"index":0,` + members + `}]}` }
	tests := []struct {
		name, body, want string
		code             string
	}{
		{"nothing", "", "empty body", ""},
		{"blank", " \n", "empty body", ""},
		{"cut JSON", wholeReply[:len(wholeReply)-2], "not JSON", ""},
		{"a list", `[{"choices":[]}]`, "not a JSON object", ""},
		{"a string", `"` + strings.Repeat("a", 30) + `"`, "not a JSON object", ""},
		{"a page", "<html><title>Hello</title></html>", "not a JSON object", ""},
		{"no choices", `{"choices":[]}`, "no choices", ""},
		{"another object", `{"message":"Welcome"}`, `"{"message":"Welcome"}"`, ""},
		{"an error", `{"error":{"message":"bad","type":"server_error"}}`, "carries an error: bad", "server_error"},
		{"an error beside choices", `{"error":"bad","choices":[{"text":"a"}]}`, "carries an error: bad", ""},
		{"an abort", choice(`"text":"a","finish_reason":"abort"`), `finish reason "abort"`, ""},
		{"no output", choice(`"message":{"content":null},"finish_reason":"stop"`), "no output", ""},
		{"empty output", `{"choices":[{"index":0,"text":"","finish_reason":"stop"}],"usage":` + counts(5, 0) + `}`, "empty output", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decode("application/json", tt.body, false)
			if got.Failure != StreamBroken || !strings.Contains(got.Error, tt.want) || got.Code != tt.code {
				t.Errorf("got %v %q, code %q; want %q, %q", got.Failure, got.Error, got.Code, tt.want, tt.code)
			}
		})
	}
	t.Run("a body shorter than its length", func(t *testing.T) {
		short := jsonScript(wholeReply)
		short.head = head("200 OK", "Content-Type: application/json", "Content-Length: 9999")
		short.end = fin
		s := newScripted(t, short)
		got := s.client(nil).Do(t.Context(), &Request{Body: []byte(`{}`)})
		if got.Failure != StreamBroken || !strings.Contains(got.Error, "closed") {
			t.Errorf("got %v %q", got.Failure, got.Error)
		}
	})
}

func TestObjectsInOddForms(t *testing.T) {
	tests := []struct {
		name, body string
		want       string
		notes      []string
	}{
		{"blanks before it", "\n \n" + `{"choices":[{"text":"a","finish_reason":"stop"}]}`, "a", nil},
		{"a byte order mark", "\xEF\xBB\xBF" + `{"choices":[{"text":"a","finish_reason":"stop"}]}`, "a", nil},
		{"no finish reason", `{"choices":[{"text":"a"}]}`, "a", []string{"the reply has no finish reason"}},
		{"tokens without text", `{"choices":[{"text":"","finish_reason":"length"}],"usage":` + counts(5, 2) + `}`, "", []string{"the reply has no text, although usage counts output tokens"}},
		{"a delta", `{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`, "a", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decode("application/json", tt.body, false)
			if got.Failure != NoFailure || got.Content != tt.want || len(got.Events) != 0 {
				t.Errorf("got %v %q, content %q, %d events", got.Failure, got.Error, got.Content, len(got.Events))
			}
			checkNotes(t, got.Notes, tt.notes...)
		})
	}
}
