package chat

import (
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompleteInSpiteOfItsEnd(t *testing.T) {
	whole := c("a") + finish("stop") + used(1, 1)
	tests := []struct {
		name   string
		script script
		notes  []string
	}{
		{
			"[DONE], then a cut",
			script{steps: []step{at(1, whole, done)}, end: fin},
			[]string{"the stream was complete, but its end was not clean: the connection was closed"},
		},
		{
			"[DONE], then a reset",
			script{steps: []step{at(1, whole, done)}, end: reset},
			[]string{"the stream was complete, but its end was not clean: the connection was reset"},
		},
		{
			"finish reason and usage, then a cut",
			script{steps: []step{at(1, whole)}, end: fin},
			[]string{"the stream ended without [DONE]", "the stream was complete, but its end was not clean: the connection was closed"},
		},
		{"[DONE] and usage", stream(at(1, c("a"), used(1, 1), done)), []string{"the stream ended without finish reason"}},
		{"a text that is no output after [DONE]", stream(at(1, whole, done, role, event(`bye`), "\n \n")), []string{"text came after [DONE]"}},
		{"a finish reason in capitals", stream(at(1, c("a"), finish("STOP"), done)), []string{`the finish reason came as "STOP"`}},
		{"space after [DONE]", stream(at(1, whole, done, "\n\n: bye\n\ndata: \n\n  \n")), nil},
		{"the connection as the end", closing(at(1, whole, done)), nil},
		{
			"tokens without text", stream(at(1, role, finish("length"), used(5, 7), done)),
			[]string{"the reply has no text, although usage counts output tokens"},
		},
		{
			"another content type",
			script{head: head("200 OK", "Content-Type: text/plain", "Transfer-Encoding: chunked"), steps: []step{at(1, whole, done)}},
			[]string{`the event stream has content type "text/plain"`},
		},
		{
			"no content type, and a comment first",
			script{head: head("200 OK", "Transfer-Encoding: chunked"), steps: []step{at(1, ": hello, world\n\n", whole, done)}},
			[]string{`the event stream has content type ""`},
		},
		{"a byte order mark", stream(at(1, "\xEF\xBB\xBF", whole, done)), nil},
		{
			"a line that is no event", stream(at(1, c("a"), "hello there\n\n", finish("stop"), done)),
			[]string{`the stream has a line that is no event: "hello there"`},
		},
		{"empty data", stream(at(1, c("a"), "data:\n\n", "data\n\n", finish("stop"), done)), nil},
		{"an event named ping", stream(at(1, c("a"), "event: ping\ndata: 2026-01-01\n\n", finish("stop"), done)), nil},
		{"text after the finish reason", stream(at(1, finish("stop"), c("a"), done)), []string{"output came after the finish reason"}},
		{"two finish reasons", stream(at(1, c("a"), finish("stop"), finish("length"), done)), []string{"the finish reason changed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := play(t, tt.script)
			if got.Failure != NoFailure || got.Error != "" {
				t.Errorf("failure %v %q", got.Failure, got.Error)
			}
			checkNotes(t, got.Notes, tt.notes...)
		})
	}
}

func TestHalfClosedConnectionStillCarriesTheReply(t *testing.T) {
	s := newScripted(t)
	client, server := tcpPair(t)
	go func() {
		defer server.Close()
		buf := make([]byte, 1024)
		_, _ = server.Read(buf)
		_, _ = server.Write([]byte(head("200 OK", "Content-Type: text/event-stream") + c("a") + finish("stop") + done))
		_ = server.(*net.TCPConn).CloseWrite()
		_, _ = server.Read(buf) // until the client closes
	}()
	chat := s.client(func(cfg *Config) { cfg.Dial = dialTo(client) })
	got := chat.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true})
	if diff := cmp.Diff([]string{"ok", "a"}, []string{got.Failure.String(), got.Content}); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, got.Error)
	}
}
