package chat

import (
	"strings"
	"testing"
)

func closing(steps ...step) script {
	return script{head: head("200 OK", "Content-Type: text/event-stream", "Connection: close"), steps: steps, end: fin}
}

func TestBrokenStreams(t *testing.T) {
	tests := []struct {
		name   string
		script script
		errors []string // what the error says
		code   string
		events int
	}{
		{
			name:   "an error event followed by [DONE]",
			script: stream(at(100, c("a")), at(110, c("b")), at(120, event(`{"error":{"message":"engine stopped","type":"InternalServerError","code":500}}`)), at(121, done)),
			errors: []string{"carries an error", "engine stopped"}, code: "500", events: 2,
		},
		{
			name:   "an error event after a complete answer",
			script: stream(at(1, c("a"), finish("stop"), used(1, 1), event(`{"error":"late"}`), done)),
			errors: []string{"late"}, events: 1,
		},
		{
			name:   "an error as a string",
			script: stream(at(1, event(`{"error":"out of memory"}`), done)),
			errors: []string{"out of memory"},
		},
		{
			name:   "an error at the top of the object",
			script: stream(at(1, event(`{"object":"error","message":"bad things","type":"BadRequestError","param":null,"code":400}`), done)),
			errors: []string{"bad things"}, code: "400",
		},
		{
			name:   "an error without a message",
			script: stream(at(1, c("a"), event(`{"error":{}}`), finish("stop"), done)),
			errors: []string{"carries an error: no message"}, events: 1,
		},
		{
			name:   "an event named error",
			script: stream(at(1, c("a"), "event: error\ndata: {\"message\":\"boom\",\"code\":\"overloaded\"}\n\n", finish("stop"), done)),
			errors: []string{"boom"}, code: "overloaded", events: 1,
		},
		{
			name:   "an event named error, in plain text",
			script: stream(at(1, "event: error\ndata: it broke\n\n")),
			errors: []string{"it broke"},
		},
		{
			name:   "an error as a line that is no event",
			script: stream(at(1, c("a"), "{\"error\":{\"message\":\"worker died\"}}\n\n")),
			errors: []string{"worker died"}, events: 1,
		},
		{
			name:   "an error as the whole body",
			script: script{head: head("200 OK", "Content-Type: application/json", "Connection: close"), steps: []step{at(1, `{"error":{"message":"no such adapter","code":"x"}}`)}, end: fin},
			errors: []string{"no such adapter"}, code: "x",
		},
		{
			name:   "output after [DONE]",
			script: stream(at(1, c("a"), finish("stop"), done, c("b"))),
			errors: []string{"output came after [DONE]", "b"}, events: 1,
		},
		{
			name:   "an error after [DONE]",
			script: stream(at(1, c("a"), finish("stop"), done, event(`{"error":{"message":"gone","code":7}}`))),
			errors: []string{"gone"}, code: "7", events: 1,
		},
		{
			name:   "a bare error after [DONE]",
			script: stream(at(1, c("a"), finish("stop"), done, `{"error":{"message":"gone"}}`+"\n\n")),
			errors: []string{"gone"}, events: 1,
		},
		{
			name:   "a chunked body cut short",
			script: script{steps: []step{at(10, c("a")), at(20, c("b"))}, end: fin},
			errors: []string{"ended early", "the connection was closed", "no finish reason", "after 2 token events"}, events: 2,
		},
		{
			name:   "a body that ends with the connection, half-way",
			script: closing(at(10, c("a")), at(20, c("b"))),
			errors: []string{"ended early", "no finish reason and no [DONE] and no final usage"}, events: 2,
		},
		{
			name:   "a connection that is reset",
			script: script{steps: []step{at(10, c("a")), at(20, c("b"))}, end: reset},
			errors: []string{"ended early", "reset"}, events: 2,
		},
		{
			name:   "a body shorter than its length",
			script: script{head: head("200 OK", "Content-Type: text/event-stream", "Content-Length: 9999"), steps: []step{at(10, c("a"))}, end: fin},
			errors: []string{"ended early", "closed"}, events: 1,
		},
		{
			name:   "[DONE] alone after text",
			script: stream(at(10, c("a"), done)),
			errors: []string{"ended early", "no finish reason and no final usage"}, events: 1,
		},
		{
			name:   "a finish reason alone after text",
			script: stream(at(10, c("a"), finish("stop"))),
			errors: []string{"ended early", "no [DONE] and no final usage"}, events: 1,
		},
		{
			name:   "running usage is no final usage",
			script: stream(at(10, event(`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":`+counts(5, 1)+`}`), finish("stop"))),
			errors: []string{"ended early"}, events: 1,
		},
		{
			name:   "usage before the text is no final usage",
			script: stream(at(10, used(5, 1), c("a"), finish("stop"))),
			errors: []string{"ended early"}, events: 1,
		},
		{
			name:   "a placeholder usage is no final usage",
			script: stream(at(10, c("a"), finish("stop"), used(0, 0))),
			errors: []string{"ended early"}, events: 1,
		},
		{
			name:   "the server aborts",
			script: stream(at(10, c("a"), c("b"), finish("abort"), used(3, 2), done)),
			errors: []string{`finish reason "abort"`}, events: 2,
		},
		{
			name:   "the server could not parse",
			script: stream(at(10, c("a"), finish("parse_error"), used(3, 2), done)),
			errors: []string{`finish reason "parse_error"`}, events: 1,
		},
		{
			name:   "the server gives up with a message in the choice",
			script: stream(at(10, c("a"), event(`{"choices":[{"index":0,"delta":{},"finish_reason":"ERROR","error":{"message":"upstream gone","code":502}}]}`), done)),
			errors: []string{`finish reason "ERROR"`, "upstream gone"}, code: "502", events: 1,
		},
		{
			name:   "data that is not JSON",
			script: stream(at(10, c("a"), "data: Internal Server Error\n\n", finish("stop"), done)),
			errors: []string{"not JSON", `"Internal Server Error"`}, events: 1,
		},
		{
			name:   "JSON that is cut",
			script: stream(at(10, c("a"), "data: {\"choices\":[{\"index\":0,\n\n", finish("stop"), done)),
			errors: []string{"not JSON"}, events: 1,
		},
		{
			name:   "a number JSON does not have",
			script: stream(at(10, c("a"), event(`{"choices":[],"usage":{"prompt_tokens":NaN}}`), finish("stop"), done)),
			errors: []string{"not JSON"}, events: 1,
		},
		{
			name:   "data that is a list",
			script: stream(at(10, c("a"), event(`[]`), finish("stop"), done)),
			errors: []string{"not a JSON object"}, events: 1,
		},
		{
			name:   "data that is null",
			script: stream(at(10, event(`null`), done)),
			errors: []string{"not a JSON object"},
		},
		{
			name:   "two objects in one event",
			script: stream(at(10, event(`{"choices":[]}{"choices":[]}`), done)),
			errors: []string{"not JSON"},
		},
		{
			name:   "no bytes",
			script: stream(),
			errors: []string{"empty stream"},
		},
		{
			name:   "comments only",
			script: stream(at(10, ": a\n\n: b\n\n")),
			errors: []string{"empty stream"},
		},
		{
			name:   "headers and a reset",
			script: script{end: reset},
			errors: []string{"empty stream", "reset"},
		},
		{
			name:   "[DONE] only",
			script: stream(at(10, done)),
			errors: []string{"no output"},
		},
		{
			name:   "empty events only",
			script: stream(at(10, role, c(""), finish("stop"), done)),
			errors: []string{"no output"},
		},
		{
			name:   "empty events and no end",
			script: stream(at(10, role, c(""))),
			errors: []string{"ended early", "no output"},
		},
		{
			name:   "usage counts nothing",
			script: stream(at(10, x(""), x(""), finish("length"), used(1500, 0), done)),
			errors: []string{"empty output"},
		},
		{
			name:   "usage counts nothing at all",
			script: stream(at(10, c(""), finish("stop"), used(0, 0), done)),
			errors: []string{"empty output"},
		},
		{
			name:   "tokens without output, and a call promised",
			script: stream(at(10, role, finish("tool_calls"), used(5, 7), done)),
			errors: []string{"no output"},
		},
		{
			name:   "a page",
			script: script{head: head("200 OK", "Content-Type: text/html; charset=utf-8", "Transfer-Encoding: chunked"), steps: []step{at(10, "<!doctype html>\n<title>Welcome</title>", strings.Repeat("<p>", 200))}},
			errors: []string{"not an event stream", `"text/html; charset=utf-8"`, "<!doctype html> <title>Welcome"},
		},
		{
			name:   "a page that claims to be a stream",
			script: stream(at(10, "<html><title>Bad gateway</title></html>")),
			errors: []string{"not an event stream", "text/event-stream", "Bad gateway"},
		},
		{
			name:   "a text",
			script: script{head: head("200 OK", "Content-Type: text/plain", "Content-Length: 2"), steps: []step{at(10, "OK")}},
			errors: []string{"not an event stream", "text/plain", `"OK"`},
		},
		{
			name:   "lines of JSON",
			script: stream(at(10, "{\"message\":{\"content\":\"a\"}}\n{\"done\":true}\n")),
			errors: []string{"not JSON"},
		},
		{
			name:   "a JSON object that is no reply",
			script: script{head: head("200 OK", "Content-Type: application/json", "Content-Length: 15"), steps: []step{at(10, `{"status":"ok"}`)}},
			errors: []string{"no choices", "status"},
		},
		{
			name:   "a chunk length that is none",
			script: script{head: strings.Replace(streamHead, "chunked", "CHUNKED", 1), steps: []step{at(10, "zz\r\n")}, end: fin},
			errors: []string{"malformed"},
		},
		{
			name:   "a status line that is none",
			script: script{head: "SSH-2.0-OpenSSH_9.9\r\n", end: fin},
			errors: []string{"malformed"},
		},
		{
			name:   "a compression that was not asked for",
			script: script{head: head("200 OK", "Content-Type: text/event-stream", "Content-Encoding: br", "Content-Length: 3"), steps: []step{at(10, "abc")}},
			errors: []string{"encoded", `"br"`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := play(t, tt.script)
			if got.Failure != StreamBroken {
				t.Errorf("failure %v, want stream_broken", got.Failure)
			}
			for _, want := range tt.errors {
				if !strings.Contains(got.Error, want) {
					t.Errorf("error %q does not contain %q", got.Error, want)
				}
			}
			if got.Code != tt.code || len(got.Events) != tt.events {
				t.Errorf("code %q, %d events, want %q, %d", got.Code, len(got.Events), tt.code, tt.events)
			}
		})
	}
}

func TestLineOverTheLimitIsNamed(t *testing.T) {
	d := newDecoder("text/event-stream", true)
	chunk := []byte(strings.Repeat("x", 1<<20))
	d.feed([]byte(c("a")+"data: "), 1)
	for range 17 {
		d.feed(chunk, 2)
	}
	d.end(nil)
	if d.fault == nil || !strings.Contains(d.fault.message, "line too long") {
		t.Errorf("fault %v, want line too long", d.fault)
	}

	d = newDecoder("text/event-stream", true)
	for range 17 {
		d.feed([]byte("data: "+string(chunk)+"\n"), 1)
	}
	if d.fault == nil || !strings.Contains(d.fault.message, "line too long") {
		t.Errorf("fault %v for an event of many lines, want line too long", d.fault)
	}
}

func TestBodyOverTheLimitIsNamed(t *testing.T) {
	d := newDecoder("application/json", false)
	d.feed([]byte(`{"choices":[{"text":"`), 1)
	chunk := []byte(strings.Repeat("x", 1<<20))
	for range maxBody >> 20 {
		d.feed(chunk, 1)
	}
	if d.fault == nil || d.fault.message != "the body is longer than 64 MiB" {
		t.Errorf("fault %v, want one about the length", d.fault)
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	d := newDecoder("text/event-stream", true)
	d.feed([]byte("data: "+strings.Repeat("[", maxLine-10)+"\n\n"), 1)
	if d.fault == nil || d.fault.failure != StreamBroken {
		t.Errorf("fault %v, want a broken stream", d.fault)
	}
}
