package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

// Terminal prints a result: the target, a table for each phase with the reasons
// below it, and the verdict.
func Terminal(w io.Writer, r *engine.Result, p Palette) error {
	var b strings.Builder
	t := terminal{&b, p}
	t.head(r)
	for _, phase := range r.Phases {
		t.phase(phase)
	}
	t.client(r)
	t.notes(r)
	t.verdict(r)
	_, err := io.WriteString(w, b.String())
	return err
}

type terminal struct {
	*strings.Builder
	Palette
}

func (t terminal) head(r *engine.Result) {
	fmt.Fprintf(t, "\n%s", t.bold.Sprint(r.Scenario.Name))
	if r.Target != nil {
		f := r.Target
		fmt.Fprintf(t, " on %s", strings.Join(f.BaseURLs, ", "))
		fmt.Fprintf(t, "  %s", t.dim.Sprint(about(r)))
	}
	t.WriteString("\n")
	if r.Scenario.Description != "" {
		fmt.Fprintf(t, "%s\n", r.Scenario.Description)
	}
}

// about is the target in a few words.
func about(r *engine.Result) string {
	f := r.Target
	words := []string{f.Model}
	if r.Run.Simulated != "" {
		words = append(words, "simulated server: "+r.Run.Simulated)
	}
	if f.Server != "unknown" {
		words = append(words, strings.TrimSpace(f.Server+" "+f.Version))
	}
	if f.ContextTokens > 0 {
		words = append(words, fmt.Sprintf("context %d", f.ContextTokens))
	}
	if f.KVCapacityTokens > 0 {
		words = append(words, "KV cache "+metric.Short(float64(f.KVCapacityTokens)))
	}
	if f.InsecureTLS {
		words = append(words, "certificate NOT checked")
	}
	return strings.Join(words, " · ")
}

func (t terminal) phase(p *engine.PhaseResult) {
	fmt.Fprintf(t, "\n%s  %s\n", t.bold.Sprint(p.Name), t.dim.Sprintf("%s · %s · cache %s", p.Kind, p.API, p.Cache))
	t.table(p)
	if len(p.Assumed) > 0 {
		fmt.Fprintf(t, "  assumed, not stated by the published source: %s\n", strings.Join(p.Assumed, ", "))
	}
	for _, line := range append(prompts(p), warmup(p.Warmup)...) {
		fmt.Fprintf(t, "  %s\n", line)
	}
	for _, l := range p.Levels {
		t.level(l)
	}
	t.minutes(p)
	t.server(p)
	for i, line := range scaling(p) {
		fmt.Fprintf(t, "  %-8s%s\n", []string{"scaling", ""}[min(i, 1)], line)
	}
	if s := summaryLevel(p); s != nil {
		t.level(s)
	}
	t.common(p)
}

// columns of the table of levels; the last ones are right-aligned numbers.
var columns = []string{"C", "state", "ok", "output tok/s", "tok/s per user", "TTFT p50", "TTFT p95", "TPOT p50", "E2E p50"}

func (t terminal) table(p *engine.PhaseResult) {
	t.WriteString(t.levels(p).Render() + "\n")
}

// levels is the table of a phase's levels.
func (t terminal) levels(p *engine.PhaseResult) table.Writer {
	w := table.NewWriter()
	w.SetOutputMirror(nil)
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = " ", " "
	w.SetStyle(style)
	header := make(table.Row, len(columns))
	for i, c := range columns {
		header[i] = c
	}
	if len(p.Levels) > 0 && p.Levels[0].Rate > 0 {
		header[0] = "rate"
	}
	w.AppendHeader(header)
	var configs []table.ColumnConfig
	for i := range columns {
		align := text.AlignRight
		if i == 1 {
			align = text.AlignLeft
		}
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	w.SetColumnConfigs(configs)
	for _, l := range p.Levels {
		w.AppendRow(t.row(l))
	}
	return w
}

func (t terminal) row(l *engine.LevelResult) table.Row {
	state := string(l.State)
	if !l.Gated {
		state += " (explored)"
	}
	row := table.Row{l.Value(), t.state(l.State).Sprint(state), dash, dash, dash, dash, dash, dash, dash}
	found := l.Found()
	if found != nil {
		row[2] = fmt.Sprintf("%d/%d", found.OKCount, found.Issued)
	}
	if l.Figures == nil {
		return row
	}
	row[3] = number(found.OutputTPS)
	if v, ok := found.UserTPS.Quantile(0.5); ok {
		row[4] = float(v)
	}
	row[5], row[6] = quantile(found.TTFT, 0.5), quantile(found.TTFT, 0.95)
	row[7], row[8] = quantile(found.TPOT, 0.5), quantile(found.E2E, 0.5)
	return row
}

func (t terminal) verdict(r *engine.Result) {
	v := r.Verdict
	word := t.bad
	switch v.Decision {
	case engine.Go:
		word = t.good
	case engine.Invalid, engine.Incomplete:
		word = t.warn
	}
	line := word.Sprint(string(v.Decision))
	if aside := asides(r); len(aside) > 0 {
		line += " (" + strings.Join(aside, ", ") + ")"
	}
	fmt.Fprintf(t, "\n%s\n", line)
	for _, reason := range v.Reasons {
		fmt.Fprintf(t, "  %s\n", reason)
	}
}

// asides are what must be said beside a verdict.
func asides(r *engine.Result) []string {
	var list []string
	if r.Run.Simulated != "" {
		list = append(list, "simulated server")
	}
	if len(r.Run.Partial) > 0 {
		list = append(list, "partial: "+strings.Join(r.Run.Partial, " "))
	}
	if changed := overridden(r.Run.Overrides); changed != "" {
		list = append(list, "overridden: "+changed)
	}
	return list
}

// overridden lists what --set changed about how the scenario judges; the target
// is seen above.
func overridden(set []string) string {
	var paths []string
	for _, s := range set {
		if path, _, _ := strings.Cut(s, "="); !strings.HasPrefix(path, "target") {
			paths = append(paths, path)
		}
	}
	return strings.Join(paths, ", ")
}

func (t terminal) notes(r *engine.Result) {
	notes := notesOf(r)
	if len(notes) > 0 {
		t.WriteString("\n")
	}
	for _, note := range notes {
		fmt.Fprintf(t, "%s %s\n", t.dim.Sprint("note:"), note)
	}
}

// notesOf are what was found about the target, and what it is compared with.
func notesOf(r *engine.Result) []string {
	var notes []string
	if r.Target != nil {
		notes = append(notes, r.Target.Notes...)
	}
	if p := r.Production; p != nil && !p.Decides() && p.Effect != "off" {
		for _, message := range p.NotCovered {
			notes = append(notes, "not covered: "+message)
		}
	}
	if r.Baseline != nil {
		notes = append(notes, baseline(r))
	}
	return notes
}

// baseline says what is compared with what.
func baseline(r *engine.Result) string {
	b := r.Baseline
	s := fmt.Sprintf("compared with %s figures of %s", b.Source, b.File)
	stated := []string{}
	for _, part := range []string{b.Model, b.Hardware, b.Engine} {
		if part != "" {
			stated = append(stated, part)
		}
	}
	if len(stated) > 0 {
		s += " (" + strings.Join(stated, ", ") + ")"
	}
	if r.Target != nil {
		s += "; this target serves " + r.Target.Model
	}
	if len(b.Unstated) > 0 {
		s += "; the source does not state " + strings.Join(b.Unstated, ", ")
	}
	return s
}
