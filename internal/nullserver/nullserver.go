// Package nullserver is a server that does nothing, at an exact pace: it answers
// every completion with a stream of events whose texts are the moments they were
// written at. It is what a client is tried and measured against: whatever differs
// between those moments and the client's is the client's own error.
//
// In goes a Config; out comes a listening Server. It speaks just enough HTTP/1.1
// for one client, and is no LLM server.
package nullserver

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// Config is the pace of a server's streams.
type Config struct {
	Events   int           // events of each stream
	Interval time.Duration // between two events of a stream; 0: as fast as they can be written
	First    time.Duration // from the request to the first event, at the least
	Burst    bool          // all streams tick together, as a batching engine makes them; else their phases are spread
	PerWrite int           // events in one write; 0 is 1

	// Exact keeps to the pace within microseconds, not within a millisecond. It is
	// for a server that has a process of its own: the pacer keeps others from
	// running while it sleeps.
	Exact bool
}

// Server serves streams until it is closed.
type Server struct {
	config   Config
	listener net.Listener
	work     sync.WaitGroup
	stop     chan struct{}

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]bool
	begun  []*stream // that the pacer has not taken over yet
	served int       // streams so far
	wake   chan struct{}
}

// Start serves on a free port of the loopback interface.
func Start(config Config) (*Server, error) {
	listen := net.ListenConfig{Control: prepareListener}
	l, err := listen.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	config.PerWrite = max(1, config.PerWrite)
	s := &Server{config: config, listener: l, stop: make(chan struct{}), conns: map[net.Conn]bool{}, wake: make(chan struct{}, 1)}
	s.work.Go(s.accept)
	if config.Interval > 0 {
		s.work.Go(s.pace)
	}
	return s, nil
}

// URL is the server's base URL.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/v1" }

// Close ends the server and everything that is under way.
func (s *Server) Close() {
	close(s.stop)
	s.listener.Close()
	s.mu.Lock()
	s.closed = true
	for conn := range s.conns {
		conn.Close()
	}
	s.mu.Unlock()
	s.work.Wait()
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			conn.Close()
		}
		s.conns[conn] = true
		s.mu.Unlock()
		s.work.Go(func() { s.serve(conn) })
	}
}

// serve answers the requests of one connection.
func (s *Server) serve(conn net.Conn) {
	defer func() {
		conn.Close()
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	}()
	arrivals := newArrivals(conn)
	in := bufio.NewReaderSize(arrivals, 1<<10)
	for readRequest(in) {
		now := Now()
		if _, err := io.WriteString(conn, head); err != nil {
			return
		}
		st := &stream{conn: conn, events: s.config.Events, left: s.config.Events, request: arrivals.last, ended: make(chan struct{})}
		if s.config.Interval == 0 {
			for st.left > 0 {
				if !st.tick(s.config.PerWrite) {
					return
				}
			}
			continue
		}
		s.hand(st, now)
		select {
		case <-st.ended:
		case <-s.stop:
			return
		}
	}
}

// readRequest reads a request to its end.
func readRequest(in *bufio.Reader) bool {
	length := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return false
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			break
		}
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(name, []byte("content-length")) {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
	}
	_, err := in.Discard(length)
	return err == nil
}
