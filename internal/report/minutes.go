package report

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

// mostMinutes is the most rows of a table of minutes: of more, only some are shown.
const mostMinutes = 30

// minutes are the figures of a level minute by minute; nil: it has none to be
// shown. The title says which minutes they are.
func minutes(l *engine.LevelResult) (w table.Writer, title string) {
	if l.Figures == nil || len(l.Figures.Minutes) == 0 {
		return nil, ""
	}
	all := l.Figures.Minutes
	every := (len(all) + mostMinutes - 1) / mostMinutes
	title = l.Name() + ", minute by minute"
	if every > 1 {
		title = fmt.Sprintf("%s, every %d minutes (result.json has all)", l.Name(), every)
	}
	w = table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	header := table.Row{"minute", "ok", "errors", "output tok/s", "TTFT p50", "TTFT p95", "TPOT p50", "E2E p50"}
	w.AppendHeader(header)
	var configs []table.ColumnConfig
	for i := range header {
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w.SetColumnConfigs(configs)
	for i := 0; i < len(all); i += every {
		m := all[i]
		w.AppendRow(table.Row{
			m.Index + 1, fmt.Sprintf("%d/%d", m.OKCount, m.Issued), m.ErrorCount, number(m.OutputTPS),
			latency(m.TTFTP50), latency(m.TTFTP95), latency(m.TPOTP50), latency(m.E2EP50),
		})
	}
	return w, title
}

func latency(d metric.Duration) string {
	v, ok := d.Duration()
	if !ok {
		return dash
	}
	return span(v)
}

// minutes prints the figures per minute of a phase's levels.
func (t terminal) minutes(p *engine.PhaseResult) {
	for _, l := range p.Levels {
		if w, title := minutes(l); w != nil {
			fmt.Fprintf(t, "  %s\n", title)
			for line := range strings.Lines(w.Render() + "\n") {
				t.WriteString("  " + line)
			}
		}
	}
}

// minutes writes the figures per minute of a phase's levels.
func (m markdown) minutes(p *engine.PhaseResult) {
	for _, l := range p.Levels {
		if w, title := minutes(l); w != nil {
			fmt.Fprintf(m, "\n%s\n\n%s\n", markdownText(title), w.RenderMarkdown())
		}
	}
}

// loadWords are what is told of a load by the clock beside its table: how fast it
// was once it ran steadily, what was cut off, and how late the starts of a schedule
// were.
func loadWords(l *engine.LevelResult) []string {
	f := l.Figures
	if f == nil || l.Planned > 0 && l.Rate == 0 {
		return nil
	}
	var words []string
	if _, ok := f.OutputTPSSteady.Number(); ok {
		words = append(words, fmt.Sprintf("steady for %s: %s output tok/s", latency(f.Steady), number(f.OutputTPSSteady)))
	}
	if l.Rate > 0 {
		words = append(words, fmt.Sprintf("%s requests/s came back good", number(f.RequestRate)), fmt.Sprintf("%s in flight on average", number(f.InflightMean)))
		late := fmt.Sprintf("latencies count from the moment a request was due: written %s after it (p50)", quantile(f.StartLag, 0.5))
		if most, ok := f.StartLag.Tail().Duration(); ok {
			late += fmt.Sprintf(", %s (p99, or the most of few)", span(most))
		}
		words = append(words, late)
	}
	if f.CutCount > 0 {
		words = append(words, fmt.Sprintf("cut off at the end: %d, which count as slower than all others", f.CutCount))
	}
	if len(words) == 0 {
		return nil
	}
	return []string{strings.Join(words, " · ")}
}
