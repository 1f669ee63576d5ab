package report

import (
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"

	"scenario/internal/engine"
)

// Live shows how a run goes on: counts, errors, what is in flight and the time
// that is left, never a speed. On a terminal it is one line that is rewritten,
// elsewhere a line now and then.
type Live struct {
	w        io.Writer
	terminal bool
	every    time.Duration
	palette  Palette
	stop     func()
}

// NewLive writes to w. terminal says whether lines can be rewritten there.
func NewLive(w io.Writer, terminal bool, p Palette) *Live {
	every := 20 * time.Second
	if terminal {
		every = 200 * time.Millisecond
	}
	return &Live{w: w, terminal: terminal, every: every, palette: p}
}

// Observe implements engine.Observer.
func (l *Live) Observe(e engine.Event) {
	switch e := e.(type) {
	case engine.Waiting:
		fmt.Fprintf(l.w, "waiting: %s\n", e.Reason)
	case engine.TargetFound:
		fmt.Fprintf(l.w, "target: %s %s %s\n", e.Facts.Model, e.Facts.Server, e.Facts.Version)
	case engine.LevelStarted:
		l.begin(e)
	case engine.LevelEnded:
		l.end()
		fmt.Fprintf(l.w, "%s C=%d: %s%s\n", e.Phase.Spec.Name, e.Result.Concurrency, l.palette.state(e.Result.State).Sprint(string(e.Result.State)), because(e.Result))
	}
}

func because(r *engine.LevelResult) string {
	if r.State == engine.Accepted {
		return ""
	}
	return ": " + r.Why()
}

// begin shows a level until end is called.
func (l *Live) begin(e engine.LevelStarted) {
	l.end()
	name := fmt.Sprintf("%s C=%d", e.Phase.Spec.Name, e.Level.Concurrency)
	show, closing := l.line(name, e.Live)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer closing()
		ticker := time.NewTicker(l.every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				show()
			case <-done:
				return
			}
		}
	}()
	l.stop = func() { close(done); <-ended }
}

// end stops showing a level.
func (l *Live) end() {
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
}

// line is how a level is shown, and how that ends.
func (l *Live) line(name string, live *engine.Live) (show, closing func()) {
	started := time.Now()
	if !l.terminal {
		return func() {
			fmt.Fprintf(l.w, "%s: %s%s\n", name, counts(live), left(live, time.Since(started)))
		}, func() {}
	}
	w := progress.NewWriter()
	w.SetOutputWriter(l.w)
	w.SetUpdateFrequency(l.every)
	w.SetTrackerLength(24)
	w.SetStyle(progress.StyleBlocks)
	style := w.Style()
	style.Visibility = progress.StyleVisibility{Tracker: true}
	style.Options.Separator = " "
	tracker := &progress.Tracker{Message: name, Total: int64(max(1, live.Planned)), RemoveOnCompletion: true}
	w.AppendTracker(tracker)
	rendered := make(chan struct{})
	go func() { w.Render(); close(rendered) }()
	show = func() {
		tracker.UpdateMessage(name + "  " + counts(live) + left(live, time.Since(started)))
		tracker.SetValue(min(live.Done.Load(), tracker.Total-1))
	}
	return show, func() {
		tracker.MarkAsDone()
		w.Stop()
		<-rendered
	}
}

// counts is a level's counts in words.
func counts(live *engine.Live) string {
	if !live.WarmedUp.Load() {
		return "warming up"
	}
	return fmt.Sprintf("%d/%d done, %d in flight, %d errors", live.Done.Load(), live.Planned, live.InFlight.Load(), live.Failed.Load())
}

// left is the time a level still takes if it goes on as it did.
func left(live *engine.Live, passed time.Duration) string {
	done := live.Done.Load()
	if done == 0 {
		return ""
	}
	rest := time.Duration(float64(passed) * float64(int64(live.Planned)-done) / float64(done))
	return ", about " + rest.Round(time.Second).String() + " left"
}
