package chat

import (
	"bufio"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// counting streams a good reply that states its counts.
func counting(prompt, output int) pipeServer {
	return func(conn net.Conn, in *bufio.Reader) {
		readRequest(in)
		say(conn, time.Second, plainStream+c("a")+finish("stop")+used(prompt, output)+done)
	}
}

func TestSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Timeouts{}, inTurn(
			counting(100, 10), counting(40, 30),
			answering(time.Second),                   // states no usage
			hangUp,                                   // may have worked on it
			refusing(0, "429 Too Many Requests"),     // has not
			refusing(0, "500 Internal Server Error"), // may have
			refusing(0, "503 Service Unavailable"),   // has not, and is asked again:
			counting(7, 1)))
		for range 6 {
			client.Do(t.Context(), &Request{API: Chat, Body: []byte(`{}`), Stream: true})
		}
		client.Do(t.Context(), &Request{API: Chat, Body: []byte(`{}`), Stream: true, Retries: 1})
		want := Spent{Told: 3, Untold: 3, PromptTokens: 147, OutputTokens: 41, LongestPrompt: 100, LongestOutput: 30}
		if diff := cmp.Diff(want, client.TakeSpent()); diff != "" {
			t.Errorf("spent (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(Spent{}, client.TakeSpent()); diff != "" {
			t.Errorf("taken before (-want +got):\n%s", diff)
		}
	})
}

func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Timeouts{}, counting(1, 1))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			client.Do(t.Context(), &Request{API: Chat, Body: []byte(`{}`), Stream: true})
		}()
		synctest.Wait()
		if n := client.InFlight(); n != 1 {
			t.Errorf("%d in flight, want 1", n)
		}
		<-ended
		if n := client.InFlight(); n != 0 {
			t.Errorf("%d in flight after the end", n)
		}
	})
}
