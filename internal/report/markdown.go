package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"scenario/internal/engine"
)

// Markdown writes a result, without its secrets, as GitHub shows Markdown: the
// verdict and why, a table for each phase with the reasons below it, and the
// checks that hold where they don't get in the way.
func Markdown(w io.Writer, r *engine.Result) error {
	m := markdown{new(strings.Builder)}
	m.head(r)
	for _, p := range r.Phases {
		m.phase(p)
	}
	m.tail(r)
	_, err := io.WriteString(w, m.String())
	return err
}

type markdown struct{ *strings.Builder }

// item writes a line of a list; depth 0 is the outermost.
func (m markdown) item(depth int, text string) {
	fmt.Fprintf(m, "%s- %s\n", strings.Repeat("  ", depth), text)
}

func (m markdown) head(r *engine.Result) {
	fmt.Fprintf(m, "# %s: %s\n\n", markdownText(string(r.Verdict.Decision)), markdownText(r.Scenario.Name))
	if aside := asides(r); len(aside) > 0 {
		fmt.Fprintf(m, "**%s**\n\n", markdownText(strings.Join(aside, ", ")))
	}
	if r.Scenario.Description != "" {
		fmt.Fprintf(m, "%s\n\n", markdownText(r.Scenario.Description))
	}
	for _, reason := range r.Verdict.Reasons {
		m.item(0, markdownText(reason))
	}
	if len(r.Verdict.Reasons) > 0 {
		m.WriteString("\n")
	}
	m.WriteString("| | |\n|:---|:---|\n")
	row := func(name, text string) { fmt.Fprintf(m, "| %s | %s |\n", name, text) }
	if r.Target != nil {
		row("target", markdownCell(strings.Join(r.Target.BaseURLs, ", "))+"<br>"+markdownText(about(r)))
	}
	row("run", markdownCell(r.Run.ID)+"<br>"+markdownText(when(r.Run)))
	file := markdownCell(r.Scenario.File)
	if r.Scenario.SHA256 != "" {
		file += "<br>sha256 " + markdownCell(r.Scenario.SHA256)
	}
	row("scenario", file)
	row("by", markdownText(r.Tool))
}

// when says when a run was, how long it took, and the seed it can be repeated with.
func when(run engine.RunInfo) string {
	if run.Started.IsZero() {
		return "not started"
	}
	text := run.Started.UTC().Format("2006-01-02 15:04:05 UTC")
	if took := run.Ended.Sub(run.Started); took > 0 {
		text += ", " + took.Round(time.Second).String()
	}
	return fmt.Sprintf("%s, seed %d", text, run.Seed)
}

func (m markdown) phase(p *engine.PhaseResult) {
	fmt.Fprintf(m, "\n## %s\n\n%s · %s · cache %s\n\n", markdownText(p.Name), markdownText(p.Kind), markdownText(p.API), markdownText(p.Cache))
	plain := terminal{new(strings.Builder), NewPalette(false)}
	m.WriteString(plain.levels(p).RenderMarkdown() + "\n")
	m.list("**Scaling**", scaling(p))
	for _, l := range judged(p) {
		m.level(l)
	}
	m.minutes(p)
	remarks := prompts(p)
	if len(p.Assumed) > 0 {
		remarks = append(remarks, "assumed, not stated by the published source: "+strings.Join(p.Assumed, ", "))
	}
	if p.Warmup != nil && p.Warmup.Failed > 0 {
		remarks = append(remarks, warmupFailed(p.Warmup))
	}
	plain.common(p)
	remarks = append(remarks, strings.FieldsFunc(plain.String(), func(r rune) bool { return r == '\n' })...)
	m.list("**Server, by its own counters**", serverLines(p))
	m.list("**Remarks**", remarks)
	m.quietChecks(p)
}

// list writes a list below a title, if there is anything to list.
func (m markdown) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(m, "\n%s\n\n", title)
	for _, line := range lines {
		m.item(0, markdownText(line))
	}
}

// level writes what a reader must know of one level beside its row.
func (m markdown) level(l *engine.LevelResult) {
	var notes []string
	if l.Warmup != nil && l.Warmup.Failed > 0 {
		notes = append(notes, warmupFailed(l.Warmup))
	}
	notes = append(append(notes, l.Notes...), beside(l)...)
	list := troubles(l)
	if len(list)+len(notes) == 0 {
		return
	}
	fmt.Fprintf(m, "\n**%s %s**\n\n", levelName(l), markdownText(string(l.State)))
	for _, t := range list {
		if t.expr == "" {
			m.item(0, markdownText(t.String()))
			continue
		}
		line := markdownText(t.what)
		if t.name != "" {
			line += " " + markdownText(t.name) + ":"
		}
		m.item(0, line+" "+markdownCode(t.expr)+" at "+markdownCode(t.at))
		for _, detail := range t.details {
			m.item(1, markdownText(detail))
		}
	}
	for _, note := range notes {
		m.item(0, markdownText(note))
	}
}

// quietChecks writes the checks that hold, and those that say nothing beside a
// worse fault, folded.
func (m markdown) quietChecks(p *engine.PhaseResult) {
	var rows []string
	hold := 0
	for _, l := range judged(p) {
		for _, c := range l.Checks {
			if decisiveCheck(l, c) {
				continue
			}
			if c.Result == engine.CheckHolds {
				hold++
			}
			name := markdownCell(c.Expr)
			if c.Name != "" {
				name = markdownText(c.Name) + ": " + name
			}
			result := strings.ReplaceAll(string(c.Result), "_", " ")
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |\n", levelName(l), c.Group, markdownText(result), name, markdownText(pairs(c.Values))))
		}
	}
	if len(rows) == 0 {
		return
	}
	summary := fmt.Sprintf("checks that hold: %d", hold)
	if others := len(rows) - hold; others > 0 {
		summary += fmt.Sprintf(", not judged: %d", others)
	}
	fmt.Fprintf(m, "\n<details><summary>%s</summary>\n\n| level | group | result | check | read |\n|:---|:---|:---|:---|:---|\n%s\n</details>\n", summary, strings.Join(rows, ""))
}

// tail writes what is said once over all phases.
func (m markdown) tail(r *engine.Result) {
	m.list("## Notes", notesOf(r))
	if words := aboutClient(r); len(words) > 0 {
		fmt.Fprintf(m, "\nClient, at its worst level: %s\n", markdownText(strings.Join(words, " · ")))
	}
}
