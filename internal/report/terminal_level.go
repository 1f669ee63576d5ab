package report

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/fatih/color"

	"scenario/internal/engine"
)

// state is the colour of a level's state.
func (p Palette) state(s engine.State) *color.Color {
	switch s {
	case engine.Accepted:
		return p.good
	case engine.Rejected, engine.Missed:
		return p.bad
	case engine.Skipped, engine.IncompleteLevel:
		return p.dim
	}
	return p.warn
}

// level prints what a reader must know of one level beside its row: why it is
// not accepted, and what its guards saw.
func (t terminal) level(l *engine.LevelResult) {
	var lines []string
	if l.Reason != "" {
		lines = append(lines, l.Reason)
	}
	lines = append(lines, t.guards(l)...)
	for _, c := range l.Checks {
		// Where a level is worse than undecided, its undecided checks read what
		// the fault left unknown: noise.
		if c.Result == engine.CheckFails || c.Result == engine.CheckUndecided && l.State == engine.UndecidedLevel {
			lines = append(lines, t.check(c)...)
		}
	}
	lines = append(lines, failures(l)...)
	lines = append(lines, warmup(l.Warmup)...)
	lines = append(lines, l.Notes...)
	lines = append(lines, beside(l)...)
	for i, line := range lines {
		lead := strings.Repeat(" ", 10)
		if i == 0 {
			lead = fmt.Sprintf("  %-8s", levelName(l))
		}
		fmt.Fprintf(t, "%s%s\n", lead, line)
	}
}

// failures lists the most frequent causes of failed requests.
func failures(l *engine.LevelResult) []string {
	const most = 3
	var lines []string
	for i, f := range l.Failures {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d other causes: requests.jsonl has them all", len(l.Failures)-most+l.OtherCauses))
			break
		}
		lines = append(lines, fmt.Sprintf("%d × %s: %s", f.Count, f.Outcome, f.Error))
	}
	if l.Retried > 0 {
		lines = append(lines, fmt.Sprintf("%d × sent again after a failure, which counts all the same", l.Retried))
	}
	return lines
}

// guards are the guards that decide a level's state. Those that say the same
// share a line.
func (t terminal) guards(l *engine.LevelResult) []string {
	var lines []string
	for i, g := range l.Guards {
		if g.Status != engine.Fired || !g.Effect.Decides() {
			continue
		}
		same := func(other engine.GuardResult) bool {
			return other.Status == engine.Fired && other.Effect == g.Effect && other.Message == g.Message
		}
		if slices.ContainsFunc(l.Guards[:i], same) {
			continue
		}
		names := g.ID
		for _, other := range l.Guards[i+1:] {
			if same(other) {
				names += ", " + other.ID
			}
		}
		effect := t.warn
		if g.Effect == engine.Reject {
			effect = t.bad
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", effect.Sprint(string(g.Effect)), names, g.Message))
	}
	return lines
}

func (t terminal) check(c engine.CheckResult) []string {
	word := t.bad
	if c.Result == engine.CheckUndecided {
		word = t.warn
	}
	name := c.Expr
	if c.Name != "" {
		name = c.Name + ": " + c.Expr
	}
	if c.Repeat > 0 {
		name = fmt.Sprintf("(repeat %d) %s", c.Repeat, name)
	}
	lines := []string{fmt.Sprintf("%s %s %s  %s", c.Group, word.Sprint(string(c.Result)), name, t.dim.Sprint(c.At))}
	if c.Reason != "" {
		lines = append(lines, "  "+c.Reason)
	}
	if len(c.Values) > 0 && len(c.Offenders) == 0 {
		lines = append(lines, "  "+pairs(c.Values))
	}
	for _, o := range c.Offenders {
		lines = append(lines, fmt.Sprintf("  %s[%d]: %s", o.List, o.Index, pairs(o.Values)))
	}
	return lines
}

func pairs(values []engine.Value) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = v.Path + " = " + v.Text
	}
	return strings.Join(words, ", ")
}

// formulas prints a published method's own figures, name by name.
func formulas(l *engine.LevelResult) []string {
	var lines []string
	for id, figures := range l.Formulas {
		var list []string
		for _, f := range members(figures) {
			list = append(list, f.name+" "+f.text)
		}
		lines = append(lines, id+": "+strings.Join(list, " · "))
	}
	sort.Strings(lines)
	return lines
}

// common prints the tags and warnings of a phase's guards, once for all levels
// that have them, and the guards that the scenario has changed.
func (t terminal) common(p *engine.PhaseResult) {
	type remark struct {
		id, message string
		effect      engine.Effect
		status      engine.GuardStatus
	}
	levels := map[remark][]*engine.LevelResult{}
	var order []remark
	ran := 0
	for _, l := range p.Levels {
		if l.Guards != nil || l.Checks != nil {
			ran++
		}
		for _, g := range l.Guards {
			if g.Status == engine.Fired && g.Effect.Decides() {
				continue
			}
			r := remark{g.ID, g.Message, g.Effect, g.Status}
			if levels[r] == nil {
				order = append(order, r)
			}
			levels[r] = append(levels[r], l)
		}
	}
	for _, r := range order {
		where, word := "", string(r.effect)
		if len(levels[r]) < ran {
			where = " (" + engine.Names(levels[r]) + ")"
		}
		if r.status == engine.NotChecked {
			word = "not checked"
		}
		fmt.Fprintf(t, "  %s %s%s: %s\n", t.warn.Sprint(word), r.id, where, r.message)
	}
	for _, line := range slices.Concat(canaries(p), flushed(p)) {
		fmt.Fprintf(t, "  %s\n", line)
	}
	for _, g := range p.Tuned {
		fmt.Fprintf(t, "  %s %s\n", t.warn.Sprint("tuned"), tuning(g))
	}
}

// tuning says what a scenario has changed about a guard.
func tuning(g engine.TunedGuard) string {
	words := []string{g.ID + ": " + string(g.Effect)}
	for _, name := range slices.Sorted(maps.Keys(g.Thresholds)) {
		words = append(words, fmt.Sprintf("%s %g", name, g.Thresholds[name]))
	}
	return strings.Join(words, ", ") + ", because: " + g.Because
}

// warmup says that a part of a warm-up failed; where all of it did, its guard tells.
func warmup(w *engine.WarmupResult) []string {
	if w == nil || w.Failed == 0 || w.Failed == w.Sent {
		return nil
	}
	return []string{fmt.Sprintf("warm-up: %d of %d requests were not good, first: %s", w.Failed, w.Sent, w.Error)}
}
