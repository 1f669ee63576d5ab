package simserver

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

// symptoms are what a client can see of a run, each as a share of requests.
type symptoms struct {
	failed    float64 // no status 200
	short     float64 // fewer tokens than were forced
	cached    float64 // of the prompt tokens
	truncated float64 // prompt tokens that were not counted
	repeating float64 // texts with a run of one character over 200 long
	alike     float64 // texts that another prompt got, too
	thin      float64 // texts of less than half a character a token
}

// run sends requests of 1,000 tokens with 300 more forced, at a concurrency, each
// with a prompt of its own.
func run(t *testing.T, cfg Config, concurrency, requests int) (seen symptoms) {
	t.Helper()
	const output = 300
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, cfg)
		texts := map[string]int{}
		share := 1 / float64(requests)
		for sent := 0; sent < requests; sent += concurrency {
			for _, g := range r.all(concurrency, func(i int) fields { return ask(ids(sent+i, 1000), output) }) {
				if g.err != nil || g.status != http.StatusOK || !g.done {
					seen.failed += share
					continue
				}
				texts[g.text]++
				seen.cached += share * float64(g.cached) / 1000
				seen.truncated += share * float64(1000-g.prompt) / 1000
				for symptom, shown := range map[*float64]bool{
					&seen.short:     g.output < output && g.finish == "stop",
					&seen.repeating: longestRun(g.text) > 200,
					&seen.thin:      2*len(g.text) < g.output,
				} {
					if shown {
						*symptom += share
					}
				}
			}
		}
		for _, n := range texts {
			if n > 1 {
				seen.alike += share * float64(n)
			}
		}
	})
	return seen
}

func longestRun(text string) int {
	longest, run := 0, 0
	for i := range len(text) {
		if i == 0 || text[i] != text[i-1] {
			run = 0
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

func TestEachPersonaShowsItsSymptomAndNoOther(t *testing.T) {
	all := map[string]symptoms{ // the least of each; zero: none at all
		"healthy":            {},
		"buffered":           {},
		"caps-concurrency":   {},
		"chatty":             {},
		"eight-per-event":    {},
		"evicts":             {},
		"foreign-traffic":    {},
		"keeps-cache":        {},
		"lost-text":          {thin: 1},
		"restarts":           {},
		"slows-down":         {},
		"swapped-streams":    {},
		"usage-last":         {},
		"wrong-under-load":   {},
		"dies":               {failed: 0.1},
		"errors-under-load":  {failed: 0.12},
		"ignores-ignore-eos": {short: 0.7},
		"one-answer":         {alike: 1},
		"repeats":            {repeating: 1},
		"short-prompt":       {truncated: 0.5},
		"warm-cache":         {cached: 0.85},
	}
	if len(all) != len(Personas())+1 {
		t.Errorf("the table has %d servers, there are %d personas", len(all), len(Personas()))
	}
	for name, want := range all {
		t.Run(name, func(t *testing.T) {
			persona, ok := Find(name)
			if !ok {
				t.Fatal("there is no such persona")
			}
			got := run(t, Healthy().With(persona), 8, 48)
			for symptom, pair := range map[string][2]float64{
				"failed": {got.failed, want.failed}, "short": {got.short, want.short},
				"cached": {got.cached, want.cached}, "truncated": {got.truncated, want.truncated},
				"repeating": {got.repeating, want.repeating}, "alike": {got.alike, want.alike},
				"thin": {got.thin, want.thin},
			} {
				if have, least := pair[0], pair[1]; have+1e-9 < least || least == 0 && have != 0 {
					t.Errorf("%s: %.2f of the requests, want at least %.2f", symptom, have, least)
				}
			}
		})
	}
}

func TestPersonasAreSortedAndFound(t *testing.T) {
	var names []string
	for _, p := range Personas() {
		names = append(names, p.Name)
		if found, ok := Find(p.Name); !ok || found.Doc != p.Doc || p.Doc == "" {
			t.Errorf("%s is not found, or undocumented", p.Name)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("not sorted, or not unique: %v", names)
	}
	if _, ok := Find("no-such"); ok {
		t.Error("a persona was found that there is none of")
	}
}

func TestErrorsUnderLoadIsFineAlone(t *testing.T) {
	persona, _ := Find("errors-under-load")
	if got := run(t, Healthy().With(persona), 1, 12); got != (symptoms{}) {
		t.Errorf("one at a time: %+v", got)
	}
}

func TestErrorsUnderLoadNameThemselves(t *testing.T) {
	persona, _ := Find("errors-under-load")
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy().With(persona))
		statuses := map[int]int{}
		for _, g := range r.all(64, func(i int) fields { return ask(ids(i, 100), 10) }) {
			statuses[g.status]++
			if g.status != http.StatusOK && !strings.Contains(g.body, `{"error":{"message":"The engine `) {
				t.Errorf("status %d with the body %s", g.status, g.body)
			}
		}
		if statuses[500] == 0 || statuses[503] == 0 || statuses[200]+statuses[500]+statuses[503] != 64 {
			t.Errorf("statuses: %v", statuses)
		}
	})
}

func TestDiesResetsStreamsAndRefusesConnections(t *testing.T) {
	persona, _ := Find("dies")
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy().With(persona))
		for i := range 37 {
			r.must(r.post(t.Context(), "/v1/completions", ask(ids(i, 10), 2)))
		}
		broken := 0
		for _, g := range r.all(4, func(i int) fields { return ask(ids(100+i, 10), 1000) }) {
			if g.err != nil && !g.done {
				broken++
			}
		}
		if broken != 4 {
			t.Errorf("%d of 4 streams were cut", broken)
		}
		if g := r.post(t.Context(), "/v1/completions", ask(ids(1, 10), 2)); !errors.Is(g.err, syscall.ECONNREFUSED) {
			t.Errorf("then a request got %v", g)
		}
		if err := <-r.served; !errors.Is(err, ErrDied) {
			t.Errorf("serve returned %v", err)
		}
	})
}

func TestWarmCacheSkipsWhatItReports(t *testing.T) {
	persona, _ := Find("warm-cache")
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		r := serve(t, cfg.With(persona))
		for i, c := range []struct{ prompt, cached int }{{1000, 896}, {10, 0}, {17, 0}, {33, 16}} {
			g := r.must(r.post(t.Context(), "/v1/completions", ask(ids(i, c.prompt), 2)))
			if want := cfg.Step(1, c.prompt-c.cached); g.cached != c.cached || g.ttft != want {
				t.Errorf("of %d tokens %d cached, the first after %v; want %d and %v",
					c.prompt, g.cached, g.ttft, c.cached, want)
			}
		}
	})
}

func TestShortPromptLeavesShortOnesAlone(t *testing.T) {
	persona, _ := Find("short-prompt")
	synctest.Test(t, func(t *testing.T) {
		cfg := Healthy()
		r := serve(t, cfg.With(persona))
		for i, c := range []struct{ prompt, counted int }{{10, 10}, {128, 128}, {129, 128}, {256, 128}, {2001, 1000}} {
			g := r.must(r.post(t.Context(), "/v1/completions", ask(ids(i, c.prompt), 2)))
			if want := cfg.Step(1, c.counted); g.prompt != c.counted || g.ttft != want {
				t.Errorf("of %d tokens %d counted, the first after %v; want %d and %v",
					c.prompt, g.prompt, g.ttft, c.counted, want)
			}
		}
	})
}

func TestRepeatsBeginsWithGoodWordsOfItsOwn(t *testing.T) {
	persona, _ := Find("repeats")
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy().With(persona))
		starts := map[string]bool{}
		for i := range 50 {
			g := r.must(r.post(t.Context(), "/v1/completions", fields{"prompt": ids(i, 10), "max_tokens": 300}))
			start, rest, _ := strings.Cut(g.text, "!")
			starts[start] = true
			if g.finish != "length" || g.output != 300 || strings.Trim(rest, "!") != "" {
				t.Errorf("got %v: %q", g, g.text)
			}
		}
		if len(starts) != 50 {
			t.Errorf("50 prompts have %d beginnings", len(starts))
		}
	})
}
