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

func TestObjectWithoutChoicesIsNoted(t *testing.T) {
	got := decodeStream(t, event(`{"detail":"queued"}`), c("a"), event(`{"error":[],"choices":[]}`))
	checkNotes(t, got.Notes, `an object without choices came: "{"detail":"queued"}"`)
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
