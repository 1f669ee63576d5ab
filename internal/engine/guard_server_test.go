package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
	"scenario/internal/target"
)

// counted is what a server counted while nine requests of 256 and 300 tokens were
// sent, and so many tokens more.
func counted(morePrompt, moreOutput float64) *serverLoad {
	return &serverLoad{
		known: true,
		ours:  chat.Spent{Told: 9, PromptTokens: 9 * 256, OutputTokens: 9 * 300, LongestPrompt: 256, LongestOutput: 300},
		did: target.Delta{
			PromptTokens: metric.Known(9*256 + morePrompt), GenerationTokens: metric.Known(9*300 + moreOutput),
			Finished: metric.Known(10), PrefixHits: metric.Known(0), DraftTokens: metric.Known(0), Preemptions: metric.Known(0),
		},
	}
}

func TestServerGuards(t *testing.T) {
	untold := func(_ int, r *metric.Request) { r.CachedTokens = metric.Number{} }
	for name, c := range map[string]struct {
		change   func(*serverLoad)
		requests func(int, *metric.Request)
		want     []string
		says     string
	}{
		"our own work":  {},
		"a little more": {change: func(s *serverLoad) { *s = *counted(2.3*9+40, 2.7*9+40) }},
		"one more of each": {change: func(s *serverLoad) {
			*s = *counted(0, 100)
			s.ours.Told, s.ours.OutputTokens, s.did.GenerationTokens = 100, 2400, metric.Known(2500)
		}},
		"others' output":           {change: func(s *serverLoad) { *s = *counted(0, 80) }, want: []string{"other-traffic invalid"}, says: "counted 2780 output tokens during the load, our requests account for 2700: somebody else"},
		"others' prompts":          {change: func(s *serverLoad) { *s = *counted(400, 1) }, want: []string{"other-traffic invalid"}, says: "2704 prompt tokens"},
		"prompts counted anew":     {change: func(s *serverLoad) { *s = *counted(400, 1); s.did.Preemptions = metric.Known(2) }},
		"usage that leaves out":    {change: func(s *serverLoad) { *s = *counted(0, 900); s.did.Finished = metric.Known(9) }, want: []string{"other-traffic invalid"}, says: "usage may leave tokens out"},
		"a warm-up counted late":   {change: func(s *serverLoad) { *s = *counted(256, 300); s.latePrompt, s.lateOutput = 256, 300 }},
		"one that was cut short":   {change: func(s *serverLoad) { *s = *counted(256, 290); s.ours.Untold = 1 }},
		"a part of the counters":   {change: func(s *serverLoad) { *s = *counted(-9*128, -9*150) }, says: "hold 1350 of the 2700 output tokens"},
		"no counters":              {change: func(s *serverLoad) { *s = serverLoad{why: "the target offers no counters"} }, says: "the target offers no counters"},
		"no usage":                 {change: func(s *serverLoad) { *s = *counted(0, 0); s.ours = chat.Spent{Untold: 9} }, says: "no reply states its usage"},
		"others' open requests":    {change: func(s *serverLoad) { s.strangers = []float64{0, 1, 1, 2, 1} }, want: []string{"other-traffic invalid"}, says: "at 4 of 5 readings"},
		"a gauge that lags":        {change: func(s *serverLoad) { s.strangers = []float64{0, 1, 1, 0, 1, 1, -4, 1} }},
		"too few readings":         {change: func(s *serverLoad) { s.strangers = []float64{1, 1, 1, 1} }},
		"another version":          {change: func(s *serverLoad) { s.changed = []string{"version (1 before, 2 after)"} }, want: []string{"target-changed invalid"}, says: "version (1 before, 2 after)"},
		"a look without an answer": {change: func(s *serverLoad) { s.unseen = noAnswer + ": timeout" }, says: "did not answer a look"},
		"a restart explains counters": {
			change: func(s *serverLoad) { *s = *counted(0, 900); s.restarted = "its counters went back" },
			want:   []string{"target-changed invalid"}, says: "the server was restarted: its counters went back",
		},
		"a restart that cost requests": {
			change: func(s *serverLoad) { s.restarted = "its counters went back" },
			requests: func(i int, r *metric.Request) {
				if i == 4 {
					r.OK, r.Outcome, r.Error = false, metric.OutcomeStreamBroken, "it broke"
				}
			},
			want: []string{"died reject"}, says: "died and was started again (its counters went back): 1 of 9 requests failed, first: stream_broken: it broke",
		},
		"speculation": {
			change: func(s *serverLoad) { s.did.DraftTokens = metric.Known(500) },
			want:   []string{"spec-decode-synthetic warn"}, says: "drafted 500 tokens",
		},
		"speculation that gauges tell": {
			change: func(s *serverLoad) {
				s.did.DraftTokens, s.speculation = metric.Number{}, speculation{told: true, on: true}
			},
			want: []string{"spec-decode-synthetic warn"}, says: "drafted tokens ahead",
		},
		"no speculation, as gauges tell":             {change: func(s *serverLoad) { s.did.DraftTokens, s.speculation = metric.Number{}, speculation{told: true} }},
		"speculation that is not counted":            {change: func(s *serverLoad) { s.did.DraftTokens = metric.Number{} }, says: "do not tell whether it speculates"},
		"cached tokens untold, none by the counters": {requests: untold},
		"cached tokens untold, many by the counters": {
			change: func(s *serverLoad) { s.did.PrefixHits = metric.Known(9 * 200) }, requests: untold,
			want: []string{"cache-warm invalid"}, says: "78.1 %",
		},
		"cached tokens untold, of somebody else": {
			change: func(s *serverLoad) { *s = *counted(5000, 0); s.did.PrefixHits = metric.Known(9 * 200) }, requests: untold,
			want: []string{"cache-unverified warn", "other-traffic invalid"},
		},
		"cached tokens untold by anyone": {
			change: func(s *serverLoad) { s.did.PrefixHits = metric.Number{} }, requests: untold,
			want: []string{"cache-unverified warn"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := scene(replies(9, c.requests))
			e.server = counted(0, 0)
			if c.change != nil {
				c.change(e.server)
			}
			results := watch(tune(nil), e)
			if got := seen(results); !slices.Equal(got, c.want) {
				t.Errorf("fired %q, want %q", got, c.want)
			}
			if c.says != "" && !slices.ContainsFunc(results, func(r GuardResult) bool { return strings.Contains(r.Message, c.says) }) {
				t.Errorf("none of %+v says %q", results, c.says)
			}
		})
	}
}

func TestDrift(t *testing.T) {
	times := func(forced bool, ms ...int) []*metric.Request {
		var list []*metric.Request
		for i, d := range ms {
			r := reply(i)
			r.Asked.Forced = forced
			r.E2E, r.TPOT = metric.Span(time.Duration(d)*time.Millisecond), metric.Span(time.Duration(d)*time.Microsecond)
			if d == 0 {
				r.OK, r.Outcome = false, metric.OutcomeTimeout
			}
			list = append(list, r)
		}
		return list
	}
	for name, c := range map[string]struct {
		before, after []*metric.Request
		says          string
		fired         bool
	}{
		"the same":            {times(true, 100, 101, 102, 103, 104), times(true, 104, 103, 102, 101, 100), "", false},
		"5 % slower":          {times(true, 100, 100, 100, 100, 100), times(true, 105, 105, 105, 105, 105), "", false},
		"6 % slower":          {times(true, 100, 100, 100, 100, 100), times(true, 106, 106, 106, 106, 106), "took 6 % longer after the phase than before (median e2e of 5 requests)", true},
		"faster":              {times(true, 100, 101, 102, 103, 104), times(true, 70, 71, 72, 73, 74), "took 29 % shorter", true},
		"slower, and noisy":   {times(true, 100, 101, 102, 103, 120), times(true, 119, 125, 125, 125, 125), "", false},
		"of their own length": {times(false, 100, 100, 100, 100, 100), times(false, 200, 200, 200, 200, 200), "median tpot", true},
		"too many failed":     {times(true, 100, 100, 100, 100, 100), times(true, 0, 200, 200, 200, 200), "5 and 4 tell their time", false},
	} {
		t.Run(name, func(t *testing.T) {
			e := &evidence{drift: compareDrift(c.before, c.after), threshold: tune(nil)[slices.IndexFunc(Guards(), func(g Guard) bool { return g.ID == "drift" })].threshold}
			f := drifted(e)
			if said := f.message + f.unchecked; f.fired != c.fired || c.says == "" && said != "" || !strings.Contains(said, c.says) {
				t.Errorf("found %+v", f)
			}
		})
	}
	if f := drifted(&evidence{}); f != silent() {
		t.Errorf("of nothing: %+v", f)
	}
}

func TestFindingsAfterALevelWasJudged(t *testing.T) {
	for _, c := range []struct {
		was    State
		effect Effect
		want   State
	}{
		{Accepted, Undecide, UndecidedLevel},
		{Missed, Undecide, UndecidedLevel},
		{Accepted, Void, InvalidLevel},
		{UndecidedLevel, Void, InvalidLevel},
		{InvalidLevel, Undecide, InvalidLevel},
		{Rejected, Void, Rejected},
		{Accepted, Warn, Accepted},
		{Skipped, Void, Skipped},
		{IncompleteLevel, Void, IncompleteLevel},
	} {
		found := metric.NewLevel(1, nil)
		l := &LevelResult{State: c.was, Checks: []CheckResult{
			{Group: Correct, Result: CheckHolds, Values: []Value{{Path: "output_tps", Text: "12 tokens/s", speed: true}}},
			{Group: SLO, Result: CheckFails, Reason: "slow", Values: []Value{{Path: "ttft.p50", Text: "1s", speed: true}}},
		}}
		if c.was.Shown() {
			l.Figures, l.Wall, l.Formulas = found, metric.Span(time.Second), map[string]any{"catid-g0": 1}
		}
		l.weigh(GuardResult{ID: "drift", Status: Fired, Effect: c.effect, Message: "it drifted"})
		if l.State != c.want || len(l.Guards) != 1 {
			t.Errorf("%s and %s: state %s, want %s", c.was, c.effect, l.State, c.want)
		}
		if c.was.Shown() && !c.want.Shown() {
			_, walled := l.Wall.Duration()
			if l.Figures != nil || l.Withheld != found || l.Formulas != nil || l.WithheldFormulas == nil || walled {
				t.Errorf("%s and %s: the figures are not withheld", c.was, c.effect)
			}
			if l.Checks[0].Values[0].Text != "withheld" || l.Checks[1].Result != CheckNotJudged || l.Checks[1].Values != nil {
				t.Errorf("%s and %s: the checks tell figures: %+v", c.was, c.effect, l.Checks)
			}
		}
		if c.was.Shown() && c.want.Shown() && (l.Figures != found || l.Checks[1].Result != CheckFails) {
			t.Errorf("%s and %s: something is withheld", c.was, c.effect)
		}
	}
}
