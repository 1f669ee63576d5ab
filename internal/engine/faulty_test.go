package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"scenario/internal/engine"
)

// faulty is a server whose completions a test decides: by the number of the
// completion, from 1 (the first is the preflight's), and by how many are in flight.
type faulty struct {
	reply    func(w http.ResponseWriter, r *http.Request, n, inFlight int, ask ask)
	n        atomic.Int64
	inFlight atomic.Int64
}

// ask is what a request asks for.
type ask struct {
	Prompt    []int `json:"prompt"`
	MaxTokens int   `json:"max_tokens"`
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		fmt.Fprint(w, `{"data":[{"id":"sim-1","owned_by":"vllm","max_model_len":4096}]}`)
		return
	}
	if !strings.HasSuffix(r.URL.Path, "/completions") {
		http.NotFound(w, r)
		return
	}
	var a ask
	json.NewDecoder(r.Body).Decode(&a)
	if len(a.Prompt) == 0 { // a canary: this model knows no answers, and what it does with them is not counted
		a.MaxTokens = 1
		stream(w, a, func(int) string { return "well" })
		return
	}
	inFlight := int(f.inFlight.Add(1))
	defer f.inFlight.Add(-1)
	f.reply(w, r, int(f.n.Add(1)), inFlight, a)
}

// good streams a reply of its own to each prompt.
func good(w http.ResponseWriter, a ask) {
	word := func(i int) string { return fmt.Sprintf("%x ", a.Prompt[(i*7)%len(a.Prompt)]*(i+3)) }
	stream(w, a, word)
}

// wall streams one character.
func wall(w http.ResponseWriter, a ask) { stream(w, a, func(int) string { return "!" }) }

func stream(w http.ResponseWriter, a ask, word func(int) string) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	for i := range a.MaxTokens {
		fmt.Fprintf(w, "data: {\"model\":\"sim-1\",\"choices\":[{\"index\":0,\"text\":%q}]}\n\n", word(i))
		if flush() != nil {
			return
		}
		time.Sleep(4 * time.Millisecond)
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"length\"}]}\n\n")
	fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d,\"prompt_tokens_details\":{\"cached_tokens\":0}}}\n\ndata: [DONE]\n\n", len(a.Prompt), a.MaxTokens)
}

// wide is one level of 40 requests, eight at a time, without warm-up.
const wide = `
  - name: decode
    kind: fixed-token
    concurrency: 8
    workload: {prompt: {ids: random, tokens: 64}, output_tokens: 64}
    warmup: off
    load: {requests: 40}
    checks: {correct: [ok_count >= 0]}
`

func TestFaultyServers(t *testing.T) {
	impatient := strings.Replace(header, "proxy: off", "proxy: off, timeouts: {first_token: 5s, idle: 5s}", 1)
	hang := func(r *http.Request) { <-r.Context().Done() }
	for name, c := range map[string]struct {
		reply  func(w http.ResponseWriter, r *http.Request, n, inFlight int, a ask)
		src    string
		guards []string
		state  engine.State
		exit   int
		say    string // in the level's reason or notes
		atMost int    // requests issued; 0: all 40
	}{
		"sound": {
			reply: func(w http.ResponseWriter, _ *http.Request, _, _ int, a ask) { good(w, a) },
			state: engine.Accepted,
		},
		"walls under load, sound alone": {
			reply: func(w http.ResponseWriter, _ *http.Request, n, inFlight int, a ask) {
				if n%10 == 0 && inFlight > 1 {
					wall(w, a)
					return
				}
				good(w, a)
			},
			guards: []string{"degenerate"}, state: engine.Rejected, exit: engine.ExitRejected,
		},
		"walls whose prompts fail when they are sent again": {
			reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
				switch {
				case n > 41: // 40, and the probe
					http.Error(w, `{"error":{"message":"busy"}}`, http.StatusInternalServerError)
				case n == 20:
					wall(w, a)
				default:
					good(w, a)
				}
			},
			guards: []string{"degenerate"}, state: engine.UndecidedLevel, exit: engine.ExitInvalid,
		},
		"walls that depend on the prompt alone": {
			reply: func(w http.ResponseWriter, _ *http.Request, _, _ int, a ask) {
				if a.Prompt[0]%11 == 0 {
					wall(w, a)
					return
				}
				good(w, a)
			},
			state: engine.Accepted,
		},
		"errors from then on, but answers": {
			reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
				if n > 10 {
					http.Error(w, `{"error":{"message":"out of memory"}}`, http.StatusInternalServerError)
					return
				}
				good(w, a)
			},
			guards: []string{"errors"}, state: engine.Rejected, exit: engine.ExitRejected,
		},
		"no answer from then on": {
			reply: func(w http.ResponseWriter, r *http.Request, n, _ int, a ask) {
				if n > 10 {
					panic(http.ErrAbortHandler)
				}
				good(w, a)
			},
			guards: []string{"died"}, state: engine.Rejected, exit: engine.ExitRejected,
		},
		"hangs from then on": {
			reply: func(w http.ResponseWriter, r *http.Request, n, _ int, a ask) {
				if n > 10 {
					hang(r)
					return
				}
				good(w, a)
			},
			src:    impatient,
			guards: []string{"died"}, state: engine.Rejected, exit: engine.ExitRejected, say: "stopped after", atMost: 30,
		},
		"hangs for a while, within the budget": {
			reply: func(w http.ResponseWriter, r *http.Request, n, _ int, a ask) {
				if n > 20 && n <= 36 {
					hang(r)
					return
				}
				good(w, a)
			},
			src:   strings.Replace(impatient, "phases:", "defaults: {error_budget: 0.5}\nphases:", 1),
			state: engine.IncompleteLevel, exit: engine.ExitInvalid, say: "stopped after", atMost: 39,
		},
		"no text at all": {
			reply: func(w http.ResponseWriter, _ *http.Request, _, _ int, a ask) {
				stream(w, a, func(int) string { return "" })
			},
			guards: []string{"lost-text"}, state: engine.InvalidLevel, exit: engine.ExitInvalid,
		},
	} {
		t.Run(name, func(t *testing.T) {
			src := c.src
			if src == "" {
				src = header
			}
			r := world{handler: &faulty{reply: c.reply}}.run(t, plan(t, src+wide, engine.PlanOptions{}))
			if r.Verdict.ExitCode != c.exit {
				t.Errorf("exit %d, want %d: %v", r.Verdict.ExitCode, c.exit, r.Verdict.Reasons)
			}
			if len(r.Phases) == 0 {
				t.Fatal("no phase was run")
			}
			l := r.Phases[0].Levels[0]
			if l.State != c.state || !slices.Equal(fired(r), c.guards) {
				t.Errorf("the level is %s, guards %v; want %s, %v: %s", l.State, fired(r), c.state, c.guards, l.Why())
			}
			said := l.Reason + strings.Join(l.Notes, " ")
			if !strings.Contains(said, c.say) {
				t.Errorf("it says %q, want %q", said, c.say)
			}
			issued := 0
			for _, n := range l.Outcomes {
				issued += n
			}
			if most := max(c.atMost, 0); most > 0 && issued > most || most == 0 && issued != 40 {
				t.Errorf("%d requests issued, want at most %d (0: all 40)", issued, c.atMost)
			}
		})
	}
}

func TestWhatAServerSaysIsOneLine(t *testing.T) {
	// Names, fingerprints and errors come from outside: they reach guards, notes and
	// reasons without control characters, whatever they hold.
	nasty := `a\n\u001b[2J\u0007b` + strings.Repeat("x", 5000)
	r := world{handler: &faulty{reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
		if n == 20 {
			http.Error(w, `{"error":{"message":"`+nasty+`","code":"`+nasty+`"}}`, http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range a.MaxTokens {
			fmt.Fprintf(w, "data: {\"model\":\"%s\",\"system_fingerprint\":\"%s\",\"choices\":[{\"index\":0,\"text\":\"%x \"}]}\n\n", nasty, nasty, a.Prompt[i]*(i+3))
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"%s\"}]}\n\n", nasty)
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n", len(a.Prompt), a.MaxTokens)
	}}}.run(t, plan(t, header+wide, engine.PlanOptions{}))
	l := r.Phases[0].Levels[0]
	said := append(append([]string{r.Target.SystemFingerprint, l.Why()}, l.Notes...), r.Target.Notes...)
	for _, g := range l.Guards {
		said = append(said, g.Message)
	}
	for _, f := range l.Failures {
		said = append(said, f.Error)
	}
	if all := strings.Join(said, " "); !strings.Contains(all, "a [2J b") || !slices.Contains(fired(r), "errors") {
		t.Fatalf("the server's words are not told: %q", said)
	}
	for _, s := range said {
		if len(s) > 1000 || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("%d bytes: %.200q", len(s), s)
		}
	}
}

func TestEndpointsTakeTurns(t *testing.T) {
	src := strings.Replace(header, `"http://sim"`, `["http://sim-a", "http://sim-b", "http://sim-c"]`, 1) + strings.Replace(wide, "warmup: off", "warmup: {scope: phase, requests: 2, per_endpoint: true}", 1)
	hosts := map[string]*atomic.Int64{"sim-a": {}, "sim-b": {}, "sim-c": {}}
	r := world{handler: &faulty{reply: func(w http.ResponseWriter, r *http.Request, _, _ int, a ask) {
		hosts[r.Host].Add(1)
		good(w, a)
	}}}.run(t, plan(t, src, engine.PlanOptions{}))
	if r.Verdict.Decision != engine.Go || r.Phases[0].Warmup.Sent != 6 {
		t.Fatalf("verdict %+v, warm-up %+v", r.Verdict, r.Phases[0].Warmup)
	}
	for host, n := range hosts {
		if n := n.Load(); n < 16 || n > 17 { // 40/3, 2 of the warm-up, 1 probe
			t.Errorf("%s got %d requests", host, n)
		}
	}
}
