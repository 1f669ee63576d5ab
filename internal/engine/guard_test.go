package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"scenario/internal/metric"
	"scenario/internal/spec"
)

// reply is a good reply to a prompt of its own, as a phase with forced lengths
// gets it.
func reply(i int) *metric.Request {
	start := int64(i+1) * int64(time.Millisecond)
	r := &metric.Request{
		Index: i, OK: true, Outcome: metric.OutcomeOK, FinishReason: "length", Model: "m",
		PromptTokens: metric.Count(256), OutputTokens: metric.Count(300), CachedTokens: metric.Count(0),
		Events: 300, TokensPerEvent: metric.Known(1), LateEvents: 1, E2E: metric.Span(time.Second),
		Content: fmt.Sprintf("reply number %d says something of its own about its %d words", i, i*i),
		At:      metric.Stamps{Written: start, Closed: start + int64(time.Second)},
	}
	r.Asked = metric.Asked{PromptTokens: 256, OutputTokens: 300, Forced: true, PromptHash: fmt.Sprint("prompt", i), HeadHash: fmt.Sprint("head", i)}
	return r
}

// replies are n good ones, of which change may change each.
func replies(n int, change func(i int, r *metric.Request)) []*metric.Request {
	var list []*metric.Request
	for i := range n {
		r := reply(i)
		if change != nil {
			change(i, r)
		}
		list = append(list, r)
	}
	return list
}

// scene is a level of a phase for guards to look at.
func scene(requests []*metric.Request) *evidence {
	phase := &PhasePlan{Cache: "cold", Spec: &spec.Phase{
		Load: spec.LoadSettings{Mode: "wave"}, Temperature: spec.Optional[float64]{Set: true},
	}}
	level := &LevelPlan{Concurrency: 4, Profile: Profile{PromptTokens: 256, OutputTokens: 300, Forced: true, TokenIDs: true}, KV: &KVDemand{}}
	e := &evidence{phase: phase, level: level, model: "m", heads: map[string]int{}}
	for _, r := range requests {
		e.heads[r.Asked.HeadHash]++
	}
	e.found = metric.NewLevel(4, requests)
	return e
}

// seen are the guards that fired, with their effects: "degenerate reject".
func seen(results []GuardResult) []string {
	var list []string
	for _, r := range results {
		if r.Status == Fired {
			list = append(list, r.ID+" "+string(r.Effect))
		}
	}
	slices.Sort(list)
	return list
}

func TestGuards(t *testing.T) {
	wall := func(r *metric.Request) {
		r.Content, r.Degenerate, r.DegenerateKind = strings.Repeat("!", 300), true, metric.DegenerateWall
	}
	fail := func(r *metric.Request, outcome string) {
		r.OK, r.Outcome, r.Error = false, outcome, "it broke"
	}
	mismatch := func(r *metric.Request, prompt, output int, finish string) {
		r.PromptTokens, r.OutputTokens, r.FinishReason = metric.Count(prompt), metric.Count(output), finish
		r.OK, r.Outcome, r.Error = false, metric.OutcomeLengthMismatch, "other lengths"
	}
	every := func(n int, do func(*metric.Request)) func(int, *metric.Request) {
		return func(i int, r *metric.Request) {
			if i%n == 0 {
				do(r)
			}
		}
	}
	for name, c := range map[string]struct {
		requests []*metric.Request
		change   func(*evidence)
		want     []string
	}{
		"nothing": {replies(20, nil), nil, nil},
		"a failed request": {
			replies(20, every(20, func(r *metric.Request) { fail(r, metric.OutcomeHTTPError) })), nil,
			[]string{"errors reject"},
		},
		"failures within the budget": {
			replies(20, every(20, func(r *metric.Request) { fail(r, metric.OutcomeTimeout) })),
			func(e *evidence) { e.phase.Spec.ErrorBudget = 0.05 },
			nil,
		},
		"a dead target explains its errors": {
			replies(20, every(2, func(r *metric.Request) { fail(r, metric.OutcomeConnectError) })),
			func(e *evidence) { e.died = "connection refused" },
			[]string{"died reject"},
		},
		"another model": {replies(9, func(i int, r *metric.Request) { r.Model = "n" }), nil, []string{"mixed-replies warn"}},
		"two models": {
			replies(9, func(i int, r *metric.Request) { r.Model = fmt.Sprint("m", i%2) }), nil,
			[]string{"mixed-replies warn"},
		},
		"two system fingerprints": {
			replies(9, func(i int, r *metric.Request) { r.SystemFingerprint = fmt.Sprint("fp", i%2) }), nil,
			[]string{"mixed-replies warn"},
		},
		"a cut prompt explains the mismatch": {
			replies(9, func(_ int, r *metric.Request) { mismatch(r, 128, 300, "length") }), nil,
			[]string{"truncated-prompt reject"},
		},
		"an early stop explains the mismatch": {
			replies(9, every(3, func(r *metric.Request) { mismatch(r, 256, 41, "stop") })), nil,
			[]string{"early-stop invalid"},
		},
		"a prompt that grew": {replies(9, every(3, func(r *metric.Request) { mismatch(r, 257, 300, "length") })), nil, []string{"length-mismatch invalid"}},
		"fewer tokens without a stop": {
			replies(9, every(3, func(r *metric.Request) { mismatch(r, 256, 299, "length") })), nil,
			[]string{"length-mismatch invalid"},
		},
		"no usage where lengths are forced": {
			replies(9, every(9, func(r *metric.Request) { r.OutputTokens, r.TokensPerEvent = metric.Number{}, metric.Number{} })), nil,
			[]string{"early-stop undecided"}, // of length-mismatch it is the same
		},
		"text that got lost": {
			replies(9, every(9, func(r *metric.Request) { r.Content, r.LostText = "", true })), nil,
			[]string{"lost-text invalid"},
		},
		"walls everywhere": {replies(9, func(i int, r *metric.Request) { wall(r); r.Content += fmt.Sprint(i) }), nil, []string{"same-outputs reject"}},
		"walls of their own": {
			replies(9, func(i int, r *metric.Request) { c := r.Content; wall(r); r.Content = c + r.Content }), nil,
			[]string{"degenerate reject"},
		},
		"walls beside lost text": {
			replies(20, func(i int, r *metric.Request) {
				if c := r.Content; i < 18 {
					wall(r)
					r.Content = c + r.Content
				} else {
					r.Content, r.LostText = "", true
				}
			}), nil,
			[]string{"degenerate reject", "lost-text invalid"},
		},
		"a few walls that nobody sent again": {
			replies(20, every(20, wall)), nil,
			[]string{"degenerate undecided"},
		},
		"a few walls that are sound alone": {
			replies(20, every(10, wall)), func(e *evidence) { e.resent, e.sound = 2, 2 },
			[]string{"degenerate reject"},
		},
		"a few walls that are the model's own": {
			replies(20, every(10, wall)), func(e *evidence) { e.resent = 2 },
			[]string{"degenerate warn"},
		},
		"a few walls at a temperature": {
			replies(20, every(20, wall)), func(e *evidence) { e.phase.Spec.Temperature.Set = false },
			[]string{"degenerate reject"},
		},
		"a wall where the model was free to stop": {
			replies(200, func(i int, r *metric.Request) {
				r.Asked.Forced = false
				if i == 0 {
					wall(r)
				}
			}), nil,
			[]string{"degenerate reject"},
		},
		"one loop of many where the model was free to stop": {
			replies(200, func(i int, r *metric.Request) {
				r.Asked.Forced = false
				r.Degenerate = i == 0
				r.DegenerateKind = metric.DegenerateLoop
			}), nil,
			[]string{"degenerate warn"},
		},
		"one bad endpoint of six": {
			replies(60, func(i int, r *metric.Request) {
				if r.Endpoint = i % 6; r.Endpoint == 3 {
					c := r.Content
					wall(r)
					r.Content = c + r.Content
				}
			}), nil,
			[]string{"degenerate reject"},
		},
		"one text for all": {replies(9, func(_ int, r *metric.Request) { r.Content = strings.Repeat("one text for all ", 9) }), nil, []string{"same-outputs reject"}},
		"one text for two": {replies(2, func(_ int, r *metric.Request) { r.Content = strings.Repeat("one text for all ", 9) }), nil, []string{"same-outputs reject"}},
		"one text for a tenth": {
			replies(40, every(10, func(r *metric.Request) { r.Content = strings.Repeat("one text for all ", 9) })), nil,
			[]string{"same-outputs warn"},
		},
		"one text for one prompt": {
			replies(9, func(_ int, r *metric.Request) { r.Content, r.Asked.PromptHash = strings.Repeat("one text ", 9), "p" }), nil,
			nil,
		},
		"short equal texts":        {replies(9, func(_ int, r *metric.Request) { r.Content = "yes" }), nil, nil},
		"prompts that begin alike": {replies(9, every(2, func(r *metric.Request) { r.Asked.HeadHash = "head" })), nil, []string{"prompts-repeat invalid"}},
		"a warm cache":             {replies(9, func(_ int, r *metric.Request) { r.CachedTokens = metric.Count(240) }), nil, []string{"cache-warm invalid"}},
		"a block of cached tokens": {replies(9, func(_ int, r *metric.Request) { r.CachedTokens = metric.Count(64) }), nil, nil},
		"one hit among counts that are left out": {
			replies(9, func(i int, r *metric.Request) {
				if r.CachedTokens = (metric.Number{}); i == 0 {
					r.CachedTokens = metric.Count(200)
				}
			}), nil, nil,
		},
		"no count of cached tokens": {replies(9, func(_ int, r *metric.Request) { r.CachedTokens = metric.Number{} }), nil, []string{"cache-unverified warn"}},
		"a warm cache where any will do": {
			replies(9, func(_ int, r *metric.Request) { r.CachedTokens = metric.Count(240) }),
			func(e *evidence) { e.phase.Cache = "any" },
			nil,
		},
		"streams that were held back": {replies(9, func(_ int, r *metric.Request) { r.LateEvents = 280 }), nil, []string{"buffered-stream invalid"}},
		"one endpoint of three that holds back": {
			replies(30, func(i int, r *metric.Request) {
				if r.Endpoint = i % 3; r.Endpoint == 2 {
					r.LateEvents = 300
				}
			}), nil,
			[]string{"buffered-stream invalid"},
		},
		"a concurrency that was not held": {
			replies(20, func(i int, r *metric.Request) {
				r.At.Written = int64(i) * int64(time.Second)
				r.At.Closed = r.At.Written + int64(time.Second)
			}),
			func(e *evidence) { e.phase.Spec.Load.Mode = "closed" },
			[]string{"concurrency-not-held invalid"},
		},
		"several tokens in an event": {
			replies(9, func(_ int, r *metric.Request) { r.Events, r.TokensPerEvent = 100, metric.Known(3) }), nil,
			[]string{"multi-token-events tag"},
		},
		"short outputs": {replies(9, nil), func(e *evidence) { e.level.Profile.OutputTokens = 64 }, []string{"short-output warn"}},
		"a constant prompt": {
			replies(9, func(_ int, r *metric.Request) { r.Asked.PromptHash, r.Asked.HeadHash = "p", "h" }),
			func(e *evidence) { e.level.Profile.ConstantPrompt, e.phase.Cache = true, "any" },
			[]string{"constant-prompt tag"},
		},
		"short replies, most of them empty": {
			replies(9, func(i int, r *metric.Request) {
				if r.OutputTokens = metric.Count(1); i < 5 {
					r.Content, r.NoText = "", true
				}
			}), nil,
			[]string{"lost-text invalid"},
		},
		"short replies, some of them empty": {
			replies(9, func(i int, r *metric.Request) {
				if r.OutputTokens = metric.Count(1); i < 4 {
					r.Content, r.NoText = "", true
				}
			}), nil, nil,
		},
		"one short reply, and empty": {
			replies(1, func(_ int, r *metric.Request) { r.OutputTokens, r.Content, r.NoText = metric.Count(7), "", true }), nil,
			[]string{"lost-text invalid"},
		},
		"the two shortest of many, empty": {
			replies(40, every(20, func(r *metric.Request) { r.OutputTokens, r.Content, r.NoText = metric.Count(1), "", true })), nil,
			nil,
		},
		"one endpoint of three whose short replies are empty": {
			replies(30, func(i int, r *metric.Request) {
				r.Endpoint, r.OutputTokens = i%3, metric.Count(4)
				if i%3 == 1 {
					r.Content, r.NoText = "", true
				}
			}), nil,
			[]string{"lost-text invalid"},
		},
		"empty replies whose thinking is hidden": {
			replies(9, func(_ int, r *metric.Request) {
				r.ReasoningTokens, r.Content, r.NoText = r.OutputTokens, "", true
			}), nil, nil,
		},
		"long empty replies that hide all but three tokens": {
			replies(9, func(_ int, r *metric.Request) {
				r.ReasoningTokens, r.Content, r.NoText = metric.Count(297), "", true
			}), nil, nil,
		},
		"degenerate replies whose prompts fail when sent again": {
			replies(40, every(40, wall)),
			func(e *evidence) { e.unsent = []string{"timeout: idle"} },
			[]string{"degenerate undecided"},
		},
		"degenerate replies that come back so, but for one that fails": {
			replies(40, every(20, wall)),
			func(e *evidence) { e.resent, e.unsent = 2, []string{"timeout: idle"} },
			[]string{"degenerate warn"},
		},
		"degenerate replies that come back sound, but for one that fails": {
			replies(40, every(20, wall)),
			func(e *evidence) { e.resent, e.sound, e.unsent = 2, 2, []string{"timeout: idle"} },
			[]string{"degenerate reject"},
		},
		"as many failures as a budget that is no binary fraction": {
			replies(100, func(i int, r *metric.Request) {
				if i < 29 {
					fail(r, metric.OutcomeTimeout)
				}
			}),
			func(e *evidence) { e.phase.Spec.ErrorBudget = 0.29 }, nil, // times 100 it is 28.999…
		},
		"one failure more than that": {
			replies(100, func(i int, r *metric.Request) {
				if i < 30 {
					fail(r, metric.OutcomeTimeout)
				}
			}),
			func(e *evidence) { e.phase.Spec.ErrorBudget = 0.29 },
			[]string{"errors reject"},
		},
		"a concurrency that requests are too short for": {
			replies(20, func(i int, r *metric.Request) {
				r.At.Written = int64(i) * int64(time.Second)
				r.At.Closed = r.At.Written + int64(time.Second)
			}),
			func(e *evidence) {
				e.phase.Spec.Load.Mode = "closed"
				e.found.StartLag = metric.NewDurations([]float64{1e8})
			},
			nil,
		},
		"kept connections that were closed": {
			replies(40, every(40, func(r *metric.Request) { r.Reconnects = 1 })), nil,
			[]string{"reconnects warn"},
		},
		"a warm-up that failed": {
			replies(9, nil), func(e *evidence) { e.warmup = &WarmupResult{Sent: 4, Failed: 4, Error: "timeout: idle"} },
			[]string{"warm-up-failed warn"},
		},
		"a warm-up that failed in part": {
			replies(9, nil), func(e *evidence) { e.warmup = &WarmupResult{Sent: 4, Failed: 3, Error: "timeout: idle"} },
			nil,
		},
		"more cached tokens than prompts have": {
			replies(9, func(_ int, r *metric.Request) { r.CachedTokens, r.CachedTooMany = metric.Number{}, true }), nil,
			[]string{"cache-unverified warn"},
		},
		"natural lengths": {
			replies(9, func(_ int, r *metric.Request) { r.Asked.Forced = false }),
			func(e *evidence) { e.level.Profile.Forced = false },
			[]string{"natural-length tag"},
		},
		"more than the KV cache": {replies(9, nil), func(e *evidence) { e.level.KV.Message = "it does not fit" }, []string{"kv-bound tag"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := scene(c.requests)
			if c.change != nil {
				c.change(e)
			}
			results := watch(tune(nil), e)
			if got := seen(results); !slices.Equal(got, c.want) {
				t.Errorf("fired %q, want %q", got, c.want)
			}
			for _, r := range results {
				if r.Message == "" {
					t.Errorf("%s says nothing", r.ID)
				}
			}
		})
	}
}
