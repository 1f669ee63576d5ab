package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

func steadyGuard(l *engine.LevelResult) *engine.GuardResult {
	i := slices.IndexFunc(l.Guards, func(g engine.GuardResult) bool { return g.ID == "not-steady" })
	if i < 0 {
		return nil
	}
	return &l.Guards[i]
}

func TestSteadinessOfWindows(t *testing.T) {
	slowing, _ := simserver.Find("slows-down")
	window := func(concurrency, prompt, output int, duration string) string {
		return fmt.Sprintf("\n  - name: soak\n    kind: fixed-token\n    concurrency: %d\n    workload: {prompt: {ids: random, tokens: %d}, output_tokens: %d}\n    warmup: off\n    canaries: off\n    load: {mode: window, duration: %s}\n    checks: {correct: [ok_count == issued]}\n", concurrency, prompt, output, duration)
	}
	for name, c := range map[string]struct {
		server simserver.Config
		phase  string
		state  engine.State
		say    string
	}{
		"steady":                   {simserver.Healthy(), window(8, 64, 128, "30s"), engine.Accepted, ""},
		"one at a time":            {simserver.Healthy(), window(1, 64, 64, "30s"), engine.Accepted, ""},
		"locked in step":           {simserver.Healthy(), window(32, 4000, 96, "40s"), engine.Accepted, ""},
		"fewer slots than streams": {func() simserver.Config { c := simserver.Healthy(); c.Slots = 3; return c }(), window(8, 256, 128, "40s"), engine.Accepted, ""},
		"too short to tell":        {simserver.Healthy(), window(8, 64, 512, "8s"), engine.Accepted, "it takes 6 and 20"},
		"slows down":               {simserver.Healthy().With(slowing), window(8, 64, 128, "20s"), engine.UndecidedLevel, "fewer tokens than the first"},
	} {
		t.Run(name, func(t *testing.T) {
			l, _, _ := loaded(t, world{server: c.server}, c.phase)
			g := steadyGuard(l)
			if l.State != c.state || (g == nil) != (c.say == "") || g != nil && !strings.Contains(g.Message, c.say) {
				t.Errorf("the level is %s (%s); the guard says %+v", l.State, l.Why(), g)
			}
		})
	}
}

func TestAServerThatRunsAPartAtOnceIsTagged(t *testing.T) {
	for name, c := range map[string]struct {
		slots, concurrency int
		want               bool
	}{
		"half":        {4, 8, true},
		"one of many": {1, 4, true},
		"all":         {8, 8, false},
		"more":        {64, 8, false},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := simserver.Healthy()
			cfg.Slots = c.slots
			r := world{server: cfg}.run(t, plan(t, header+fmt.Sprintf("\n  - name: decode\n    kind: fixed-token\n    concurrency: %d\n    workload: {prompt: {ids: random, tokens: 256}, output_tokens: 256}\n    checks: {correct: [ok_count == issued]}\n", c.concurrency), engine.PlanOptions{}))
			if got := tagged(r, "server-capped"); got != c.want || r.Verdict.Decision != engine.Go {
				t.Errorf("tagged: %v, verdict %v", got, r.Verdict)
			}
		})
	}
}
