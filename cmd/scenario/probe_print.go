package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"scenario/internal/probe"
	"scenario/internal/target"
)

// printProbe prints a report for people: a table in groups, then what follows
// from it.
func printProbe(w io.Writer, r *probe.Report, coloured bool) error {
	var b strings.Builder
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateRows: false}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 4, WidthMax: 90, WidthMaxEnforcer: text.WrapSoft}})
	if r.Target != nil {
		serverRows(t, r.Target)
	}
	stepRows(t, r, coloured)
	fmt.Fprintf(&b, "%s\n", r.URL)
	for _, line := range strings.Split(t.Render(), "\n") {
		if line = strings.TrimRight(line, " "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	listed(&b, "odd about the replies", r.Quirks)
	if r.Target != nil {
		listed(&b, "notes", r.Target.Notes)
	}
	if r.Usable {
		b.WriteString("\nkinds of scenario\n")
		for _, k := range r.Kinds {
			fmt.Fprintf(&b, "  %-13s %-8s %s\n", k.Kind, k.Runs, k.Detail)
		}
		listed(&b, "a scenario should set, or expect", r.Advice)
	} else {
		fmt.Fprintf(&b, "\nnot usable: %s\n", r.Reason)
	}
	cut := ""
	if r.Cut {
		cut = "; the time was over before the last question"
	}
	fmt.Fprintf(&b, "\n%d requests sent in %.1f s%s\n", r.Requests, r.Seconds, cut)
	_, err := io.WriteString(w, b.String())
	return err
}

// serverRows are what the server says of itself.
func serverRows(t table.Writer, f *target.Facts) {
	group := "server"
	row := func(name, value string) {
		if value != "" {
			t.AppendRow(table.Row{group, name, "", value})
			group = ""
		}
	}
	row("software", strings.TrimSpace(f.Server+" "+f.Version))
	row("fingerprint", f.SystemFingerprint)
	if len(f.Fingerprints) > 0 {
		row("process start", moment(f.Fingerprints[0].ProcessStart))
	}
	group = "model"
	row("taken", f.Model)
	if len(f.Models) > 1 {
		row("listed", strings.Join(f.Models, ", "))
	}
	row("root", f.ModelRoot)
	row("context", tokens(f.ContextTokens, ""))
	row("KV capacity", tokens(f.KVCapacityTokens, f.KVCapacitySource))
	if f.KVBlockTokens > 0 {
		row("KV block", tokens(f.KVBlockTokens, ""))
	}
}

// moment is a time that a server states in seconds since 1970, as a date; anything
// else stays as it is.
func moment(stated string) string {
	seconds, err := strconv.ParseFloat(stated, 64)
	if at := time.Unix(int64(seconds), 0).UTC(); err == nil && at.Year() > 2000 && at.Year() < 2200 {
		return at.Format("2006-01-02 15:04:05 UTC")
	}
	return stated
}

// tokens is a number of tokens and who says so.
func tokens(n int, source string) string {
	switch {
	case n == 0:
		return "not known"
	case source == "":
		return fmt.Sprintf("%d tokens", n)
	}
	return fmt.Sprintf("%d tokens, %s", n, source)
}

// colours of the answers.
var colours = map[probe.Answer]text.Color{probe.Yes: text.FgGreen, probe.No: text.FgRed, probe.Unknown: text.FgYellow}

func stepRows(t table.Writer, r *probe.Report, coloured bool) {
	var group probe.Group
	for _, step := range probe.Steps() {
		found, asked := r.Findings[step.ID]
		if !asked {
			continue
		}
		name := ""
		if step.Group != group {
			name, group = string(step.Group), step.Group
		}
		answer := string(found.Answer)
		if coloured {
			answer = colours[found.Answer].Sprint(answer)
		}
		t.AppendRow(table.Row{name, step.Name, answer, found.Detail})
	}
}

// listed prints lines under a title, if there are any.
func listed(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "  %s\n", line)
	}
}
