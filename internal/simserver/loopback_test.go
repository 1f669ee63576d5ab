package simserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Over loopback, on the real clock, with real clients in parallel: what the
// race detector is for.
func TestParallelClientsOverTCP(t *testing.T) {
	const clients, rounds = 64, 4
	cfg := Healthy()
	cfg.StepBase, cfg.StepPerSeq, cfg.PrefillRate = 200*time.Microsecond, time.Microsecond, 1e7
	cfg.Slots = 48
	before := runtime.NumGoroutine()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := New(cfg)
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context(), listener) }()
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	r := &rig{T: t, server: server, client: &http.Client{Transport: transport}, base: "http://" + listener.Addr().String()}
	texts := make(chan string, clients*rounds)
	var workers sync.WaitGroup
	for i := range clients {
		workers.Go(func() {
			for round := range rounds {
				f := ask(ids(i*rounds+round, 50+i), 20+round)
				switch round {
				case 1:
					f = whole(f)
				case 2:
					r.leave(f)
					continue
				}
				g := r.post(t.Context(), "/v1/completions", f)
				if g.err != nil || g.prompt != 50+i || g.output != 20+round || g.finish != "length" {
					t.Errorf("client %d, round %d: %v", i, round, g)
				}
				texts <- g.text
			}
		})
	}
	workers.Wait()
	close(texts)
	distinct := map[string]bool{}
	for text := range texts {
		distinct[text] = true
	}
	if want := clients * (rounds - 1); len(distinct) != want {
		t.Errorf("%d different texts, want %d", len(distinct), want)
	}
	transport.CloseIdleConnections()
	server.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// leave sends a request and goes away when the response begins.
func (r *rig) leave(f fields) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	response, err := r.open(ctx, http.MethodPost, "/v1/completions", f.json())
	if err != nil {
		r.Error(err)
		return
	}
	cancel()
	response.Body.Close()
}

func TestDeathResetsTCPConnections(t *testing.T) {
	cfg := Healthy()
	cfg.faults.dieAfter = 1
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	server := New(cfg)
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context(), listener) }()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	r := &rig{T: t, server: server, client: &http.Client{Transport: transport}, base: "http://" + address}
	stream, err := r.open(t.Context(), http.MethodPost, "/v1/completions", ask(ids(1, 10), 30000).json())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if g := r.post(t.Context(), "/v1/completions", ask(ids(2, 10), 10)); g.err == nil {
		t.Errorf("the fatal request got %v", g)
	}
	if _, err := io.Copy(io.Discard, stream.Body); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the open stream ended with %v", err)
	}
	if err := <-served; !errors.Is(err, ErrDied) {
		t.Errorf("serve returned %v", err)
	}
	if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dial gave %v", err)
	}
}
