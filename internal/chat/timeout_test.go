package chat

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var someLimits = Timeouts{Connect: 2 * time.Second, FirstToken: 5 * time.Second, Idle: time.Second, Request: time.Hour}

func TestTimeouts(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		name    string
		limits  Timeouts
		server  pipeServer
		unasked bool // the reply is not to be streamed
		failure Failure
		error   string
		after   time.Duration // from the call to its end
		events  int
	}{
		{
			name: "a healthy long stream is not cut", limits: someLimits,
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 0, plainStream)
				for range 200 {
					say(conn, 100*ms, c("x"))
				}
				say(conn, 0, finish("length"), used(5, 200), done)
			},
			after: 20 * time.Second, events: 200,
		},
		{
			name: "silence after some tokens", limits: someLimits,
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 100*ms, plainStream, c("a"), c("b"), c("c"))
				untilClosed(in)
			},
			failure: Timeout, error: "idle timeout: nothing came within 1s", after: 1400 * ms, events: 3,
		},
		{
			name: "comments hold off the idle timeout", limits: someLimits,
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 900*ms, plainStream, c("a"), ": \n\n", ":\n\n", c("b"), finish("stop"), done)
			},
			after: 7 * 900 * ms, events: 2,
		},
		{
			name: "headers and then nothing", limits: someLimits,
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 0, plainStream)
				untilClosed(in)
			},
			failure: Timeout, error: "first_token timeout: no token within 5s", after: 5 * time.Second,
		},
		{
			name: "no headers", limits: someLimits,
			server:  func(_ net.Conn, in *bufio.Reader) { readRequest(in); untilClosed(in) },
			failure: Timeout, error: "first_token timeout", after: 5 * time.Second,
		},
		{
			name: "comments and empty events do not hold off the first token", limits: someLimits,
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 0, plainStream)
				for range 20 {
					say(conn, 400*ms, ": ping\n\n"+role)
				}
				untilClosed(in)
			},
			failure: Timeout, error: "first_token timeout", after: 5 * time.Second,
		},
		{
			name: "a server that does not read", limits: someLimits,
			server:  func(_ net.Conn, _ *bufio.Reader) { time.Sleep(time.Minute) },
			failure: Timeout, error: "first_token timeout", after: 5 * time.Second,
		},
		{
			name: "the whole request", limits: Timeouts{Idle: time.Second, Request: 10 * time.Second},
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 0, plainStream)
				for range 100 {
					say(conn, 300*ms, c("x"))
				}
			},
			failure: Timeout, error: "request timeout: no end within 10s", after: 10 * time.Second, events: 33,
		},
		{
			name: "a reply that is not streamed has no first token", limits: someLimits, unasked: true,
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 20*time.Second, head("200 OK", "Content-Type: application/json", "Connection: close"), wholeReply)
			},
			after: 40 * time.Second,
		},
		{
			name: "a stream left open after [DONE]", limits: someLimits,
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 100*ms, plainStream, c("a"), finish("stop"), done)
				for range 20 {
					say(conn, 300*ms, ": still here\n\n")
				}
				untilClosed(in)
			},
			after: 400*ms + lingerDone, events: 1,
		},
		{
			name: "a complete stream left open without [DONE]", limits: someLimits,
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 100*ms, plainStream, c("a"), finish("stop"), used(5, 1))
				untilClosed(in)
			},
			after: 400*ms + time.Second, events: 1,
		},
		{
			name: "an error whose body does not end", limits: someLimits,
			server: func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 100*ms, head("500 Internal Server Error", "Content-Length: 99"), "broken")
				untilClosed(in)
			},
			failure: HTTPError, error: "HTTP 500 Internal Server Error: broken", after: 100*ms + linger,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := newPipeClient(t, tt.limits, tt.server)
				start := time.Now()
				got := client.Do(t.Context(), &Request{API: Chat, Body: []byte(`{}`), Stream: !tt.unasked})
				if got.Failure != tt.failure || !strings.Contains(got.Error, tt.error) || tt.failure == NoFailure && got.Error != "" {
					t.Errorf("got %v %q, want %v %q", got.Failure, got.Error, tt.failure, tt.error)
				}
				if took := time.Since(start); took != tt.after {
					t.Errorf("took %v, want %v", took, tt.after)
				}
				if len(got.Events) != tt.events {
					t.Errorf("%d events, want %d", len(got.Events), tt.events)
				}
				if got.Closed == 0 || since(got, got.Closed) > tt.after {
					t.Errorf("closed after %v, want at most %v", since(got, got.Closed), tt.after)
				}
			})
		})
	}
}

func TestConnectTimeout(t *testing.T) {
	block := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := clientOf(t, scheme+"://server", someLimits, block)
				defer client.Close()
				start := time.Now()
				got := client.Do(t.Context(), &Request{Stream: true})
				if want := "connect timeout: no connection within 2s"; got.Failure != Timeout || got.Error != want {
					t.Errorf("got %v %q, want %q", got.Failure, got.Error, want)
				}
				if took := time.Since(start); took != 2*time.Second || got.Written != 0 {
					t.Errorf("took %v, written at %v", took, got.Written)
				}
			})
		})
	}
	t.Run("a TLS handshake that is not answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := clientOf(t, "https://server", someLimits, func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				go func() {
					defer far.Close()
					untilClosed(bufio.NewReader(far))
				}()
				time.Sleep(time.Second)
				return near, nil
			})
			defer client.Close()
			start := time.Now()
			got := client.Do(t.Context(), &Request{Stream: true})
			if took := time.Since(start); got.Failure != Timeout || !strings.HasPrefix(got.Error, "connect timeout") || took != 2*time.Second {
				t.Errorf("got %v %q after %v", got.Failure, got.Error, took)
			}
		})
	})
}

func clientOf(t *testing.T, base string, limits Timeouts, dial func(context.Context, string, string) (net.Conn, error)) *Client {
	t.Helper()
	u, err := ParseBaseURL(base)
	if err != nil {
		t.Fatal(err)
	}
	client, err := New(Config{BaseURLs: []*url.URL{u}, Timeouts: limits, Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestCancel(t *testing.T) {
	hold := func(_ net.Conn, in *bufio.Reader) { untilClosed(in) }
	stages := []struct {
		name   string
		server pipeServer
		status int
	}{
		{"before the header", hold, 0},
		{"in the stream", func(conn net.Conn, in *bufio.Reader) {
			readRequest(in)
			say(conn, 0, plainStream, c("a"))
			untilClosed(in)
		}, 200},
		{"in the body of an error", func(conn net.Conn, in *bufio.Reader) {
			readRequest(in)
			say(conn, 2500*time.Millisecond, head("500 Internal Server Error", "Content-Length: 9"))
			untilClosed(in)
		}, 500},
	}
	for _, stage := range stages {
		t.Run(stage.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := newPipeClient(t, Timeouts{}, stage.server)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(3*time.Second, func() { cancel(errors.New("the window is over")) })
				start := time.Now()
				got := client.Do(ctx, &Request{Body: []byte(`{}`), Stream: true, Retries: 3})
				if got.Failure != Canceled || got.Status != stage.status || got.Attempts != 1 {
					t.Errorf("got %v %q, status %d, %d attempts", got.Failure, got.Error, got.Status, got.Attempts)
				}
				if took := time.Since(start); took != 3*time.Second {
					t.Errorf("took %v, want 3s", took)
				}
			})
		})
	}
	t.Run("while connecting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			stopped := false
			client := clientOf(t, "http://server", Timeouts{}, func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				stopped = true
				return nil, ctx.Err()
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			got := client.Do(ctx, &Request{Stream: true})
			synctest.Wait()
			if got.Failure != Canceled || !stopped {
				t.Errorf("got %v %q; dial stopped: %v", got.Failure, got.Error, stopped)
			}
		})
	})
	t.Run("after [DONE] the reply stands", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client := newPipeClient(t, Timeouts{}, func(conn net.Conn, in *bufio.Reader) {
				readRequest(in)
				say(conn, 0, plainStream, c("a"), finish("stop"), done)
				untilClosed(in)
			})
			ctx, cancel := context.WithTimeout(t.Context(), lingerDone/2)
			defer cancel()
			if got := client.Do(ctx, &Request{Body: []byte(`{}`), Stream: true}); got.Failure != NoFailure {
				t.Errorf("got %v %q", got.Failure, got.Error)
			}
		})
	})
	t.Run("before the call", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := newScripted(t)
		if got := s.client(nil).Do(ctx, &Request{Stream: true}); got.Failure != Canceled {
			t.Errorf("got %v %q", got.Failure, got.Error)
		}
	})
}
