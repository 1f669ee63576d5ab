package engine

import (
	"strings"
	"testing"
	"time"

	"scenario/internal/metric"
)

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
