package simserver

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestFirstTokenTakesPrefillAndOneStep(t *testing.T) {
	for name, prompt := range map[string]int{"one token": 1, "short": 100, "long": 1000, "all of the budget": 8192} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := Healthy()
				r := serve(t, cfg)
				g := r.must(r.post(t.Context(), "/v1/completions", ask(ids(1, prompt), 50)))
				first := cfg.Step(1, prompt)
				if g.ttft != first {
					t.Errorf("TTFT is %v, want %v", g.ttft, first)
				}
				if want := first + 49*cfg.Step(1, 0); g.e2e != want {
					t.Errorf("the last token came after %v, want %v", g.e2e, want)
				}
				if g.prompt != prompt || g.output != 50 || g.events != 50 || g.finish != "length" || !g.done {
					t.Errorf("got %v", g)
				}
			})
		})
	}
}

func TestPromptOverTheBudgetTakesSeveralSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		r := serve(t, cfg)
		g := r.must(r.post(t.Context(), "/v1/completions", ask(ids(1, 20000), 3)))
		if want := 2*cfg.Step(1, 8192) + cfg.Step(1, 20000-2*8192); g.ttft != want {
			t.Errorf("TTFT is %v, want %v", g.ttft, want)
		}
	})
}

func TestPrefillIsPartOfTheStepOfThoseThatDecode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		r := serve(t, cfg)
		first := make(chan got)
		go func() { first <- r.post(t.Context(), "/v1/completions", ask(ids(1, 100), 100)) }()
		time.Sleep(cfg.Step(1, 100) + cfg.Step(1, 0)) // to the beginning of the third step
		second := r.must(r.post(t.Context(), "/v1/completions", ask(ids(2, 6000), 50)))
		if want := cfg.Step(2, 6000); second.ttft != want {
			t.Errorf("TTFT of the second is %v, want %v", second.ttft, want)
		}
		want := cfg.Step(1, 100) + cfg.Step(1, 0) + cfg.Step(2, 6000) + 49*cfg.Step(2, 0) + 48*cfg.Step(1, 0)
		if g := r.must(<-first); g.e2e != want {
			t.Errorf("the first took %v, want %v", g.e2e, want)
		}
	})
}

func TestWhoFindsNoSlotWaitsInsideTTFT(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		cfg.Slots = 2
		r := serve(t, cfg)
		wave := cfg.Step(2, 200) + 9*cfg.Step(2, 0)
		counts := map[time.Duration]int{}
		for _, g := range r.all(6, func(i int) fields { return ask(ids(i, 100), 10) }) {
			counts[r.must(g).ttft]++
		}
		for i := range time.Duration(3) {
			if ttft := i*wave + cfg.Step(2, 200); counts[ttft] != 2 {
				t.Errorf("%d replies began after %v, want 2 (all: %v)", counts[ttft], ttft, counts)
			}
		}
	})
}

func TestWhoFindsNoMemoryWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		cfg.KVCapacity = 3000 // two demands of 1,100, not three
		r := serve(t, cfg)
		late := 0
		for _, g := range r.all(3, func(i int) fields { return ask(ids(i, 1000), 100) }) {
			if r.must(g).ttft > cfg.Step(2, 2000) {
				late++
			}
		}
		if late != 1 {
			t.Errorf("%d requests waited, want 1", late)
		}
	})
}

func TestContextIsWithinTheMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		cfg.KVCapacity = 500 // 31 blocks of 16
		r := serve(t, cfg)
		if g := r.post(t.Context(), "/v1/completions", ask(ids(1, 477), 20)); g.status != http.StatusBadRequest {
			t.Errorf("497 tokens in all got %v", g)
		}
		for _, g := range r.all(2, func(i int) fields { return ask(ids(i, 476), 20) }) {
			if r.must(g).output != 20 {
				t.Errorf("got %v", g)
			}
		}
	})
}

func TestThroughputGrowsWithConcurrency(t *testing.T) {
	for concurrency, want := range map[int]float64{1: 231, 32: 5970, 512: 24000} {
		synctest.Test(t, func(t *testing.T) {
			r := serve(t, Healthy())
			tokens, last := 0, time.Duration(0)
			for _, g := range r.all(concurrency, func(i int) fields { return whole(ask(ids(i, 1000), 1000)) }) {
				tokens += r.must(g).output
				last = max(last, g.e2e)
			}
			if rate := float64(tokens) / last.Seconds(); rate < 0.99*want || rate > 1.01*want {
				t.Errorf("concurrency %d: %.0f tokens a second, want about %.0f", concurrency, rate, want)
			}
		})
	}
}

func TestNextRequestOfALoopKeepsItsPlaceInTheBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		r := serve(t, cfg)
		start := time.Now()
		for i := range 5 {
			r.must(r.post(t.Context(), "/v1/completions", ask(ids(i, 100), 10)))
		}
		if took, want := time.Since(start), 5*(cfg.Step(1, 100)+9*cfg.Step(1, 0)); took != want {
			t.Errorf("five requests took %v, want %v", took, want)
		}
	})
}

func TestPauseBetweenRequestsDoesNotShortenTheFirstToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		r := serve(t, cfg)
		for i, pause := range []time.Duration{0, 1, 100 * time.Microsecond, 537 * time.Microsecond, time.Second} {
			time.Sleep(pause)
			g := r.must(r.post(t.Context(), "/v1/completions", ask(ids(i, 100), 3)))
			if want := cfg.Step(1, 100); g.ttft != want {
				t.Errorf("after a pause of %v the TTFT is %v, want %v", pause, g.ttft, want)
			}
		}
	})
}

func TestDisconnectFreesTheSlotAndTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		cfg.Slots = 1
		r := serve(t, cfg)
		runs, cancelRunning := context.WithCancel(t.Context())
		queues, cancelQueued := context.WithCancel(t.Context())
		gone := make(chan got, 2)
		go func() { gone <- r.post(runs, "/v1/completions", ask(ids(1, 100), 10000)) }()
		synctest.Wait()
		go func() { gone <- r.post(queues, "/v1/completions", ask(ids(2, 100), 10000)) }()
		time.Sleep(time.Second)
		last := make(chan got)
		go func() { last <- r.post(t.Context(), "/v1/completions", ask(ids(3, 100), 10)) }()
		time.Sleep(time.Second)
		cancelQueued()
		cancelRunning()
		g := r.must(<-last)
		earliest := time.Second + cfg.Step(1, 100) - cfg.StepBase/8
		if g.ttft < earliest || g.ttft > earliest+cfg.Step(1, 0) {
			t.Errorf("TTFT is %v, want %v and at most a step more", g.ttft, earliest)
		}
		for range 2 {
			if g := <-gone; g.err == nil {
				t.Errorf("a cancelled request ended well: %v", g)
			}
		}
	})
}

func TestDisconnectedRequestWithoutAStreamFreesTheSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		cfg.Slots = 1
		r := serve(t, cfg)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if g := r.post(ctx, "/v1/completions", whole(ask(ids(1, 100), 20000))); g.err == nil {
			t.Fatalf("it was answered: %v", g)
		}
		if g := r.must(r.post(t.Context(), "/v1/completions", ask(ids(2, 100), 10))); g.ttft > cfg.Step(1, 100)+cfg.Step(1, 0) {
			t.Errorf("TTFT is %v", g.ttft)
		}
	})
}

func TestClientThatDoesNotReadHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		listener := newPipeListener()
		server := New(cfg)
		served := make(chan error, 1)
		go func() { served <- server.Serve(t.Context(), listener) }()
		client := &http.Client{Transport: &http.Transport{DialContext: listener.Dial}}
		r := &rig{T: t, server: server, client: client}

		deaf, cancel := context.WithCancel(t.Context())
		response, err := r.open(deaf, http.MethodPost, "/v1/completions", ask(ids(1, 100), 2000).json())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		g := r.must(r.post(t.Context(), "/v1/completions", ask(ids(2, 100), 20)))
		if want := cfg.Step(2, 100) + 19*cfg.Step(2, 0); g.e2e < want-cfg.Step(2, 0) || g.e2e > want+cfg.Step(2, 0) {
			t.Errorf("the other request took %v, want about %v", g.e2e, want)
		}
		cancel()
		response.Body.Close()
		server.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		client.CloseIdleConnections()
	})
}
