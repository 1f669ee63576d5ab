package report

import (
	"strings"
	"testing"

	"scenario/internal/engine"
)

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := Markdown(&b, fullResult()); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.md", b.String())
}

func TestMarkdownShowsNoFigureOfWithheldLevels(t *testing.T) {
	var b strings.Builder
	if err := Markdown(&b, withheld(result())); err != nil {
		t.Fatal(err)
	}
	server, _, _ := strings.Cut(b.String(), "Client, at its worst level")
	for _, figure := range []string{" ms", " s ", "113", "172"} {
		if strings.Contains(server, figure) {
			t.Errorf("the report holds %q:\n%s", figure, server)
		}
	}
}

func TestTextIsNoMarkup(t *testing.T) {
	for text, want := range map[string]string{
		"a|b `c` *d* _e_":         "a\\|b \\`c\\` \\*d\\* \\_e\\_",
		"<img src=x> & [a](b)":    "&#60;img src=x&#62; &#38; \\[a\\](b)",
		"two\nlines\tand \x1b[0m": "two lines and �\\[0m",
		"- item":                  "\\- item", "12. item": "12\\. item", "# head": "\\# head", "5 of 6": "5 of 6", "1.5 s": "1.5 s",
	} {
		if got := markdownText(text); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"a || b": "`a || b`", "`": "`` ` ``", "a ``b`": "``` a ``b` ```", "": "", "a\nb": "`a b`",
	} {
		if got := markdownCode(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
	if got, want := markdownCell("a || b"), "`a \\|\\| b`"; got != want {
		t.Errorf("in a table it is written %s, want %s", got, want)
	}
}

// TestTablesKeepTheirCells: whatever texts say, every row of a table has as many
// cells as its head.
func TestTablesKeepTheirCells(t *testing.T) {
	r := fullResult()
	odd := "a|b\nc \\| d `|` </details>"
	r.Scenario.File, r.Target.Model, r.Run.ID, r.Tool = odd, odd, odd, odd
	for _, l := range r.Phases[0].Levels {
		for i := range l.Checks {
			l.Checks[i].Expr, l.Checks[i].Name, l.Checks[i].Result = odd, odd, engine.CheckHolds
			l.Checks[i].Values = []engine.Value{{Path: odd, Text: odd}}
		}
	}
	var b strings.Builder
	if err := Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	cells, rows := 0, 0
	for _, line := range strings.Split(b.String(), "\n") {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		if cells != 0 && n != cells {
			t.Errorf("%d cells, not %d: %s", n-1, cells-1, line)
		}
		cells, rows = n, rows+1
	}
	if rows < 15 {
		t.Errorf("%d rows", rows)
	}
	if strings.Count(b.String(), "\n</details>\n") != 1 {
		t.Errorf("the fold is broken:\n%s", &b)
	}
}
