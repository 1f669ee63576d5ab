package chat

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A scripted server writes each step of its script at a moment of a clock that
// only the script moves, and not before the client has read the step before it
// and come back for more. So every stamp is exact, however slow the machine.

// fakeClock shows the moment it was set to.
type fakeClock struct{ now atomic.Int64 }

func newFakeClock() *fakeClock {
	c := new(fakeClock)
	c.set(0)
	return c
}

// set moves the clock to a number of milliseconds after its start.
func (c *fakeClock) set(ms int) { c.now.Store(int64(time.Second) + int64(ms)*int64(time.Millisecond)) }
func (c *fakeClock) Now() Stamp { return Stamp(c.now.Load()) }

// sinceStart is a stamp of a fakeClock in milliseconds after its start.
func sinceStart(s Stamp) int {
	return int((time.Duration(s) - time.Second) / time.Millisecond)
}

// step is one write of the server.
type step struct {
	at   int // milliseconds after the request was written
	data string
}

func at(ms int, data ...string) step { return step{ms, strings.Join(data, "")} }

// ending is how the server ends its response.
type ending uint8

const (
	clean ending = iota // as the framing of the body asks for; the connection is kept
	fin                 // the connection is closed, without the end of the body
	reset               // the connection is reset
)

// script is one response.
type script struct {
	head  string // status line and header; empty: 200, an event stream, chunked
	steps []step
	end   ending
}

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

// head makes a status line and a header.
func head(status string, lines ...string) string {
	return "HTTP/1.1 " + status + "\r\n" + strings.Join(append(lines, "\r\n"), "\r\n")
}

// gate is a client's connection that tells what the client has finished reading.
type gate struct {
	net.Conn
	mu      sync.Mutex
	changed sync.Cond
	read    int64
	settled int64 // bytes read before the client came back for more
}

func newGate(conn net.Conn) *gate {
	g := &gate{Conn: conn}
	g.changed.L = &g.mu
	return g
}

func (g *gate) settle(n int64) {
	g.mu.Lock()
	g.settled = max(g.settled, n)
	g.mu.Unlock()
	g.changed.Broadcast()
}

func (g *gate) Read(p []byte) (int, error) {
	g.settle(g.read)
	n, err := g.Conn.Read(p)
	g.read += int64(n)
	return n, err
}

// SyscallConn lets the client look at the connection below.
func (g *gate) SyscallConn() (syscall.RawConn, error) { return g.Conn.(syscall.Conn).SyscallConn() }

func (g *gate) Close() error {
	g.settle(math.MaxInt64)
	return g.Conn.Close()
}

func (g *gate) wait(n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.settled < n {
		g.changed.Wait()
	}
}

// scripted is a server, and what it saw.
type scripted struct {
	t        *testing.T
	clock    *fakeClock
	listener net.Listener
	gates    sync.Map // the client's end by its local address
	scripts  chan script
	serving  sync.WaitGroup

	mu       sync.Mutex
	accepted int
	requests []*http.Request
	bodies   []string
}

// newScripted starts a server that answers its requests with the scripts in turn.
func newScripted(t *testing.T, scripts ...script) *scripted {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{t: t, clock: newFakeClock(), listener: l, scripts: make(chan script, len(scripts))}
	for _, one := range scripts {
		s.scripts <- one
	}
	s.serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.accepted++
			s.mu.Unlock()
			s.serving.Go(func() { s.serve(conn) })
		}
	})
	return s
}

// client makes a client of the server. Both are closed at the end of the test.
func (s *scripted) client(change func(*Config)) *Client {
	s.t.Helper()
	cfg := Config{BaseURLs: []*url.URL{s.base()}, Clock: s.clock, Dial: s.dial}
	if change != nil {
		change(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		c.Close()
		_ = s.listener.Close()
		s.serving.Wait()
	})
	return c
}

func (s *scripted) base() *url.URL {
	u, err := ParseBaseURL("http://" + s.listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	return u
}

func (s *scripted) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	g := newGate(conn)
	s.gates.Store(conn.LocalAddr().String(), g)
	return g, nil
}

// serve answers requests on one connection.
func (s *scripted) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	written := int64(0)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(req.Body)
		s.mu.Lock()
		s.requests, s.bodies = append(s.requests, req), append(s.bodies, string(body))
		s.mu.Unlock()
		var next script
		select {
		case next = <-s.scripts:
		default:
			s.t.Errorf("the server got a request that it has no script for")
			return
		}
		n, kept := s.answer(conn, written, next)
		if !kept {
			return
		}
		written = n
	}
}

// answer plays one script. written counts what was sent on the connection.
func (s *scripted) answer(conn net.Conn, written int64, one script) (now int64, kept bool) {
	value, _ := s.gates.Load(conn.RemoteAddr().String())
	g := value.(*gate)
	put := func(data string) {
		n, _ := io.WriteString(conn, data)
		written += int64(n)
	}
	if one.head == "" {
		one.head = streamHead
	}
	chunked := strings.Contains(one.head, "chunked")
	if one.head != "none" {
		put(one.head)
	}
	for _, st := range one.steps {
		g.wait(written)
		s.clock.set(st.at)
		if chunked {
			put(fmt.Sprintf("%x\r\n%s\r\n", len(st.data), st.data))
		} else {
			put(st.data)
		}
	}
	switch {
	case one.end == reset:
		g.wait(written)
		_ = conn.(*net.TCPConn).SetLinger(0)
		return written, false
	case one.end == fin:
		return written, false
	case chunked:
		put("0\r\n\r\n")
	}
	return written, true
}

// play sends a streamed request to a server with one script.
func play(t *testing.T, one script) *Reply {
	t.Helper()
	s := newScripted(t, one)
	return s.client(nil).Do(t.Context(), &Request{API: Chat, Body: []byte(`{}`), Stream: true})
}

// stream is a script of a chunked event stream that ends cleanly.
func stream(steps ...step) script { return script{steps: steps} }
