package report

import (
	"fmt"
	"io"
	"strings"
	"time"

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
		l.end()
		fmt.Fprintf(l.w, "waiting: %s\n", e.Reason)
	case engine.TargetFound:
		fmt.Fprintf(l.w, "target: %s\n", strings.TrimSpace(e.Facts.Model+" "+e.Facts.Server+" "+e.Facts.Version))
	case engine.LevelStarted:
		l.begin(e)
	case engine.LevelEnded:
		l.end()
		fmt.Fprintf(l.w, "%s %s: %s%s\n", e.Phase.Spec.Name, e.Result.Name(), l.palette.state(e.Result.State).Sprint(string(e.Result.State)), because(e.Result))
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
	name := e.Phase.Spec.Name + " " + e.Level.Name()
	if n := e.Level.Repeats; n > 1 {
		name += fmt.Sprintf(" repeat %d of %d", e.Level.Repeat+1, n)
	}
	started := time.Now()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(l.every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				l.line(progress(name, e.Live, time.Since(started), l.terminal))
			case <-done:
				return
			}
		}
	}()
	l.stop = func() {
		close(done)
		<-ended
		if l.terminal {
			io.WriteString(l.w, clearLine)
		}
	}
}

// end stops showing a level.
func (l *Live) end() {
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
}

// clearLine goes to the start of the terminal's line and clears it.
const clearLine = "\r\x1b[K"

// line shows how far a level is.
func (l *Live) line(text string) {
	if l.terminal {
		io.WriteString(l.w, clearLine+text)
		return
	}
	fmt.Fprintln(l.w, text)
}

// progress is how far a level is: with a bar where it is rewritten.
func progress(name string, live *engine.Live, passed time.Duration, bar bool) string {
	if !live.WarmedUp.Load() {
		return name + "  warming up"
	}
	if live.Planned == 0 {
		return windowProgress(name, live, bar)
	}
	done, planned := live.Done.Load(), int64(live.Planned)
	text := fmt.Sprintf("%d/%d done, %d in flight, %d errors", done, live.Planned, live.InFlight.Load(), live.Failed.Load())
	if done > 0 && done < planned {
		left := time.Duration(float64(passed) * float64(planned-done) / float64(done))
		text += ", about " + left.Round(time.Second).String() + " left"
	}
	if !bar {
		return name + ": " + text
	}
	return name + "  " + progressBar(float64(done)/float64(planned)) + "  " + text
}

// windowProgress is how far a window is, by the clock.
func windowProgress(name string, live *engine.Live, bar bool) string {
	text := fmt.Sprintf("%d done, %d in flight, %d errors", live.Done.Load(), live.InFlight.Load(), live.Failed.Load())
	left := time.Until(time.Unix(0, live.Ends.Load())).Round(time.Second)
	if left > 0 {
		text += fmt.Sprintf(", %v left", left)
	} else {
		text += ", the window is over"
	}
	if !bar {
		return name + ": " + text
	}
	return name + "  " + progressBar(1-min(1, max(0, left.Seconds()/live.Lasts.Seconds()))) + "  " + text
}

// progressBar shows a share between 0 and 1.
func progressBar(share float64) string {
	const width = 24
	filled := int(width * share)
	return strings.Repeat("█", filled) + strings.Repeat("░", width-filled)
}
