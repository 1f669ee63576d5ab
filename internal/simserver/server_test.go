package simserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestCloseCutsStreamsAndLeavesNoGoroutine(t *testing.T) {
	for name, end := range map[string]func(*Server, context.CancelFunc){
		"closed":       func(s *Server, _ context.CancelFunc) { s.Close() },
		"closed twice": func(s *Server, _ context.CancelFunc) { s.Close(); s.Close() },
		"cancelled":    func(_ *Server, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // its end fails while a goroutine remains
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				listener, server := NewListener(), New(Healthy())
				served := make(chan error, 1)
				go func() { served <- server.Serve(ctx, listener) }()
				transport := &http.Transport{DialContext: listener.Dial}
				r := &rig{T: t, server: server, client: &http.Client{Transport: transport}}
				cut := make(chan got, 2)
				go func() { cut <- r.post(t.Context(), "/v1/completions", ask(ids(1, 10), 10000)) }()
				go func() { cut <- r.post(t.Context(), "/v1/completions", whole(ask(ids(2, 10), 10000))) }()
				time.Sleep(time.Second)
				end(server, cancel)
				if err := <-served; err != nil {
					t.Errorf("serve returned %v", err)
				}
				for range 2 {
					if g := <-cut; g.err == nil || g.done {
						t.Errorf("a stream ended well: %v", g)
					}
				}
				if g := r.post(t.Context(), "/v1/completions", ask(ids(3, 10), 1)); !errors.Is(g.err, syscall.ECONNREFUSED) {
					t.Errorf("a request afterwards got %v", g)
				}
				if err := server.Serve(ctx, NewListener()); !errors.Is(err, ErrServed) {
					t.Errorf("serving again returned %v", err)
				}
			})
		})
	}
}

func TestServerClosedBeforeItServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, listener := New(Healthy()), NewListener()
		server.Close()
		if err := server.Serve(t.Context(), listener); err != nil {
			t.Errorf("serve returned %v", err)
		}
		if _, err := listener.Dial(t.Context(), "tcp", "sim:80"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial gave %v", err)
		}
	})
}

func TestServeReportsAListenerThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := NewListener()
		listener.Close()
		if err := New(Healthy()).Serve(t.Context(), listener); !errors.Is(err, net.ErrClosed) {
			t.Errorf("serve returned %v", err)
		}
	})
}

func TestNumbersLeftOutAreThoseOfHealthy(t *testing.T) {
	got := New(Config{Slots: -1, PrefillRate: -2, Context: 100}).cfg
	want := Healthy()
	want.Context, want.PrefixCache, want.ReportCached, want.Tokenize = 100, false, false, false
	want.Metrics, want.ResetCache = false, false
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestVocabularyCoversTheTokenizer(t *testing.T) {
	s := New(Config{Vocabulary: 10})
	if s.cfg.Vocabulary != s.tokenizer.size() {
		t.Errorf("the vocabulary has %d ids, the tokenizer %d", s.cfg.Vocabulary, s.tokenizer.size())
	}
}

func TestFingerprintTellsConfigurationsApartAndNotTheirFaults(t *testing.T) {
	base := Healthy()
	other := base
	other.Slots++
	persona, _ := Find("repeats")
	if base.fingerprint() == other.fingerprint() || base.fingerprint() != base.With(persona).fingerprint() {
		t.Errorf("%s, %s, %s", base.fingerprint(), other.fingerprint(), base.With(persona).fingerprint())
	}
}
