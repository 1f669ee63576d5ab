package simserver

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestKnownPrefixIsReportedInWholeBlocksAndNotComputed(t *testing.T) {
	base := ids(1, 1024)
	for _, c := range []struct {
		name   string
		prompt []int
		cached int
	}{
		{"the same prompt", base, 1008}, // the last block holds the last token
		{"a block and a token", base[:17], 16},
		{"a block", base[:16], 0},
		{"a longer one", append(append([]int{}, base...), ids(2, 100)...), 1024},
		{"one that leaves it in a block's middle", append(append([]int{}, base[:500]...), ids(3, 500)...), 496},
		{"another", ids(4, 1000), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := Healthy()
				r := serve(t, cfg)
				if g := r.must(r.post(t.Context(), "/v1/completions", ask(base, 5))); g.cached != 0 {
					t.Errorf("the first request found %d tokens cached", g.cached)
				}
				g := r.must(r.post(t.Context(), "/v1/completions", ask(c.prompt, 5)))
				if want := cfg.Step(1, len(c.prompt)-c.cached); g.cached != c.cached || g.ttft != want {
					t.Errorf("%d tokens cached and %v to the first, want %d and %v", g.cached, g.ttft, c.cached, want)
				}
				if g.prompt != len(c.prompt) {
					t.Errorf("%d prompt tokens, want %d", g.prompt, len(c.prompt))
				}
			})
		})
	}
}

func TestNextTurnFindsTheLastReplyCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		messages := []fields{{"role": "user", "content": "Tell me about the harbor and the lighthouse near it."}}
		chat := fields{"messages": messages, "max_tokens": 400, "ignore_eos": true, "temperature": 0}
		first := r.must(r.post(t.Context(), "/v1/chat/completions", chat))
		chat["messages"] = append(messages, fields{"role": "assistant", "content": first.text},
			fields{"role": "user", "content": "And then?"})
		second := r.must(r.post(t.Context(), "/v1/chat/completions", chat))
		if want := (first.prompt + first.output - 1) / 16 * 16; second.cached != want {
			t.Errorf("%d of %d prompt tokens are cached, want %d", second.cached, second.prompt, want)
		}
	})
}

func TestCacheCanBeOffOrKeptFromUsage(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		cached int
		prompt int // computed
	}{
		"off":          {func(c *Config) { c.PrefixCache = false }, 0, 1000},
		"not reported": {func(c *Config) { c.ReportCached = false }, -1, 8},
		"other blocks": {func(c *Config) { c.BlockSize = 128 }, 896, 104},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := Healthy()
				c.change(&cfg)
				r := serve(t, cfg)
				r.must(r.post(t.Context(), "/v1/completions", ask(ids(1, 1000), 5)))
				for _, again := range []fields{ask(ids(1, 1000), 1), whole(ask(ids(1, 1000), 1))} {
					g := r.must(r.post(t.Context(), "/v1/completions", again))
					if g.cached != c.cached {
						t.Errorf("%d cached tokens reported, want %d", g.cached, c.cached)
					}
					if want := cfg.Step(1, c.prompt); g.e2e != want {
						t.Errorf("its token came after %v, want %v", g.e2e, want)
					}
				}
			})
		})
	}
}

// compute lets a sequence come, find what it can, compute the rest and go.
func compute(p *blockPool, chain []uint64) {
	known, _ := p.match(chain)
	held := p.take(p.share(nil, chain[:known]), len(chain)-known)
	for i, b := range held {
		p.learn(b, chain[i])
	}
	p.release(held)
}

func TestPoolForgetsTheLeastRecentlyUsed(t *testing.T) {
	chains := make([][]uint64, 3)
	for i := range chains {
		chains[i] = chainBlocks(nil, []int32{int32(i), 2, 3, 4, 5, 6, 7, 8, 9}, 2)
	}
	for _, c := range []struct {
		name  string
		use   []int // chains, in order of computing
		known []int // blocks known of each afterwards
	}{
		{"room for all", []int{0, 1}, []int{4, 4, 0}},
		{"the oldest goes, its end first", []int{0, 1, 2}, []int{2, 4, 4}},
		{"what was used stays", []int{0, 1, 0, 2}, []int{4, 2, 4}},
	} {
		pool := newBlockPool(10)
		for _, i := range c.use {
			compute(pool, chains[i])
		}
		known := make([]int, len(chains))
		for i, chain := range chains {
			known[i], _ = pool.match(chain)
		}
		if diff := cmp.Diff(c.known, known); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestPoolCountsASharedBlockOnce(t *testing.T) {
	pool := newBlockPool(10)
	chain := chainBlocks(nil, make([]int32, 8), 2)
	compute(pool, chain)
	if pool.free() != 10 {
		t.Fatalf("%d blocks are free when nobody holds any", pool.free())
	}
	first, second := pool.share(nil, chain), pool.share(nil, chain)
	if _, free := pool.match(chain); pool.free() != 6 || free != 0 {
		t.Errorf("%d blocks are free and %d of the shared ones, want 6 and 0", pool.free(), free)
	}
	pool.release(first)
	if pool.free() != 6 {
		t.Errorf("%d blocks are free while one user is left, want 6", pool.free())
	}
	pool.release(pool.take(nil, 6)) // may not touch what the second user holds
	if known, _ := pool.match(chain); known != 4 {
		t.Errorf("%d blocks are known, want all 4", known)
	}
	pool.forget()
	if known, _ := pool.match(chain); known != 4 {
		t.Error("blocks were forgotten while they were held")
	}
	pool.release(second)
	pool.forget()
	if known, _ := pool.match(chain); known != 0 || pool.free() != 10 {
		t.Errorf("%d blocks are known and %d free after forgetting", known, pool.free())
	}
	compute(pool, chain)
	if known, _ := pool.match(chain); known != 4 {
		t.Errorf("%d blocks are known of those computed since, want 4", known)
	}
}

func TestBlocksAreKnownByAllThatStandsBeforeThem(t *testing.T) {
	whole := []int32{1, 2, 1, 2, 1, 2, 3}
	chain := chainBlocks(nil, whole, 2)
	seen := map[uint64]bool{}
	for _, hash := range chain {
		seen[hash] = true
	}
	if len(chain) != 3 || len(seen) != 3 {
		t.Errorf("the chain is %v", chain)
	}
	if diff := cmp.Diff(chain, chainBlocks(chain[:1:1], whole[2:], 2)); diff != "" {
		t.Errorf("a chain that is continued differs:\n%s", diff)
	}
}
