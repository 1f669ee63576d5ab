package chat

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"
)

// The servers here sit at the other end of a net.Pipe, for tests in the bubble of
// testing/synctest, where time passes only when everyone waits.

// pipeServer answers the requests on one connection.
type pipeServer func(conn net.Conn, in *bufio.Reader)

// newPipeClient makes a client whose every connection is served by server. The
// bubble does not end before all that it started has.
func newPipeClient(t *testing.T, limits Timeouts, server pipeServer) *Client {
	t.Helper()
	base, err := ParseBaseURL("http://server")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	c, err := New(Config{
		BaseURLs: []*url.URL{base},
		Timeouts: limits,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			client, conn := net.Pipe()
			serving.Go(func() {
				defer conn.Close()
				server(conn, bufio.NewReader(conn))
			})
			return client, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		serving.Wait()
	})
	return c
}

// readRequest reads one request with its body.
func readRequest(in *bufio.Reader) bool {
	req, err := http.ReadRequest(in)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err == nil
}

// untilClosed waits until the client closes the connection.
func untilClosed(in *bufio.Reader) { _, _ = io.Copy(io.Discard, in) }

// say writes pieces with a pause before each.
func say(conn net.Conn, pause time.Duration, pieces ...string) {
	for _, p := range pieces {
		time.Sleep(pause)
		if _, err := io.WriteString(conn, p); err != nil {
			return
		}
	}
}

// plainStream is the header of an event stream that ends with its connection.
var plainStream = head("200 OK", "Content-Type: text/event-stream", "Connection: close")

// since is how long after the request's write a stamp is.
func since(r *Reply, s Stamp) time.Duration { return s.Sub(r.Written) }
