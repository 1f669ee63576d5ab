package report

import (
	"fmt"
	"slices"
	"strings"

	"scenario/internal/engine"
)

// trouble is one thing that was wrong at a level, or that could not be decided
// there. Reports say the same of it, each in its own form.
type trouble struct {
	what    string   // "slo fails", "reject errors", "2 × timeout"
	name    string   // what the scenario calls a check
	expr    string   // of a check
	at      string   // of a check: file:line:col
	details []string // what was read or seen, in words
}

// String is the trouble as text of one or more lines.
func (t trouble) String() string {
	head := []string{t.what}
	if t.name != "" {
		head = append(head, t.name+":")
	}
	if t.expr == "" {
		return strings.Join(head, " ") + ": " + strings.Join(t.details, "\n  ")
	}
	head = append(head, t.expr)
	return strings.Join(append([]string{strings.Join(head, " ") + "  " + t.at}, t.details...), "\n  ")
}

// troubles lists what kept a level from being accepted: its reason, guards,
// checks, and the causes of failed requests.
func troubles(l *engine.LevelResult) []trouble {
	var list []trouble
	if l.Reason != "" {
		list = append(list, trouble{what: string(l.State), details: []string{l.Reason}})
	}
	for _, g := range l.Guards {
		if decisiveGuard(g) && g.Message != l.Reason {
			list = append(list, trouble{what: string(g.Effect) + " " + g.ID, details: []string{g.Message}})
		}
	}
	for _, c := range l.Checks {
		if decisiveCheck(l, c) {
			what := string(c.Group) + " " + string(c.Result)
			if c.Repeat > 0 {
				what += fmt.Sprintf(" (repeat %d)", c.Repeat)
			}
			list = append(list, trouble{what: what, name: c.Name, expr: c.Expr, at: c.At, details: details(c)})
		}
	}
	for _, f := range l.Failures {
		list = append(list, trouble{what: fmt.Sprintf("%d × %s", f.Count, f.Outcome), details: []string{f.Error}})
	}
	if l.OtherCauses > 0 {
		list = append(list, trouble{what: fmt.Sprintf("and %d further causes", l.OtherCauses), details: []string{"requests.jsonl has them all"}})
	}
	return list
}

// decisiveGuard reports whether a guard has put a level into a worse state.
func decisiveGuard(g engine.GuardResult) bool {
	return g.Status == engine.Fired && g.Effect.Decides()
}

// decisiveCheck reports whether a check is worth a line. Where a level is worse
// than undecided, its undecided checks read what the fault left unknown.
func decisiveCheck(l *engine.LevelResult, c engine.CheckResult) bool {
	return c.Result == engine.CheckFails || c.Result == engine.CheckUndecided && l.State == engine.UndecidedLevel
}

// details are why a check is undecided, and what it read: the elements it failed
// on where it is about a list.
func details(c engine.CheckResult) []string {
	var list []string
	if c.Reason != "" {
		list = append(list, c.Reason)
	}
	if len(c.Offenders) == 0 && len(c.Values) > 0 {
		list = append(list, pairs(c.Values))
	}
	for _, o := range c.Offenders {
		list = append(list, fmt.Sprintf("%s[%d]: %s", o.List, o.Index, pairs(o.Values)))
	}
	return list
}

// levelName names a level within its phase. The phase's summary is none, and has
// neither a concurrency nor a rate.
func levelName(l *engine.LevelResult) string {
	if l.Concurrency == 0 && l.Rate == 0 {
		return "summary"
	}
	return l.Name()
}

// elsewhere are the verdict's reasons that are no level's: of the run, under the
// empty name, and of phases.
func elsewhere(r *engine.Result) map[string][]string {
	reasons := map[string][]string{}
	for _, reason := range r.Verdict.Reasons {
		if !ofLevel(r, reason) {
			phase := phaseOf(r, reason)
			reasons[phase] = append(reasons[phase], reason)
		}
	}
	return reasons
}

// ofLevel reports whether a reason is that of a level which counts.
func ofLevel(r *engine.Result, reason string) bool {
	return slices.ContainsFunc(r.Phases, func(p *engine.PhaseResult) bool {
		return slices.ContainsFunc(judged(p), func(l *engine.LevelResult) bool {
			return l.Gated && l.State != engine.Accepted && strings.HasPrefix(reason, fmt.Sprintf("%s %s %s: ", p.Name, levelName(l), l.State))
		})
	})
}

// phaseOf is the phase whose name a reason begins with, or empty.
func phaseOf(r *engine.Result, reason string) string {
	found := ""
	for _, p := range r.Phases {
		if len(p.Name) > len(found) && (strings.HasPrefix(reason, p.Name+" ") || strings.HasPrefix(reason, p.Name+":")) {
			found = p.Name
		}
	}
	return found
}

// warmupFailed says what of a warm-up was not good.
func warmupFailed(w *engine.WarmupResult) string {
	return fmt.Sprintf("warm-up: %d of %d requests were not good, first: %s", w.Failed, w.Sent, w.Error)
}
