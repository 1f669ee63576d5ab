package chat

import (
	"bufio"
	"context"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inTurn serves the n-th connection with the n-th server.
func inTurn(servers ...pipeServer) pipeServer {
	n := 0
	return func(conn net.Conn, in *bufio.Reader) {
		n++
		servers[n-1](conn, in)
	}
}

// refusing answers one request with a status and closes the connection.
func refusing(after time.Duration, status string, lines ...string) pipeServer {
	return func(conn net.Conn, in *bufio.Reader) {
		readRequest(in)
		say(conn, after, head(status, append(lines, "Connection: close", "Content-Length: 0")...))
	}
}

// answering streams a good reply, whose first token comes after a time.
func answering(after time.Duration) pipeServer {
	return func(conn net.Conn, in *bufio.Reader) {
		readRequest(in)
		say(conn, after, plainStream+c("a")+finish("stop")+done)
	}
}

func hangUp(_ net.Conn, in *bufio.Reader) { readRequest(in) }

func TestRetries(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		name     string
		retries  int
		limits   Timeouts
		servers  []pipeServer
		failure  Failure
		error    string
		attempts int
		first    Failure
		took     time.Duration
		notes    []string
	}{
		{
			name:     "none unless asked for",
			servers:  []pipeServer{refusing(10*ms, "429 Too Many Requests", "Retry-After: 1")},
			failure:  HTTPError,
			error:    "HTTP 429 Too Many Requests",
			attempts: 1, took: 10 * ms,
		},
		{
			name: "after the time the server asks for", retries: 1,
			servers:  []pipeServer{refusing(10*ms, "429 Too Many Requests", "Retry-After: 1"), answering(100 * ms)},
			attempts: 2, first: HTTPError, took: 1110 * ms,
		},
		{
			name: "at the date the server asks for", retries: 1,
			servers:  []pipeServer{refusing(0, "503 Service Unavailable", "Retry-After: Sat, 01 Jan 2000 00:00:07 GMT"), answering(0)},
			attempts: 2, first: HTTPError, took: 7 * time.Second,
		},
		{
			name: "waits of our own grow", retries: 3,
			servers:  []pipeServer{hangUp, refusing(0, "502 Bad Gateway"), refusing(0, "504 Gateway Timeout"), answering(0)},
			attempts: 4, first: StreamBroken, took: 7 * time.Second,
		},
		{
			name: "the last attempt counts", retries: 1,
			servers: []pipeServer{refusing(0, "503 Service Unavailable"), refusing(0, "429 Too Many Requests")},
			failure: HTTPError, error: "HTTP 429", attempts: 2, first: HTTPError, took: time.Second,
		},
		{
			name: "not on other statuses", retries: 3,
			servers: []pipeServer{refusing(0, "500 Internal Server Error")},
			failure: HTTPError, error: "HTTP 500", attempts: 1,
		},
		{
			name: "not on a broken stream", retries: 3,
			servers: []pipeServer{func(conn net.Conn, in *bufio.Reader) { readRequest(in); say(conn, 0, plainStream+c("a")) }},
			failure: StreamBroken, error: "ended early", attempts: 1,
		},
		{
			name: "a connection lost in the header is not repeated", retries: 3,
			servers: []pipeServer{func(conn net.Conn, in *bufio.Reader) { readRequest(in); say(conn, 0, "HTTP/1.1 200") }},
			failure: StreamBroken, error: "closed", attempts: 1,
		},
		{
			name: "not beyond the time of the request", retries: 3, limits: Timeouts{Request: time.Minute},
			servers: []pipeServer{refusing(0, "429 Too Many Requests", "Retry-After: 3600")},
			failure: HTTPError, error: "HTTP 429", attempts: 1,
			notes: []string{"not tried again: the wait of 1h is beyond the time the request has"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := newPipeClient(t, tt.limits, inTurn(tt.servers...))
				start := client.clock.Now()
				got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true, Retries: tt.retries})
				if got.Failure != tt.failure || !strings.Contains(got.Error, tt.error) {
					t.Errorf("got %v %q, want %v %q", got.Failure, got.Error, tt.failure, tt.error)
				}
				if got.Attempts != tt.attempts || got.Reconnects != 0 || got.Written != start {
					t.Errorf("%d attempts, %d reconnects, written at %v, want %d, 0, %v", got.Attempts, got.Reconnects, got.Written, tt.attempts, start)
				}
				if got.FirstFailure != tt.first || (got.FirstError != "") != (tt.first != NoFailure) {
					t.Errorf("the first attempt: %v %q, want %v", got.FirstFailure, got.FirstError, tt.first)
				}
				if took := since(got, got.Closed); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				for _, e := range got.Events {
					if since(got, e.At) != tt.took {
						t.Errorf("first token after %v, want %v", since(got, e.At), tt.took)
					}
				}
				checkNotes(t, got.Notes, tt.notes...)
			})
		})
	}
}

func TestRetryAfterAFailedConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		client := clientOf(t, "http://server", Timeouts{}, func(context.Context, string, string) (net.Conn, error) {
			tries++
			return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 80}, Err: syscall.ECONNREFUSED}
		})
		got := client.Do(t.Context(), &Request{Retries: 2})
		if want := "cannot connect to 10.0.0.1:80: connection refused"; got.Failure != ConnectError || got.Error != want || tries != 3 {
			t.Errorf("got %v %q after %d tries, want %q", got.Failure, got.Error, tries, want)
		}
	})
}

func TestALongWaitIsNotForTheImpatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Timeouts{}, inTurn(
			refusing(0, "429 Too Many Requests", "Retry-After: 10"), refusing(0, "429 Too Many Requests", "Retry-After: 11"), answering(0)))
		start := time.Now()
		got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true, Retries: 5, MaxRetryWait: 10 * time.Second})
		if got.Failure != HTTPError || got.Attempts != 2 || time.Since(start) != 10*time.Second {
			t.Errorf("got %v after %d attempts and %v", got.Failure, got.Attempts, time.Since(start))
		}
	})
}

func TestCancelWhileWaitingToTryAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Timeouts{}, refusing(0, "429 Too Many Requests", "Retry-After: 60"))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		got := client.Do(ctx, &Request{Body: []byte(`{}`), Retries: 1})
		if got.Failure != Canceled || !strings.Contains(got.Error, "HTTP 429") || time.Since(start) != time.Second {
			t.Errorf("got %v %q after %v", got.Failure, got.Error, time.Since(start))
		}
	})
}

func TestRetryWait(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var got []time.Duration
	for _, after := range []string{"", "5", " 2 ", "1.5", "0", "-3", "soon", "1e12", "NaN", "Thu, 01 Jan 2026 00:01:00 GMT", "Thu, 01 Jan 2015 00:01:00 GMT"} {
		got = append(got, retryWait(after, 3, now))
	}
	s := time.Second
	want := []time.Duration{4 * s, 5 * s, 2 * s, 1500 * time.Millisecond, 0, 4 * s, 4 * s, 4 * s, 4 * s, time.Minute, 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	if w := retryWait("", 1000, now); w != maxWait {
		t.Errorf("the thousandth wait is %v, want %v", w, maxWait)
	}
}
