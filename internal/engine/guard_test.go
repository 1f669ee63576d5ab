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

func TestConcurrencyOfShortRequestsIsNotJudged(t *testing.T) {
	const ms = float64(time.Millisecond)
	for name, c := range map[string]struct {
		latency, lag float64 // milliseconds; below 0: unknown
		window       time.Duration
		fires        bool
		want         string
	}{
		"long requests":                  {1000, 1, time.Minute, true, "offered 4, held"},
		"requests of twenty lags":        {20, 1, time.Minute, true, "offered 4, held"},
		"requests of fewer lags":         {19, 1, time.Minute, false, "the requests are too short to hold it: they took 19ms, and this program 1ms to send each"},
		"a level of a tenth of a second": {20, 1, 100 * time.Millisecond, true, "offered 4, held"},
		"a shorter level":                {20, 1, 99 * time.Millisecond, false, "the requests are too short to hold it: all of them together took 99ms"},
		"no latency is known":            {-1, 1, 0, true, "offered 4, held"},
		"no lag is known":                {20, -1, time.Minute, true, "offered 4, held"},
	} {
		t.Run(name, func(t *testing.T) {
			e := scene(replies(20, func(i int, r *metric.Request) {
				r.At.Written = int64(i) * int64(time.Second)
				r.At.Closed = r.At.Written + int64(time.Second)
			}))
			e.phase.Spec.Load.Mode = "closed"
			known := func(v float64) metric.Durations {
				if v < 0 {
					return metric.Durations{}
				}
				return metric.NewDurations([]float64{v * ms})
			}
			e.found.E2E, e.found.StartLag, e.found.Window = known(c.latency), known(c.lag), metric.Duration{}
			if c.window > 0 {
				e.found.Window = metric.Span(c.window)
			}
			for _, r := range watch(tune(nil), e) {
				if r.ID != "concurrency-not-held" {
					continue
				}
				if (r.Status == Fired) != c.fires || !strings.Contains(r.Message, c.want) {
					t.Errorf("%s: %q, want %q", r.Status, r.Message, c.want)
				}
				return
			}
			t.Error("the guard says nothing")
		})
	}
}

func TestMissingUsageIsSaidOnce(t *testing.T) {
	for name, forced := range map[string]bool{"forced": true, "free": false} {
		t.Run(name, func(t *testing.T) {
			e := scene(replies(9, func(_ int, r *metric.Request) {
				r.PromptTokens, r.OutputTokens, r.TokensPerEvent = metric.Number{}, metric.Number{}, metric.Number{}
				r.Asked.Forced = forced
			}))
			said := 0
			for _, r := range watch(tune(nil), e) {
				said += strings.Count(r.Message, "9 of 9 replies state no usable usage")
			}
			if said != 1 {
				t.Errorf("said %d times: %+v", said, watch(tune(nil), e))
			}
		})
	}
}

func TestPromptsThatFailWhenSentAgainAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		resent, sound int
		unsent        []string
		want          string
	}{
		"all fail":    {unsent: []string{"timeout: idle", "http_error: 500"}, want: "0 of 2 of these prompts came back sound, and 2 failed, first: timeout: idle: whether"},
		"one fails":   {2, 2, []string{"http_error: 500"}, "2 of 3 of these prompts came back sound, and 1 failed, first: http_error: 500"},
		"none fails":  {3, 1, nil, "1 of 3 of these prompts came back sound: taken for the model's own"},
		"none, alone": {want: "their prompts could not be sent again"},
	} {
		t.Run(name, func(t *testing.T) {
			e := scene(replies(40, func(i int, r *metric.Request) {
				r.Degenerate, r.DegenerateKind = i == 0, metric.DegenerateWall
			}))
			e.resent, e.sound, e.unsent = c.resent, c.sound, c.unsent
			for _, r := range watch(tune(nil), e) {
				if r.ID == "degenerate" && strings.Contains(r.Message, c.want) {
					return
				}
			}
			t.Errorf("%v does not say %q", watch(tune(nil), e), c.want)
		})
	}
}

func TestEveryGuardFiresInATest(t *testing.T) {
	// The table above is the only proof that a guard can fire: a new one needs a row.
	known := map[string]bool{}
	for _, g := range Guards() {
		if known[g.ID] {
			t.Errorf("two guards are called %s", g.ID)
		}
		known[g.ID] = true
		for _, after := range g.After {
			if !known[after] {
				t.Errorf("%s comes after %s, which is looked at later or does not exist", g.ID, after)
			}
		}
		for _, threshold := range g.Thresholds {
			if threshold.Default < threshold.Min || threshold.Default > threshold.Max {
				t.Errorf("%s.%s: the default %g is outside of %g to %g", g.ID, threshold.Name, threshold.Default, threshold.Min, threshold.Max)
			}
		}
	}
	for _, later := range LaterGuards() {
		if known[later] {
			t.Errorf("%s is a guard of this build and of a later one", later)
		}
	}
}

func TestTunedGuards(t *testing.T) {
	setting := func(id, effect string, thresholds map[string]float64) spec.GuardSetting {
		return spec.GuardSetting{ID: id, Effect: effect, Off: effect == "off", Because: "a test", Thresholds: thresholds}
	}
	failures := replies(20, func(i int, r *metric.Request) {
		if i%2 == 0 {
			r.OK, r.Outcome = false, metric.OutcomeConnectError
		}
	})
	for name, c := range map[string]struct {
		settings []spec.GuardSetting
		requests []*metric.Request
		change   func(*evidence)
		want     []string
	}{
		"a milder guard explains nothing away": {
			[]spec.GuardSetting{setting("died", "warn", nil)},
			failures,
			func(e *evidence) { e.died = "connection refused" },
			[]string{"died warn", "errors reject"},
		},
		"a guard that is off explains nothing away": {
			[]spec.GuardSetting{setting("died", "off", nil)},
			failures,
			func(e *evidence) { e.died = "connection refused" },
			[]string{"errors reject"},
		},
		"both milder": {
			[]spec.GuardSetting{setting("died", "warn", nil), setting("errors", "warn", nil)},
			failures,
			func(e *evidence) { e.died = "connection refused" },
			[]string{"died warn"},
		},
		"a threshold": {
			[]spec.GuardSetting{setting("cache-warm", "", map[string]float64{"max_ratio": 1})},
			replies(9, func(_ int, r *metric.Request) { r.CachedTokens = metric.Count(240) }), nil, nil,
		},
		"a threshold that rounds down": {
			[]spec.GuardSetting{setting("degenerate", "", map[string]float64{"max_forced_ratio": 0.29})},
			replies(100, func(i int, r *metric.Request) {
				r.Degenerate, r.DegenerateKind = i < 29, metric.DegenerateWall
			}),
			func(e *evidence) { e.resent = 5 },
			[]string{"degenerate warn"},
		},
		"an effect for what cannot be decided": {
			[]spec.GuardSetting{setting("early-stop", "warn", nil), setting("length-mismatch", "tag", nil)},
			replies(9, func(_ int, r *metric.Request) { r.OutputTokens, r.TokensPerEvent = metric.Number{}, metric.Number{} }), nil,
			[]string{"early-stop warn"}, // of length-mismatch it is the same
		},
		"of two that cannot be decided, the second weighs more": {
			[]spec.GuardSetting{setting("early-stop", "warn", nil)},
			replies(9, func(_ int, r *metric.Request) { r.OutputTokens, r.TokensPerEvent = metric.Number{}, metric.Number{} }), nil,
			[]string{"early-stop warn", "length-mismatch undecided"},
		},
		"of two that cannot be decided, the first is off": {
			[]spec.GuardSetting{setting("early-stop", "off", nil)},
			replies(9, func(_ int, r *metric.Request) { r.OutputTokens, r.TokensPerEvent = metric.Number{}, metric.Number{} }), nil,
			[]string{"length-mismatch undecided"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := scene(c.requests)
			if c.change != nil {
				c.change(e)
			}
			plans := tune(c.settings)
			if got := seen(watch(plans, e)); !slices.Equal(got, c.want) {
				t.Errorf("fired %q, want %q", got, c.want)
			}
			if list := tuned(plans); len(list) != len(c.settings) || list[0].Because != "a test" {
				t.Errorf("the report lists %+v as tuned", list)
			}
		})
	}
}
