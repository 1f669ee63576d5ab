package chat

import (
	"bufio"
	"context"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// keptThenLost serves one request, and closes the connection once it has read
// the next one and waited.
func keptThenLost(wait time.Duration) pipeServer {
	return func(conn net.Conn, in *bufio.Reader) {
		readRequest(in)
		body := c("a") + finish("stop") + done
		say(conn, 0, head("200 OK", "Content-Type: text/event-stream", "Content-Length: "+strconv.Itoa(len(body)))+body)
		readRequest(in)
		time.Sleep(wait)
	}
}

func TestKeptConnectionThatTheServerHadClosed(t *testing.T) {
	ask := func(t *testing.T, client *Client) *Reply {
		return client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true})
	}
	t.Run("is replaced, and counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := newPipeClient(t, Timeouts{}, inTurn(keptThenLost(5*time.Millisecond), answering(30*time.Millisecond)))
			if first := ask(t, client); first.Failure != NoFailure || first.Reconnects != 0 {
				t.Fatalf("first: %v %q", first.Failure, first.Error)
			}
			got := ask(t, client)
			if got.Failure != NoFailure || got.Attempts != 1 || got.Reconnects != 1 {
				t.Errorf("got %v %q, %d attempts, %d reconnects", got.Failure, got.Error, got.Attempts, got.Reconnects)
			}
			if ttft := since(got, got.Events[0].At); ttft != 35*time.Millisecond {
				t.Errorf("first token after %v, want 35ms: a user would have waited from the first write on", ttft)
			}
		})
	})
	t.Run("is replaced by a new one each time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := newPipeClient(t, Timeouts{}, inTurn(keptThenLost(0), keptThenLost(0), keptThenLost(0), answering(0)))
			for i, want := range []int{0, 1, 1, 1} {
				if got := ask(t, client); got.Failure != NoFailure || got.Reconnects != want {
					t.Errorf("request %d: %v %q, %d reconnects, want %d", i, got.Failure, got.Error, got.Reconnects, want)
				}
			}
		})
	})
	t.Run("is replaced once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := newPipeClient(t, Timeouts{}, inTurn(keptThenLost(0), hangUp))
			ask(t, client)
			got := ask(t, client)
			if got.Failure != StreamBroken || !strings.Contains(got.Error, "before the first byte") || got.Reconnects != 1 {
				t.Errorf("got %v %q, %d reconnects", got.Failure, got.Error, got.Reconnects)
			}
		})
	})
	t.Run("is a lost request when it took its time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := newPipeClient(t, Timeouts{}, inTurn(keptThenLost(staleWindow), answering(0)))
			ask(t, client)
			got := ask(t, client)
			if got.Failure != StreamBroken || got.Reconnects != 0 {
				t.Errorf("got %v %q, %d reconnects", got.Failure, got.Error, got.Reconnects)
			}
		})
	})
	t.Run("may take twice the time that it took to open", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := newPipeClient(t, Timeouts{}, inTurn(keptThenLost(190*time.Millisecond), answering(0)))
			dial := client.dialer
			client.dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
				time.Sleep(100 * time.Millisecond)
				return dial(ctx, network, address)
			}
			ask(t, client)
			if got := ask(t, client); got.Failure != NoFailure || got.Reconnects != 1 {
				t.Errorf("got %v %q, %d reconnects", got.Failure, got.Error, got.Reconnects)
			}
		})
	})
	t.Run("is not used once it is old", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := newPipeClient(t, Timeouts{}, inTurn(keptThenLost(0), answering(0)))
			ask(t, client)
			time.Sleep(idleConnTimeout + time.Millisecond)
			if got := ask(t, client); got.Failure != NoFailure || got.Reconnects != 0 {
				t.Errorf("got %v %q, %d reconnects", got.Failure, got.Error, got.Reconnects)
			}
		})
	})
	t.Run("is replaced for introspection too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := newPipeClient(t, Timeouts{}, inTurn(keptThenLost(0), func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 0, head("200 OK", "Content-Length: 2")+"{}")
			}))
			ask(t, client)
			_, _, body, err := client.Post(t.Context(), 0, "/tokenize", []byte(`{}`), 99)
			if err != nil || string(body) != "{}" {
				t.Errorf("got %q, %v", body, err)
			}
		})
	})
}

func TestFreshConnectionThatIsLostIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Timeouts{}, inTurn(hangUp))
		got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true})
		if want := "the connection was closed before the first byte of the reply"; got.Failure != StreamBroken || got.Error != want || got.Reconnects != 0 {
			t.Errorf("got %v %q, %d reconnects", got.Failure, got.Error, got.Reconnects)
		}
	})
}
