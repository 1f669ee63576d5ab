package engine

import (
	"slices"
	"testing"

	"scenario/internal/metric"
	"scenario/internal/spec"
)

func TestEveryGuardFiresInATest(t *testing.T) {
	// The table of TestGuards is the only proof that a guard can fire: a new one needs a row.
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
