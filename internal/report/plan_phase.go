package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

// planColumn is a column of a phase's levels. One in which nothing is known is
// left out.
type planColumn struct {
	title string
	cell  func(i int, l *engine.LevelPlan) string // empty: not known
}

func (s planned) columns() []planColumn {
	tokens := func(n int) string { return metric.Short(float64(n)) }
	known := func(n int) string {
		if n == 0 {
			return ""
		}
		return tokens(n)
	}
	fits := "fits"
	if capacity := s.plan.Scenario.Target.KVCapacityTokens; capacity > 0 {
		fits = "of " + tokens(capacity)
	}
	return []planColumn{
		{s.axis(), func(_ int, l *engine.LevelPlan) string { return l.Value() }},
		{"gated", func(_ int, l *engine.LevelPlan) string {
			if l.Gated {
				return "yes"
			}
			return "explored"
		}},
		{"requests", requestWords},
		{"warm-up", func(i int, _ *engine.LevelPlan) string { return fmt.Sprint(s.warmups(i)) }},
		{"canaries", func(i int, _ *engine.LevelPlan) string {
			if s.phase.Spec.Canaries == "off" {
				return ""
			}
			return fmt.Sprint(s.canaries(i))
		}},
		{"tokens in", func(_ int, l *engine.LevelPlan) string { return likely(l, l.Profile.PromptTokens) }},
		{"tokens out", func(_ int, l *engine.LevelPlan) string { return likely(l, l.Profile.OutputTokens) }},
		{"KV tokens", func(_ int, l *engine.LevelPlan) string {
			if l.Rate > 0 {
				return ""
			}
			return known(l.Profile.KVTokens)
		}},
		{"KV shared", func(_ int, l *engine.LevelPlan) string {
			return known(l.Profile.KVShared)
		}},
		{fits, func(_ int, l *engine.LevelPlan) string { return capacityWords(l.KV) }},
		{"expected", func(_ int, l *engine.LevelPlan) string {
			if d, ok := l.Expected(); ok {
				return span(d)
			}
			return ""
		}},
	}
}

// axis is what the phase's levels differ in.
func (s planned) axis() string {
	if len(s.phase.Spec.Load.Rates) > 0 {
		return "rate"
	}
	return "C"
}

// requestWords is how many sessions a level sends: with a sign where only a baseline
// tells.
func requestWords(_ int, l *engine.LevelPlan) string {
	n, known := l.Likely()
	switch {
	case !known:
		return ""
	case l.Sessions == 0 && n > 0:
		return fmt.Sprintf("≈ %d", n)
	}
	return fmt.Sprint(n)
}

// likely is a number of tokens over all sessions of a level; empty: not known.
func likely(l *engine.LevelPlan, each int) string {
	if each == 0 {
		return ""
	}
	n, known := l.Likely()
	switch {
	case !known:
		return ""
	case l.Sessions == 0 && n > 0:
		return "≈ " + metric.Short(float64(n*each))
	}
	return metric.Short(float64(n * each))
}

// load says how sessions are started, where the mode's name does not say it all.
func (s planned) load() string {
	l := s.phase.Spec.Load
	var words []string
	switch l.Mode {
	case "window":
		words = append(words, metric.Clock(l.Duration)+", as many requests as come to be in it")
	case "rate":
		words = append(words, l.Arrivals+" arrivals", fmt.Sprintf("at most %d in flight", l.MaxInFlight))
		if l.Duration > 0 {
			words = append(words, "for "+metric.Clock(l.Duration))
		}
	}
	if l.Ramp > 0 {
		words = append(words, "ramped up over "+metric.Clock(l.Ramp))
	}
	if l.Drain == "cancel" {
		words = append(words, "what is in flight at the end is cancelled")
	}
	if l.MaxDuration > 0 {
		words = append(words, "each level at most "+metric.Clock(l.MaxDuration))
	}
	return strings.Join(words, ", ")
}

// capacityWords says whether a level's sessions fit into the KV cache together.
func capacityWords(kv *engine.KVDemand) string {
	switch {
	case kv == nil || kv.Capacity == 0:
		return ""
	case kv.Tokens <= kv.Capacity:
		return "fits"
	case kv.SharedTokens > 0 && kv.SharedTokens <= kv.Capacity:
		return "if shared"
	case kv.SpreadTokens > 0 && kv.SpreadTokens <= kv.Capacity:
		return "if spread"
	}
	return "too much"
}

// table prints the phase's levels.
func (s planned) table(b *strings.Builder) {
	if len(s.phase.Levels) == 0 {
		b.WriteString("  no level is left to run\n")
		return
	}
	var header table.Row
	rows := make([]table.Row, len(s.phase.Levels))
	var configs []table.ColumnConfig
	for _, column := range s.columns() {
		cells, known := make([]string, len(rows)), false
		for i, l := range s.phase.Levels {
			cells[i] = column.cell(i, l)
			known = known || cells[i] != ""
		}
		if !known {
			continue
		}
		header = append(header, column.title)
		configs = append(configs, table.ColumnConfig{Number: len(header), Align: text.AlignRight, AlignHeader: text.AlignRight})
		for i, cell := range cells {
			if cell == "" {
				cell = dash
			}
			rows[i] = append(rows[i], cell)
		}
	}
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(header)
	t.AppendRows(rows)
	t.SetColumnConfigs(configs)
	b.WriteString(t.Render() + "\n")
}

// notes prints what else the phase's author has set.
func (s planned) notes(b *strings.Builder) {
	spec := s.phase.Spec
	note := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-8s %s\n", name, fmt.Sprintf(format, args...))
	}
	for _, l := range s.phase.Levels {
		if l.KV != nil && l.KV.Message != "" {
			note("kv-bound", "%s", s.p.warn.Sprint(l.KV.Message))
		}
	}
	if !spec.Gate.Empty() {
		note("gate", "%s", spec.Gate)
	}
	if len(spec.Requires) > 0 {
		var names []string
		for _, name := range spec.Requires {
			names = append(names, name.String())
		}
		note("requires", "%s", strings.Join(names, ", "))
	}
	if load := s.load(); load != "" {
		note("load", "%s", load)
	}
	if len(s.phase.Levels) > 0 {
		if d := s.phase.Levels[0].Profile.Data; d != nil {
			note("prompts", "%d of %s, sha256 %.12s…", d.Prompts, d.File, d.SHA256)
		}
	}
	note("warm-up", "%s", s.warmup())
	if text := limits(spec.Limits); text != "" {
		note("limits", "%s for each request", text)
	}
	if spec.CacheFlush == "level" {
		note("cache", "emptied before each level, ahead of its warm-up, where the server can")
	}
	note("canaries", "%s", s.canaryWords())
	if n := s.phase.DriftRequests(); n > 0 {
		note("drift", "%d requests at C=1 before the first level, and after the last", n)
	}
	if f := s.phase.Formula; f != nil {
		note("formula", "%s  %s", f.ID, s.p.dim.Sprint(f.Doc))
	}
	if len(spec.Assumed) > 0 {
		note("assumed", "%s", strings.Join(spec.Assumed, ", "))
	}
	for _, guard := range s.phase.Tuned() {
		note("guard", "%s %s  %s", guard.ID, guardWords(guard), s.p.dim.Sprint("because: "+guard.Because))
	}
	if spec.FailFast {
		note("fail", "fast: the rest is left out after the first level that is not accepted")
	}
}

// warmup says when the warm-up is sent, and how much.
func (s planned) warmup() string {
	w := s.phase.Spec.Warmup
	if w.Off {
		return "off"
	}
	up := fmt.Sprintf("up to %d tokens each", w.OutputTokens)
	switch first := s.warmed(); {
	case w.Scope == "level":
		return up + ", before each level"
	case w.Scope == "phase":
		return up + ", once before the phase"
	case first != nil && first != s.phase:
		return "once per run, before phase " + first.Spec.Name
	}
	return up + ", once before the run"
}

// canaryWords says when requests with known answers are sent.
func (s planned) canaryWords() string {
	if s.phase.Spec.Canaries == "off" {
		return "off"
	}
	if s.phase.Spec.Canaries == "interleaved" {
		return "among the load of each level; the first are sent alone, to see what the model knows"
	}
	return "before and after each level; the first are sent alone, to see what the model knows"
}

// guardWords is a guard's effect and the thresholds that were set.
func guardWords(guard engine.TunedGuard) string {
	words := []string{string(guard.Effect)}
	for _, name := range slices.Sorted(maps.Keys(guard.Thresholds)) {
		words = append(words, fmt.Sprintf("%s %g", name, guard.Thresholds[name]))
	}
	return strings.Join(words, ", ")
}

// checks prints the phase's checks, and where they exist if not everywhere.
func (s planned) checks(b *strings.Builder) {
	for _, c := range s.phase.Checks {
		line := fmt.Sprintf("  %-8s ", c.Group)
		if c.Spec.Name != "" {
			line += c.Spec.Name + ": "
		}
		line += c.Spec.Expr.String()
		if !c.Spec.When.Empty() {
			line += s.p.dim.Sprintf("  when %s", c.Spec.When)
		}
		switch exists, all := c.Exists(s.phase), len(s.phase.Levels); {
		case exists == 0 && all > 0:
			line += "  " + s.p.warn.Sprint("at no level")
		case exists < all:
			line += s.p.dim.Sprintf("  (%d of %d levels)", exists, all)
		}
		if needs := c.Needs(s.phase); len(needs) > 0 {
			line += s.p.dim.Sprintf("  (%s, else undecided)", strings.Join(needs, ", "))
		}
		b.WriteString(line + "\n")
	}
	for _, c := range s.phase.Summary {
		line := fmt.Sprintf("  summary  %s ", c.Group)
		if c.Spec.Name != "" {
			line += c.Spec.Name + ": "
		}
		b.WriteString(line + c.Spec.Expr.String() + "\n")
	}
}
