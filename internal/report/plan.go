package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"scenario/internal/chat"
	"scenario/internal/engine"
	"scenario/internal/metric"
)

// Plan prints what a scenario would send: how, and for each level requests,
// tokens, the KV cache it takes and, where the baseline says it, how long that
// lasts; then what is judged by.
func Plan(w io.Writer, plan *engine.Plan, p Palette) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  seed %d\n", p.bold.Sprint(plan.Scenario.Name), plan.Seed)
	if text := plan.Scenario.Description; text != "" {
		b.WriteString(p.dim.Sprint(text) + "\n")
	}
	if len(plan.Partial) > 0 {
		fmt.Fprintf(&b, "%s %s: no verdict on the whole scenario\n", p.warn.Sprint("partial"), strings.Join(plan.Partial, ", "))
	}
	for _, message := range plan.NotCovered {
		fmt.Fprintf(&b, "%s %s\n", p.warn.Sprint("not covered"), message)
	}
	if base := plan.Baseline; base != nil {
		fmt.Fprintf(&b, "baseline %s\n", strings.Join(filled(base.Source, base.Model, base.Hardware, base.Engine), ", "))
	}
	var total planTotal
	for i, ph := range plan.Phases {
		s := planned{plan, ph, p, i}
		fmt.Fprintf(&b, "\n%s  %s\n", p.bold.Sprint(ph.Spec.Name), p.dim.Sprint(strings.Join(s.method(), " · ")))
		s.table(&b)
		s.notes(&b)
		s.checks(&b)
		total.add(s)
	}
	b.WriteString("\n" + total.String() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// planned is one phase of a plan that is being printed.
type planned struct {
	plan  *engine.Plan
	phase *engine.PhasePlan
	p     Palette
	index int // among the plan's phases
}

// method says how the phase's requests are sent.
func (s planned) method() []string {
	spec := s.phase.Spec
	api := "completions"
	if s.phase.API == chat.Chat {
		api = "chat"
	}
	words := []string{s.phase.Kind.Name, api, spec.Load.Mode, "cache " + s.phase.Cache, "streamed"}
	if !spec.Stream {
		words[len(words)-1] = "not streamed"
	}
	if spec.Temperature.Set {
		words = append(words, fmt.Sprintf("temperature %g", spec.Temperature.Value))
	} else {
		words = append(words, "temperature not sent")
	}
	if spec.ErrorBudget > 0 {
		words = append(words, fmt.Sprintf("error budget %g %%", 100*spec.ErrorBudget))
	}
	if spec.Repeats > 1 {
		words = append(words, fmt.Sprintf("%d repeats of each level", spec.Repeats))
	}
	if spec.Retries > 0 {
		words = append(words, fmt.Sprintf("up to %d retries", spec.Retries))
	}
	return words
}

// warmups is the number of warm-up sessions before the i-th level that is run.
func (s planned) warmups(i int) int {
	switch scope := s.phase.Spec.Warmup.Scope; {
	case scope == "level":
		return s.phase.Levels[i].Warmups * s.phase.Spec.Repeats
	case i > 0, scope == "run" && s.warmed() != s.phase:
		return 0
	}
	return s.phase.Levels[i].Warmups
}

// canaries is the number of requests with known answers around the i-th level that
// is run, those of the calibration included.
func (s planned) canaries(i int) int {
	n, _ := s.phase.Canaries(s.phase.Levels[i], len(s.plan.Scenario.Target.BaseURLs))
	n *= s.phase.Spec.Repeats
	if i == 0 && s.plan.Calibrates(s.phase) {
		n += engine.Calibrating()
	}
	return n
}

// warmed is the phase before which the warm-up of the run is sent: the first that
// has one and a level. Nil: there is none.
func (s planned) warmed() *engine.PhasePlan {
	for _, ph := range s.plan.Phases {
		if w := ph.Spec.Warmup; w.Scope == "run" && !w.Off && len(ph.Levels) > 0 {
			return ph
		}
	}
	return nil
}

// planTotal is what all phases send together.
type planTotal struct {
	requests, tokens int
	open             int // levels whose requests nobody can count before
	levels, timed    int // levels, and those whose duration the baseline tells
	expected         time.Duration
	baseline         bool // a level's duration is not the clock's
}

func (t *planTotal) add(s planned) {
	for i, l := range s.phase.Levels {
		warmups, canaries := s.warmups(i), s.canaries(i)
		sessions, known := l.Likely()
		if !known {
			t.open++
		}
		t.baseline = t.baseline || l.Lasts == 0
		t.requests += sessions + warmups + canaries
		t.tokens += canaries * engine.CanaryTokens
		t.tokens += sessions*(l.Profile.PromptTokens+l.Profile.OutputTokens) + warmups*(l.Profile.PromptTokens+s.phase.Spec.Warmup.OutputTokens)
		t.levels++
		if d, ok := l.Expected(); ok {
			t.timed++
			t.expected += d
		}
	}
}

func (t *planTotal) String() string {
	text := fmt.Sprintf("%d requests, at most %s tokens in and out", t.requests, metric.Short(float64(t.tokens)))
	if t.open > 0 {
		text += fmt.Sprintf(", and what comes to be in %d of %d windows", t.open, t.levels)
	}
	by := ""
	if t.baseline {
		by = "at the baseline's speed "
	}
	switch {
	case t.timed == 0:
		return text
	case t.timed < t.levels:
		text += fmt.Sprintf("; %sabout %s for ", by, span(t.expected))
		if t.baseline {
			return text + fmt.Sprintf("the %d of %d levels that it has", t.timed, t.levels)
		}
		return text + fmt.Sprintf("%d of %d levels", t.timed, t.levels)
	}
	return text + fmt.Sprintf("; %sabout %s", by, span(t.expected))
}

// filled are the texts that are not empty.
func filled(texts ...string) []string {
	var list []string
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}
