package engine_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

// metered is a good server with a metrics page that a test decides.
type metered struct {
	lag     time.Duration                         // from the end of a request to its being counted
	page    func(m *metered, n int) string        // of the n-th reading, from 1; empty: there is none
	version func(m *metered) string               // nil: always the same
	models  func(m *metered, n int) string        // of the n-th look, from 1; nil: always the same
	breaks  func(n int) bool                      // whether the n-th completion breaks off
	away    int                                   // readings before this one find no page
	start   int                                   // of the process
	fake    func(m *metered) (prompt, output int) // tokens of nobody's, that are counted too

	mu                              sync.Mutex
	completions, reads, looks       int
	prompt, output, ended, inFlight int
}

func (m *metered) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		m.mu.Lock()
		m.looks++
		n := m.looks
		m.mu.Unlock()
		list := `{"id":"sim-1","owned_by":"vllm","max_model_len":4096}`
		if m.models != nil {
			list = m.models(m, n)
		}
		fmt.Fprintf(w, `{"data":[%s]}`, list)
	case r.URL.Path == "/version":
		version := "0.32.0"
		if m.version != nil {
			version = m.version(m)
		}
		fmt.Fprintf(w, `{"version":%q}`, version)
	case r.URL.Path == "/metrics":
		m.mu.Lock()
		m.reads++
		n := m.reads
		m.mu.Unlock()
		if page := m.page(m, n); page != "" {
			io.WriteString(w, page)
			return
		}
		http.NotFound(w, r)
	case strings.HasSuffix(r.URL.Path, "/completions"):
		var a ask
		json.NewDecoder(r.Body).Decode(&a)
		m.mu.Lock()
		m.completions++
		n := m.completions
		m.inFlight++
		m.mu.Unlock()
		breaks := m.breaks != nil && m.breaks(n)
		if !breaks {
			good(w, a)
		}
		count := func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.prompt, m.output, m.ended = m.prompt+len(a.Prompt), m.output+a.MaxTokens, m.ended+1
		}
		m.mu.Lock()
		m.inFlight--
		m.mu.Unlock()
		if m.lag > 0 {
			time.AfterFunc(m.lag, count)
		} else {
			count()
		}
		if breaks {
			w.Header().Set("Content-Type", "text/event-stream")
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	default:
		http.NotFound(w, r)
	}
}

// vllm is a page as vLLM's.
func vllm(m *metered, _ int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	prompt, output := m.prompt, m.output
	if m.fake != nil {
		p, o := m.fake(m)
		prompt, output = prompt+p, output+o
	}
	return fmt.Sprintf(`vllm:num_requests_running %d
vllm:num_requests_waiting 0
vllm:kv_cache_usage_perc 0.25
vllm:prompt_tokens_total %d
vllm:generation_tokens_total %d
vllm:prefix_cache_queries_total %d
vllm:prefix_cache_hits_total 0
process_start_time_seconds %d
`, m.inFlight, prompt, output, prompt, 1796000000+m.start)
}

// twoLevels take about seven seconds each, after a warm-up.
const twoLevels = `
  - name: decode
    kind: fixed-token
    concurrency: [2, 4]
    workload: {prompt: {ids: random, tokens: 64}, output_tokens: 256}
    load: {requests: 5x}
    canaries: off
    checks: {correct: [ok_count >= 0]}
`

// at is a condition of a server that has begun so many completions.
func (m *metered) at(n int) bool { return m.completions >= n }

// A run of twoLevels is a probe, 2 warm-ups, 10 requests, 4 warm-ups, 20 requests.
const (
	inFirst  = 8
	inSecond = 25
)

func TestServerBesideALoad(t *testing.T) {
	for name, c := range map[string]struct {
		server *metered
		// want are the guards that fire, by level, as "C=2 target-changed"; unchecked
		// is what other-traffic says of the last level if it was not checked.
		want      []string
		unchecked string
	}{
		"healthy": {server: &metered{page: vllm}},
		"counts at the end of a request, late": {
			server: &metered{page: vllm, lag: 700 * time.Millisecond},
		},
		"counts so late that it cannot be waited for": {
			server: &metered{page: vllm, lag: 5 * time.Second}, unchecked: "or come late",
		},
		"no metrics": {
			server: &metered{page: func(*metered, int) string { return "" }}, unchecked: "the target offers no counters",
		},
		"metrics that go away": {
			server: &metered{page: func(m *metered, n int) string {
				if n > 3 {
					return ""
				}
				return vllm(m, n)
			}},
			unchecked: "could not be read before and after",
		},
		"two processes behind one address": {
			server: &metered{page: func(m *metered, n int) string {
				if n%3 == 0 {
					return strings.ReplaceAll(vllm(m, n), " 1796000000", " 1796000077")
				}
				return vllm(m, n)
			}},
			unchecked: "several processes answer at one address",
		},
		"somebody else's tokens": {
			server: &metered{page: vllm, fake: func(m *metered) (int, int) {
				if m.at(inSecond) {
					return 500, 300
				}
				return 0, 0
			}},
			want: []string{"C=4 other-traffic"},
		},
		"somebody else's tokens between levels": {
			server: &metered{page: vllm, fake: func(m *metered) (int, int) {
				if m.at(13 + 2) { // during the second warm-up
					return 5000, 3000
				}
				return 0, 0
			}},
		},
		"somebody else's requests, counted only when they end": {
			server: &metered{page: func(m *metered, n int) string {
				m.mu.Lock()
				m.inFlight++
				m.mu.Unlock()
				defer func() { m.mu.Lock(); m.inFlight--; m.mu.Unlock() }()
				return vllm(m, n)
			}},
			want: []string{"C=2 other-traffic", "C=4 other-traffic"},
		},
		"a new process half-way": {
			server: &metered{page: func(m *metered, n int) string {
				if m.completions >= inFirst && m.start == 0 {
					m.start, m.prompt, m.output = 60, 0, 0
				}
				return vllm(m, n)
			}},
			want: []string{"C=2 target-changed"},
		},
		"a new process that cost requests": {
			server: &metered{
				breaks: func(n int) bool { return n == inSecond },
				page: func(m *metered, n int) string {
					if m.completions >= inSecond && m.start == 0 {
						m.start, m.prompt, m.output = 60, 0, 0
					}
					return vllm(m, n)
				},
			},
			want: []string{"C=4 died"},
		},
		"a new process that cost requests, and is slow to come": {
			server: &metered{
				breaks: func(n int) bool { return n == inSecond },
				page: func(m *metered, n int) string {
					if m.completions >= inSecond && m.start == 0 {
						m.start, m.prompt, m.output = 60, 0, 0
						m.away = n + 3
					}
					if n < m.away {
						return ""
					}
					return vllm(m, n)
				},
			},
			want: []string{"C=4 died"},
		},
		"another version half-way": {
			server: &metered{page: vllm, version: func(m *metered) string {
				if m.completions >= inFirst {
					return "0.33.0"
				}
				return "0.32.0"
			}},
			want: []string{"C=2 target-changed", "C=4 target-changed"},
		},
		"a list of models that is empty for a moment": {
			server: &metered{page: vllm, models: func(_ *metered, n int) string {
				if n == 3 {
					return ""
				}
				return `{"id":"sim-1","owned_by":"vllm","max_model_len":4096}`
			}},
		},
		"another context by the end of the run": {
			server: &metered{page: vllm, models: func(_ *metered, n int) string {
				// preflight and its look at the process; one look after each level
				if n >= 5 {
					return `{"id":"sim-1","owned_by":"vllm","max_model_len":2048}`
				}
				return `{"id":"sim-1","owned_by":"vllm","max_model_len":4096}`
			}},
			want: []string{"C=4 target-changed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := world{handler: c.server}.run(t, plan(t, header+twoLevels, engine.PlanOptions{}))
			var got []string
			said := ""
			for _, l := range r.Phases[0].Levels {
				said = ""
				for _, g := range l.Guards {
					switch {
					case g.Status == engine.NotChecked && g.ID == "other-traffic":
						said = g.Message
					case g.Status == engine.Fired && g.Effect.Decides():
						got = append(got, fmt.Sprintf("C=%d %s", l.Concurrency, g.ID))
					}
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("guards %q, want %q: %v", got, c.want, r.Verdict.Reasons)
			}
			if c.unchecked == "" && said != "" || !strings.Contains(said, c.unchecked) {
				t.Errorf("other-traffic was not checked: %q, want %q", said, c.unchecked)
			}
			if wantGo := len(c.want) == 0; wantGo != (r.Verdict.Decision == engine.Go) {
				t.Errorf("verdict %s", r.Verdict.Decision)
			}
		})
	}
}

func TestServerGoneByTheEndOfTheRun(t *testing.T) {
	m := &metered{page: vllm, models: func(m *metered, n int) string {
		if n >= 5 {
			panic(http.ErrAbortHandler)
		}
		return `{"id":"sim-1","owned_by":"vllm","max_model_len":4096}`
	}}
	r := world{handler: m}.run(t, plan(t, header+twoLevels, engine.PlanOptions{}))
	if got := fired(r); !slices.Equal(got, []string{"target-changed"}) || r.Verdict.Decision != engine.Invalid || r.Phases[0].Levels[0].State != engine.Accepted {
		t.Errorf("guards %v, verdict %s: %v", got, r.Verdict.Decision, r.Verdict.Reasons)
	}
}

func TestFiguresOfTheServer(t *testing.T) {
	r := world{handler: &metered{page: vllm}}.run(t, plan(t, header+strings.Replace(twoLevels, "ok_count >= 0",
		`"known(server.running_max) and server.running_max == concurrency", "server.kv_usage_max < 0.9 and server.waiting_max == 0", "not known(server.preemptions) and not known(server.spec_accept_ratio)", "server.generation_tokens == 256 * issued and server.prompt_tokens == 64 * issued", "server.cached_ratio == 0 and server.samples >= 5"`, 1),
		engine.PlanOptions{}))
	if r.Verdict.Decision != engine.Go {
		t.Errorf("verdict %s: %v", r.Verdict.Decision, r.Verdict.Reasons)
	}
}

func TestSpeculationByGauges(t *testing.T) {
	m := &metered{page: func(m *metered, n int) string {
		rate := 0.5
		if n%2 == 0 {
			rate = 0.7
		}
		return strings.ReplaceAll(vllm(m, n), "vllm:", "sglang:") + fmt.Sprintf("sglang:spec_accept_rate %g\nsglang:spec_accept_length 2.5\n", rate)
	}}
	r := world{handler: m}.run(t, plan(t, header+twoLevels, engine.PlanOptions{}))
	for _, l := range r.Phases[0].Levels {
		ratio, known := l.Found().Server.SpecAcceptRatio.Number()
		warned := slices.ContainsFunc(l.Guards, func(g engine.GuardResult) bool {
			return g.ID == "spec-decode-synthetic" && g.Status == engine.Fired && strings.Contains(g.Message, "came true")
		})
		if !known || ratio < 0.55 || ratio > 0.65 || !warned {
			t.Errorf("C=%d: accepted %v, guards %+v", l.Concurrency, ratio, l.Guards)
		}
	}
}

func TestMetricsThatAreOffAreNotRead(t *testing.T) {
	m := &metered{page: vllm}
	r := world{handler: m}.run(t, plan(t, strings.Replace(header, "proxy: off", "proxy: off, metrics_url: off", 1)+twoLevels, engine.PlanOptions{}))
	if r.Verdict.Decision != engine.Go || m.reads > 0 || r.Phases[0].Levels[0].Figures.Server.Samples != 0 {
		t.Errorf("verdict %s, %d readings", r.Verdict.Decision, m.reads)
	}
}

func TestPreemptionsAreNoted(t *testing.T) {
	cfg := simserver.Healthy()
	cfg.KVCapacity = 2048
	r := world{server: cfg}.run(t, plan(t, header+ladder, engine.PlanOptions{}))
	l := r.Phases[0].Levels[1]
	n, known := l.Found().Server.Preemptions.Number()
	if note := fmt.Sprintf("out of its running batch %.0f times", n); !known || n == 0 || !slices.ContainsFunc(l.Notes, func(s string) bool { return strings.Contains(s, note) }) {
		t.Errorf("%v preemptions, notes %q", n, l.Notes)
	}
}

// drifting is a ladder that asks for drift; its levels are too short to show any.
const drifting = `
  - name: decode
    kind: fixed-token
    concurrency: [1, 8]
    workload: {prompt: {ids: random, tokens: 512}, output_tokens: 384}
    load: {requests: 16}
    canaries: off
    guards: {drift: {n: 5, because: a test}}
    checks: {correct: [ok_count >= 0], slo: ["output_tps > 1"]}
`

func TestDriftOfATarget(t *testing.T) {
	r := healthy(t, drifting)
	if d := r.Phases[0].Drift; r.Verdict.Decision != engine.Go || d == nil || d.Measure != "e2e" || d.Before.Count() != 5 || d.After.Count() != 5 {
		t.Errorf("verdict %s, drift %+v: %v", r.Verdict.Decision, d, r.Verdict.Reasons)
	}
	for _, p := range simserver.Personas() {
		if p.Name != "slows-down" {
			continue
		}
		r := world{server: simserver.Healthy().With(p)}.run(t, plan(t, header+drifting, engine.PlanOptions{}))
		if got := fired(r); !slices.Equal(got, []string{"drift"}) || r.Verdict.Decision != engine.Invalid {
			t.Errorf("guards %v, verdict %s", got, r.Verdict.Decision)
		}
		for _, l := range r.Phases[0].Levels {
			if l.State != engine.UndecidedLevel || l.Figures != nil || l.Checks[1].Result != engine.CheckNotJudged {
				t.Errorf("C=%d is %s: %+v", l.Concurrency, l.State, l.Checks)
			}
		}
	}
}

func TestDriftIsLookedForOnlyWhereItIsPlannedOrAskedFor(t *testing.T) {
	for name, phases := range map[string]string{
		"short":          ladder,
		"off":            strings.Replace(drifting, "n: 5, because", "effect: off, n: 5, because", 1),
		"of one formula": strings.Replace(ladder, "kind: fixed-token", "kind: fixed-token\n    formula: catid-g0\n    load: {mode: wave, waves: 2}", 1),
	} {
		if r := healthy(t, phases); r.Phases[0].Drift != nil || r.Verdict.Decision != engine.Go {
			t.Errorf("%s: %+v, verdict %s", name, r.Phases[0].Drift, r.Verdict.Decision)
		}
	}
	long := &metered{page: vllm}
	windows := strings.Replace(twoLevels, "load: {requests: 5x}", "load: {mode: window, duration: 151s}", 1)
	r := world{handler: long}.run(t, plan(t, header+windows, engine.PlanOptions{}))
	if d := r.Phases[0].Drift; d == nil || d.Failed != "" || d.Before.Count() != 5 || r.Verdict.Decision != engine.Go {
		t.Errorf("windows of 5 minutes together: %+v, verdict %s: %v", d, r.Verdict.Decision, r.Verdict.Reasons)
	}
	slow := simserver.Healthy()
	slow.StepBase = 100 * time.Millisecond
	r = world{server: slow}.run(t, plan(t, header+ladder, engine.PlanOptions{}))
	if d := r.Phases[0].Drift; d == nil || !strings.Contains(d.Failed, "was not known before") {
		t.Errorf("a long phase whose length nobody knew: %+v", d)
	}
}
