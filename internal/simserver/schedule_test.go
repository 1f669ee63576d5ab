package simserver

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

func TestLastSequenceIsPreemptedAndComputedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		cache bool
		again int // tokens computed again
	}{
		"with nothing left of it":   {false, 161},
		"with what the cache keeps": {true, 161 - 7*16}, // of its ten blocks the other needed three
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := Healthy()
				cfg.KVCapacity, cfg.PrefixCache = 320, c.cache // 20 blocks; at 160 tokens each, all are taken
				r := serve(t, cfg)
				alone := cfg.Step(2, 200) + 60*cfg.Step(2, 0) + 39*cfg.Step(1, 0)
				after := alone + cfg.Step(1, c.again) + 38*cfg.Step(1, 0)
				seen := map[time.Duration]int{}
				for _, g := range r.all(2, func(i int) fields { return ask(ids(i, 100), 100) }) {
					seen[r.must(g).e2e]++
					if g.output != 100 || g.events != 100 || g.cached != 0 || g.ttft != cfg.Step(2, 200) {
						t.Errorf("got %v", g)
					}
				}
				if seen[alone] != 1 || seen[after] != 1 {
					t.Errorf("they took %v, want %v and %v", seen, alone, after)
				}
				counts := r.gauges("num_preemptions_total", "prompt_tokens_total", "generation_tokens_total", "kv_cache_usage_perc")
				want := map[string]float64{"num_preemptions_total": 1, "prompt_tokens_total": 200, "generation_tokens_total": 200, "kv_cache_usage_perc": 0}
				for metric, value := range want {
					if counts[metric] != value {
						t.Errorf("%s is %v, want %v", metric, counts[metric], value)
					}
				}
			})
		})
	}
}

func TestPreemptionChangesNoText(t *testing.T) {
	const requests = 30
	dice := rand.New(rand.NewPCG(1, 2))
	var asks []fields
	for i := range requests {
		prompt := append(ids(i%4, 16*dice.IntN(20)), ids(100+i, 1+dice.IntN(300))...) // beginnings are shared
		asks = append(asks, ask(prompt, 1+dice.IntN(200)))
	}
	texts := make([]string, requests)
	for _, capacity := range []int{1 << 20, 2048, 1024} {
		synctest.Test(t, func(t *testing.T) {
			cfg := Healthy()
			cfg.KVCapacity, cfg.Slots, cfg.PrefillBudget = capacity, 16, 512
			r := serve(t, cfg)
			for range 8 { // give up at some moment
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(dice.IntN(3000))*time.Millisecond)
				defer cancel()
				go r.post(ctx, "/v1/completions", ask(ids(1000+dice.IntN(1000), 200), 500))
			}
			done := make(chan []got)
			go func() { done <- r.all(requests, func(i int) fields { return asks[i] }) }()
			var replies []got
			for replies == nil {
				select {
				case replies = <-done:
				case <-time.After(7 * time.Millisecond):
					now := r.gauges("num_requests_running", "kv_cache_usage_perc")
					if now["num_requests_running"] > 16 || now["kv_cache_usage_perc"] > 1 || now["kv_cache_usage_perc"] < 0 {
						t.Fatalf("%v", now)
					}
				}
			}
			for i, g := range replies {
				if r.must(g); texts[i] == "" {
					texts[i] = g.text
				}
				if g.text != texts[i] || g.output != asks[i]["max_tokens"] {
					t.Errorf("capacity %d, request %d: %v, %q, want %q", capacity, i, g, g.text, texts[i])
				}
			}
			time.Sleep(5 * time.Second) // the last have given up
			now := r.gauges("num_requests_running", "num_requests_waiting", "kv_cache_usage_perc", "num_preemptions_total")
			if now["num_requests_running"]+now["num_requests_waiting"]+now["kv_cache_usage_perc"] != 0 {
				t.Errorf("left over: %v", now)
			}
			if scarce := capacity < 1<<20; scarce != (now["num_preemptions_total"] > 0) {
				t.Errorf("capacity %d: %v preemptions", capacity, now["num_preemptions_total"])
			}
		})
	}
}

func TestPromptsBeyondTheBudgetWaitInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		cfg.PrefillBudget = 250
		r := serve(t, cfg)
		done := make(chan []got)
		go func() { done <- r.all(4, func(i int) fields { return ask(ids(i, 100), 5) }) }()
		time.Sleep(cfg.StepBase / 2)
		now := r.gauges("num_requests_running", "num_requests_waiting")
		if now["num_requests_running"] != 3 || now["num_requests_waiting"] != 1 {
			t.Errorf("in the first step: %v", now)
		}
		counts := map[time.Duration]int{}
		for _, g := range <-done {
			counts[r.must(g).ttft]++
		}
		first := cfg.Step(3, 250)
		if counts[first] != 2 || counts[first+cfg.Step(4, 150)] != 2 {
			t.Errorf("first tokens after %v", counts)
		}
	})
}
