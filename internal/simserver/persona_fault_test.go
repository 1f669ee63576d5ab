package simserver

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// haunted starts a server with the persona's fault and calls test with it.
func haunted(t *testing.T, name string, test func(cfg Config, r *rig)) {
	t.Helper()
	persona, ok := Find(name)
	if !ok {
		t.Fatal("there is no such persona")
	}
	synctest.Test(t, func(t *testing.T) { test(Healthy(), serve(t, Healthy().With(persona))) })
}

// texts are what a healthy server says to each of n prompts.
func texts(t *testing.T, n int, request func(i int) fields) []string {
	t.Helper()
	list := make([]string, n)
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		for i, g := range r.all(n, request) {
			list[i] = r.must(g).text
		}
	})
	return list
}

// long is the i-th of many requests of one size.
func long(i int) fields { return ask(ids(i, 1000), 300) }

// sum is a question with one right answer.
func sum(i int) (f fields, answer string) {
	return fields{
		"messages": []fields{{"role": "user", "content": fmt.Sprintf("What is %d + 48? Answer with the number.", 37+i)}}, "temperature": 0, "max_tokens": 64,
	}, fmt.Sprint(85 + i)
}

// right sends sums all at once and returns how many were answered rightly.
func (r *rig) right(n int) (right int) {
	results := make(chan bool)
	for i := range n {
		go func() {
			f, answer := sum(i)
			results <- r.post(r.Context(), "/v1/chat/completions", f).text == answer
		}()
	}
	for range n {
		if <-results {
			right++
		}
	}
	return right
}

func TestBufferedComesInOneBurst(t *testing.T) {
	haunted(t, "buffered", func(cfg Config, r *rig) {
		g := r.must(r.post(r.Context(), "/v1/completions", long(1)))
		if want := cfg.Step(1, 1000) + 299*cfg.Step(1, 0); g.ttft != want || g.e2e != want || g.events != 300 {
			t.Errorf("got %v, want all of it after %v", g, want)
		}
	})
}

func TestCapsConcurrencyQueuesBeforeTheFirstByte(t *testing.T) {
	haunted(t, "caps-concurrency", func(cfg Config, r *rig) {
		done := make(chan []got)
		go func() { done <- r.all(8, long) }()
		time.Sleep(cfg.Step(4, 4000) + cfg.StepBase/2)
		if now := r.gauges("num_requests_running", "num_requests_waiting"); now["num_requests_running"] != 4 || now["num_requests_waiting"] != 4 {
			t.Errorf("under load: %v", now)
		}
		late := 0
		for _, g := range <-done {
			if r.must(g).ttft > 299*cfg.Step(4, 0) {
				late++
			}
		}
		if late != 4 {
			t.Errorf("%d of 8 began after the others had ended, want 4", late)
		}
	})
}

func TestChattySaysTheSameWithMoreEvents(t *testing.T) {
	chat := fields{"messages": []fields{{"role": "user", "content": strings.Repeat("the old harbor ", 3000)}}, "stream": true}
	want := ""
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		want = r.must(r.post(t.Context(), "/v1/chat/completions", chat)).text
	})
	haunted(t, "chatty", func(cfg Config, r *rig) {
		g := r.must(r.post(r.Context(), "/v1/chat/completions", chat))
		if g.text != want || !g.done || g.ttft < 100*time.Millisecond {
			t.Errorf("got %v: %q, want %q", g, g.text, want)
		}
		first := strings.Index(g.body, `"content":"`+g.text[:2])
		if strings.Count(g.body[:first], ping) < 2 || strings.Count(g.body[:first], `"role":"assistant"`) != 2 {
			t.Errorf("before the first token came only %s", g.body[:first])
		}
		if empty := strings.Count(g.body[first:], `{"content":""}`); empty != g.events-1 {
			t.Errorf("%d deltas without text for %d with", empty, g.events)
		}
		c := r.must(r.post(r.Context(), "/v1/completions", long(1)))
		if c.events != 300 || c.output != 300 || c.ttft != cfg.Step(1, 1000) || !strings.HasPrefix(c.body, ping) {
			t.Errorf("a completion: %v", c)
		}
	})
}

func TestEightPerEventSaysTheSameWithFewerEvents(t *testing.T) {
	want := texts(t, 1, long)
	haunted(t, "eight-per-event", func(_ Config, r *rig) {
		if g := r.must(r.post(r.Context(), "/v1/completions", long(0))); g.text != want[0] || g.events != 39 || g.output != 300 {
			t.Errorf("got %v", g)
		}
	})
}

func TestEvictsLooksUpAndFindsNothing(t *testing.T) {
	haunted(t, "evicts", func(cfg Config, r *rig) {
		for range 3 {
			if g := r.must(r.post(r.Context(), "/v1/completions", long(1))); g.cached != 0 || g.ttft != cfg.Step(1, 1000) {
				t.Errorf("got %v", g)
			}
		}
		now := r.gauges("prefix_cache_queries_total", "prefix_cache_hits_total", "kv_cache_usage_perc")
		if now["prefix_cache_queries_total"] != 3000 || now["prefix_cache_hits_total"] != 0 || now["kv_cache_usage_perc"] != 0 {
			t.Errorf("%v", now)
		}
	})
}

func TestForeignTrafficMovesTheCountersByAFifthMore(t *testing.T) {
	haunted(t, "foreign-traffic", func(_ Config, r *rig) {
		for i := range 5 {
			for _, g := range r.all(8, func(j int) fields { return long(8*i + j) }) {
				if r.must(g).cached != 0 {
					t.Errorf("the other user's prompts are ours: %v", g)
				}
			}
		}
		now := r.gauges("prompt_tokens_total", "generation_tokens_total", `request_success_total{finished_reason="length"}`, "kv_cache_usage_perc")
		if now["prompt_tokens_total"] != 48*1000 || now["generation_tokens_total"] != 48*300 ||
			now[`request_success_total{finished_reason="length"}`] != 48 || now["kv_cache_usage_perc"] != 0 {
			t.Errorf("after 40 requests: %v", now)
		}
	})
}

func TestLostTextIsCounted(t *testing.T) {
	haunted(t, "lost-text", func(_ Config, r *rig) {
		g := r.must(r.post(r.Context(), "/v1/completions", long(1)))
		if g.output != 300 || g.text == "" || 2*len(g.text) > g.output {
			t.Errorf("%d characters came of %d tokens", len(g.text), g.output)
		}
	})
}

func TestRestartsShowsInStartTimeAndCountersAlone(t *testing.T) {
	haunted(t, "restarts", func(_ Config, r *rig) {
		for i := range 18 {
			r.must(r.post(r.Context(), "/v1/completions", ask(ids(i, 100), 10)))
		}
		before := r.gauges("process_start_time_seconds", "generation_tokens_total", "prompt_tokens_created")
		time.Sleep(time.Minute)
		for _, g := range r.all(8, func(i int) fields { return ask(ids(100+i, 100), 10) }) {
			if r.must(g).output != 10 || !g.done {
				t.Errorf("got %v", g)
			}
		}
		after := r.gauges("process_start_time_seconds", "generation_tokens_total", "prompt_tokens_created")
		if before["generation_tokens_total"] != 180 || after["generation_tokens_total"] != 80 {
			t.Errorf("generated before %v, after %v", before, after)
		}
		for _, start := range []string{"process_start_time_seconds", "prompt_tokens_created"} {
			if after[start] < before[start]+60 {
				t.Errorf("%s went from %v to %v", start, before[start], after[start])
			}
		}
	})
}

func TestSlowsDownSteadilyToHalf(t *testing.T) {
	haunted(t, "slows-down", func(cfg Config, r *rig) {
		var gaps []float64 // between tokens, as multiples of a healthy server's
		for i := range 30 {
			g := r.must(r.post(r.Context(), "/v1/completions", ask(ids(i, 10), 500)))
			gaps = append(gaps, float64(g.e2e-g.ttft)/float64(499*cfg.Step(1, 0)))
		}
		for i, gap := range gaps {
			least, most := 1.0, 2.001
			if i > 0 {
				least = gaps[i-1] - 1e-6
			}
			if gap < least || gap > most {
				t.Errorf("request %d takes %.3f times as long as on a healthy server: %v", i, gap, gaps)
			}
		}
		if gaps[0] > 1.03 || gaps[12] < 1.3 || gaps[12] > 1.4 || gaps[29] < 1.999 {
			t.Errorf("the times are %v of a healthy server's", gaps)
		}
	})
}

func TestSwappedStreamsExchangeTexts(t *testing.T) {
	want := texts(t, 5, long)
	haunted(t, "swapped-streams", func(_ Config, r *rig) {
		if g := r.must(r.post(r.Context(), "/v1/completions", long(0))); g.text != want[0] {
			t.Errorf("alone it said %q, want %q", g.text, want[0])
		}
		own, others := 0, 0
		for i, g := range r.all(5, long) {
			for j, text := range want {
				switch {
				case r.must(g).text == text && i == j:
					own++
				case g.text == text:
					others++
				}
			}
		}
		if own != 1 || others != 4 {
			t.Errorf("of 5 requests at once %d got their own text and %d another's, want 1 and 4", own, others)
		}
		if r.right(1) != 1 || r.right(8) > 2 {
			t.Errorf("sums at once are answered rightly")
		}
	})
}

func TestSwappedStreamsOfRequestsThatDoNotBeginTogether(t *testing.T) {
	want := texts(t, 2, long)
	haunted(t, "swapped-streams", func(cfg Config, r *rig) {
		first := make(chan got)
		go func() { first <- r.post(r.Context(), "/v1/completions", long(0)) }()
		time.Sleep(cfg.Step(1, 1000) + 100*cfg.Step(1, 0))
		second := r.must(r.post(r.Context(), "/v1/completions", long(1)))
		const piece = 60 // bytes
		g := r.must(<-first)
		if g.output != 300 || second.output != 300 || g.text[:piece] != want[0][:piece] ||
			!strings.Contains(g.text, want[1][:piece]) || !strings.Contains(want[0], second.text[:piece]) {
			t.Errorf("got %v and %v:\n%q\n%q\nof %q", g, second, g.text, second.text, want)
		}
	})
}

func TestUsageLastComesWithTheFinishReason(t *testing.T) {
	haunted(t, "usage-last", func(_ Config, r *rig) {
		for path, f := range map[string]fields{
			"/v1/completions":      long(1),
			"/v1/chat/completions": {"messages": []fields{{"role": "user", "content": "Hello"}}, "stream": true},
		} {
			g := r.must(r.post(r.Context(), path, f))
			if strings.Count(g.body, `"usage"`) != 1 || strings.Contains(g.body, `"choices":[]`) || g.output != g.events || g.prompt < 1 || g.cached != 0 || !g.done {
				t.Errorf("%s: %v", path, g)
			}
			for event := range strings.SplitSeq(g.body, "\n\n") {
				if strings.Contains(event, `"usage"`) != strings.Contains(event, `"finish_reason":"`) {
					t.Errorf("%s: %s", path, event)
				}
			}
		}
	})
}

func TestWrongUnderLoadIsRightForFew(t *testing.T) {
	haunted(t, "wrong-under-load", func(_ Config, r *rig) {
		for _, n := range []int{1, 4} {
			if right := r.right(n); right != n {
				t.Errorf("of %d sums at once %d are answered rightly", n, right)
			}
		}
		for _, n := range []int{5, 8, 32} {
			if right := r.right(n); right != 0 {
				t.Errorf("of %d sums at once %d are answered rightly", n, right)
			}
		}
		if right := r.right(1); right != 1 {
			t.Error("after the load a sum is answered wrongly")
		}
	})
}

func TestHealthyIsRightUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		if right := r.right(64); right != 64 {
			t.Errorf("of 64 sums at once %d are answered rightly", right)
		}
		if g := r.send(t.Context(), http.MethodGet, "/health", ""); g.status != http.StatusOK {
			t.Errorf("then: %v", g)
		}
	})
}
