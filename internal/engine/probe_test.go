package engine_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"scenario/internal/engine"
)

// probeTokens is what a probe of the phase wide asks for.
const probeTokens = 8

func TestALifeSignIsAskedForOnceAndWithoutPatience(t *testing.T) {
	probes, waits := 0, 0
	w := world{
		handler: &faulty{reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
			switch {
			case n > 1 && a.MaxTokens == probeTokens:
				probes++
				w.Header().Set("Retry-After", "8")
				http.Error(w, `{"error":{"message":"too many"}}`, http.StatusTooManyRequests)
			case n == 20: // cut, and not before its first byte: that is tried again
				w.Header().Set("Content-Type", "text/event-stream")
				http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			default:
				good(w, a)
			}
		}},
		watch: watcher(func(e engine.Event) {
			if _, ok := e.(engine.Waiting); ok {
				waits++
			}
		}),
	}
	r := w.run(t, plan(t, header+wide, engine.PlanOptions{}))
	if got := fired(r); !slices.Equal(got, []string{"errors"}) {
		t.Errorf("fired %v, want errors alone: it answered", got)
	}
	if probes != 1 || waits != 1 {
		t.Errorf("%d probes after the level, %d waits observed; want one of each", probes, waits)
	}
	if took := r.Run.Ended.Sub(r.Run.Started); took > 8*time.Second {
		t.Errorf("the run took %v: it waited for a life sign", took)
	}
}

func TestAFirstProbeWaitsForALimitButNotForever(t *testing.T) {
	for asked, exit := range map[string]int{"9": engine.ExitGo, "600": engine.ExitUnusable} {
		t.Run(asked, func(t *testing.T) {
			r := world{handler: &faulty{reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
				if n == 1 {
					w.Header().Set("Retry-After", asked)
					http.Error(w, `{"error":{"message":"too many"}}`, http.StatusTooManyRequests)
					return
				}
				good(w, a)
			}}}.run(t, plan(t, header+wide, engine.PlanOptions{}))
			if took := r.Run.Ended.Sub(r.Run.Started); r.Verdict.ExitCode != exit || took > time.Minute {
				t.Errorf("exit %d after %v, want %d: %v", r.Verdict.ExitCode, took, exit, r.Verdict.Reasons)
			}
		})
	}
}

func TestAWarmUpThatFailedIsTold(t *testing.T) {
	const ladder = `
  - name: decode
    kind: fixed-token
    concurrency: [2, 4]
    workload: {prompt: {ids: random, tokens: 64}, output_tokens: 64}
    warmup: {scope: SCOPE, requests: 4}
    load: {requests: 8}
    checks: {correct: [ok_count >= 0]}
`
	for _, scope := range []string{"level", "phase", "run"} {
		for bad, want := range map[int][]string{4: {"the warm-up failed: 4 of 4 requests, first: http_error: HTTP 500 Internal Server Error: cold", ""}, 3: {"", ""}} {
			t.Run(fmt.Sprint(scope, bad), func(t *testing.T) {
				// The first completion is the preflight's.
				r := world{handler: &faulty{reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
					if n > 1 && n <= 1+bad {
						http.Error(w, `{"error":{"message":"cold"}}`, http.StatusInternalServerError)
						return
					}
					good(w, a)
				}}}.run(t, plan(t, header+strings.Replace(ladder, "SCOPE", scope, 1), engine.PlanOptions{}))
				for i, l := range r.Phases[0].Levels {
					said := ""
					for _, g := range l.Guards {
						if g.ID == "warm-up-failed" {
							said = g.Message
						}
					}
					if said != want[i] || l.State != engine.Accepted {
						t.Errorf("level %d is %s and says %q, want %q", i, l.State, said, want[i])
					}
				}
			})
		}
	}
}

// refusing answers every completion with an error.
func refusing(message string, status int) func(http.ResponseWriter, *http.Request, int, int, ask) {
	return func(w http.ResponseWriter, _ *http.Request, _, _ int, _ ask) {
		http.Error(w, `{"error":{"message":"`+message+`"}}`, status)
	}
}

func TestPreflightRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		reply func(w http.ResponseWriter, r *http.Request, n, inFlight int, a ask)
		exit  int
		want  string
	}{
		"no token ids": {
			reply: refusing("prompt must be a string", http.StatusBadRequest),
			exit:  engine.ExitInvalid, want: "use prompt: {text: story, tokens: …}",
		},
		"ids beyond the vocabulary": {
			reply: refusing("Token id 29999 is out of vocabulary", http.StatusBadRequest),
			exit:  engine.ExitInvalid, want: "outside of the target's vocabulary",
		},
		"another field": {
			reply: refusing("Unrecognized argument: seed", http.StatusBadRequest),
			exit:  engine.ExitInvalid, want: "the target refuses the phase's request: HTTP 400 Bad Request: Unrecognized argument: seed",
		},
		"ignore_eos ignored": {
			reply: func(w http.ResponseWriter, _ *http.Request, _, _ int, a ask) { a.MaxTokens /= 2; good(w, a) },
			exit:  engine.ExitInvalid, want: "does not honour ignore_eos",
		},
		"a key wanted": {
			reply: refusing("no key", http.StatusUnauthorized),
			exit:  engine.ExitUnusable, want: "set target.api_key_env",
		},
		"no such model after all": {
			reply: refusing("model not found", http.StatusNotFound),
			exit:  engine.ExitUnusable, want: `the scenario asks for model "sim-1"`,
		},
		"a page": {
			reply: func(w http.ResponseWriter, _ *http.Request, _, _ int, _ ask) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, "<html><title>Welcome</title></html>")
			},
			exit: engine.ExitUnusable, want: "the reply is not an event stream",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := world{handler: &faulty{reply: c.reply}}.run(t, plan(t, header+wide, engine.PlanOptions{}))
			if reasons := strings.Join(r.Verdict.Reasons, "\n"); r.Verdict.ExitCode != c.exit || !strings.Contains(reasons, c.want) {
				t.Errorf("exit %d: %s\nwant %d, %q", r.Verdict.ExitCode, reasons, c.exit, c.want)
			}
		})
	}
}
