package report

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"scenario/internal/engine"
	"scenario/internal/spec"
	"scenario/internal/target"
)

func TestLive(t *testing.T) {
	phase := &engine.PhasePlan{Spec: &spec.Phase{Name: "decode"}}
	level := &engine.LevelPlan{Concurrency: 8}
	for name, terminal := range map[string]bool{"live_terminal.txt": true, "live_log.txt": false} {
		synctest.Test(t, func(t *testing.T) {
			var b strings.Builder
			l := NewLive(&b, terminal, NewPalette(false))
			l.Observe(engine.Waiting{Reason: "nobody listens"})
			l.Observe(engine.TargetFound{Facts: &target.Facts{Model: "m", Server: "vllm", Version: "1"}})
			live := &engine.Live{Planned: 40}
			l.Observe(engine.LevelStarted{Phase: phase, Level: level, Live: live})
			time.Sleep(25*time.Second + 100*time.Millisecond)
			live.WarmedUp.Store(true)
			live.Done.Store(10)
			live.InFlight.Store(8)
			live.Failed.Store(1)
			if terminal {
				time.Sleep(250 * time.Millisecond)
			} else {
				time.Sleep(20 * time.Second)
			}
			l.Observe(engine.LevelEnded{Phase: phase, Result: &engine.LevelResult{Concurrency: 8, State: engine.Rejected, Reason: "it was wrong"}})
			l.Observe(engine.LevelStarted{Phase: phase, Level: level, Live: live})
			l.Observe(engine.LevelEnded{Phase: phase, Result: &engine.LevelResult{Concurrency: 8, State: engine.Accepted}})
			text := strings.ReplaceAll(b.String(), clearLine, "<clear>")
			if terminal { // 125 times the same
				head, tail, _ := strings.Cut(text, strings.Repeat("<clear>decode C=8  warming up", 124))
				text = head + tail
			}
			golden(t, name, strings.ReplaceAll(text, "<clear>", "\n<clear>"))
		})
	}
}
