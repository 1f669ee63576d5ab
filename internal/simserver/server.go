// Package simserver is a simulated LLM deployment. A Config goes in, one that is
// Healthy or one with a Persona's fault; out comes a server that behaves like
// vLLM on the wire and in time: requests queue for slots and KV memory, prompts
// are computed in chunks, running sequences get a token per step, prefixes are
// cached, and when memory runs out the last sequence is preempted. Nothing is computed; time is all that it spends, so it runs under
// testing/synctest as well as on a real clock, over a Listener in memory as well
// as over TCP.
package simserver

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ErrDied is what Serve returns when the server died of its persona's fault.
var ErrDied = errors.New("the simulated server died")

// ErrServed is what a second call of Serve returns.
var ErrServed = errors.New("a simulated server serves once")

// keepAlive is how long an idle connection stays open, as under vLLM.
const keepAlive = 5 * time.Second

// A Server is one simulated deployment. Under testing/synctest it must be made
// inside the bubble.
type Server struct {
	cfg         Config
	fingerprint string
	tokenizer   *tokenizer
	lexicon     *lexicon
	model       model
	engine      *engine
	http        *http.Server

	requests atomic.Int64 // valid generation requests so far
	inFlight atomic.Int64
	died     atomic.Bool

	mu      sync.Mutex
	serving bool
	conns   map[net.Conn]bool
	open    sync.WaitGroup // one for each of conns
	quit    chan struct{}  // closed when the server is to end
	quitted bool
	done    chan struct{} // closed when Serve has returned
}

// New returns a server that is not serving yet.
func New(cfg Config) *Server {
	s := &Server{
		cfg:       cfg.complete(),
		tokenizer: newTokenizer(),
		conns:     make(map[net.Conn]bool),
		quit:      make(chan struct{}),
		done:      make(chan struct{}),
	}
	s.cfg.Vocabulary = max(s.cfg.Vocabulary, s.tokenizer.size())
	s.lexicon = newLexicon(s.tokenizer)
	s.model = model{s.lexicon, s.tokenizer}
	s.engine = newEngine(&s.cfg)
	s.fingerprint = s.cfg.fingerprint()
	s.http = &http.Server{
		Handler:     s.handler(),
		ConnState:   s.track,
		IdleTimeout: keepAlive,
		ErrorLog:    log.New(io.Discard, "", 0), // broken connections are a client's everyday
	}
	return s
}

// fingerprint names the configuration, the way that an engine's names its own.
func (c Config) fingerprint() string {
	c.APIKey, c.faults = "", faults{} // what no engine would tell
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%+v", c)
	return fmt.Sprintf("sim-%s-%08x", c.Version, hash.Sum32())
}

// Serve answers connections until ctx ends or Close is called, and then returns
// nil. It returns ErrDied when the persona's fault ended it, and the listener's
// error when that failed first. By then the listener is closed, all streams are
// cut, and every goroutine it started has ended. A server serves once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if err := s.start(); err != nil {
		l.Close()
		return err
	}
	defer close(s.done)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }

	var workers sync.WaitGroup
	workers.Go(func() { s.engine.run(ctx) })
	workers.Go(func() {
		select {
		case <-ctx.Done():
		case <-s.quit:
		}
		s.http.Close()
	})
	err := s.http.Serve(l)
	cancel()
	s.http.Close()
	s.open.Wait()
	workers.Wait()
	switch {
	case s.died.Load():
		return ErrDied
	case errors.Is(err, http.ErrServerClosed):
		return nil
	}
	return err
}

// start claims the one time that the server serves.
func (s *Server) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.serving {
		return ErrServed
	}
	s.serving = true
	return nil
}

// Close ends the server: the listener closes and streams are cut. It returns
// when Serve has. A server that was closed before it served returns from Serve
// at once.
func (s *Server) Close() {
	s.mu.Lock()
	serving := s.serving
	s.endLocked()
	s.mu.Unlock()
	if serving {
		<-s.done
	}
}

func (s *Server) endLocked() {
	if !s.quitted {
		s.quitted = true
		close(s.quit)
	}
}

// die ends the server as a crash does: connections are reset and new ones
// refused.
func (s *Server) die() {
	s.died.Store(true)
	s.mu.Lock()
	for conn := range s.conns {
		if c, ok := conn.(interface{ SetLinger(seconds int) error }); ok {
			_ = c.SetLinger(0) // an error says that the connection is closed already
		}
	}
	s.endLocked()
	s.mu.Unlock()
	s.http.Close()
}

// track keeps account of the open connections.
func (s *Server) track(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns[conn] = true
		s.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		if s.conns[conn] {
			delete(s.conns, conn)
			s.open.Done()
		}
	}
}
