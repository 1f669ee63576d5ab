// Package diag describes what is wrong with an input file, and where. In go a
// position, a message and the line of source; out comes the text a user reads:
//
//	gate.yaml:7:18: unknown key "concurency" (did you mean "concurrency"?)
//	   7 |     concurency: [1, 4]
//	     |     ^^^^^^^^^^
//	     = fix: write concurrency
//
// Diagnostics are values: they are collected, sorted and printed in one place.
// The package imports nothing of this module.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a file. Line and Col are 1-based and Col counts runes. A
// zero Line means that the place is the whole file; an empty File, that the
// input was not a file (a flag, say).
type Pos struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
}

// String is file:line:col, without the parts that are not known.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
	}
}

// compare orders positions by file, line and column.
func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// Severity says whether a diagnostic stops the run.
type Severity uint8

// An Error stops before anything is sent; a Warning is printed and the run goes on.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one thing wrong with the input. Message is lower-case and says
// what was found and what is allowed. Fix, when it is known, says what to write.
// Source is the line that Pos points into and Width the number of runes the
// caret underlines; without Source no snippet is printed.
type Diagnostic struct {
	Pos      Pos
	Severity Severity
	Message  string
	Fix      string
	Source   string
	Width    int
}

// Error is the first line of the diagnostic: the place and the message.
func (d Diagnostic) Error() string {
	message := d.Message
	if d.Severity == Warning {
		message = "warning: " + message
	}
	if at := d.Pos.String(); at != "" {
		return at + ": " + message
	}
	return message
}

// Snippet is the line of source with a caret under the place, and the fix; it
// ends in a newline unless it is empty.
func (d Diagnostic) Snippet() string {
	var b strings.Builder
	if d.Source != "" && d.Pos.Line > 0 {
		number := fmt.Sprintf("%4d", d.Pos.Line)
		margin := strings.Repeat(" ", len(number))
		source, pad, width := clip(d.Source, d.Pos.Col, d.Width)
		fmt.Fprintf(&b, "%s | %s\n", number, source)
		if d.Pos.Col > 0 {
			fmt.Fprintf(&b, "%s | %s%s\n", margin, pad, strings.Repeat("^", width))
		}
	}
	if d.Fix != "" {
		fmt.Fprintf(&b, "     = fix: %s\n", d.Fix)
	}
	return b.String()
}

// clipLine is the longest piece of a source line that a snippet shows, in runes.
const clipLine = 120

// clip returns the part of line that is shown, the white space before the caret
// (tabs stay tabs, so that the caret stands under its rune) and the caret's width.
func clip(line string, col, width int) (shown, pad string, caret int) {
	runes := []rune(printable(line))
	at := min(max(col-1, 0), len(runes))
	if at > clipLine*2/3 {
		cut := at - clipLine/3
		runes = append([]rune("…"), runes[cut:]...)
		at -= cut - 1
	}
	if len(runes) > clipLine {
		runes = append(runes[:clipLine:clipLine], '…')
	}
	var space strings.Builder
	for _, r := range runes[:min(at, len(runes))] {
		if r == '\t' {
			space.WriteRune('\t')
		} else {
			space.WriteString(strings.Repeat(" ", columns(r)))
		}
	}
	rest := runes[min(at, len(runes)):]
	return string(runes), space.String(), max(1, min(width, len(rest)))
}

// columns is the number of terminal cells that r takes: two for the wide
// characters of East Asian scripts and emoji, one for the rest.
func columns(r rune) int {
	switch {
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// printable replaces control characters other than tabs, which could move the
// cursor or hide text in a terminal.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (r < ' ' || r == 0x7f) {
			return '�'
		}
		return r
	}, line)
}

// List is every diagnostic of one input.
type List []Diagnostic

// Sort orders the list by place and removes exact repetitions.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b Diagnostic) int {
		return cmp.Or(a.Pos.compare(b.Pos), cmp.Compare(a.Message, b.Message))
	})
	*l = slices.CompactFunc(*l, func(a, b Diagnostic) bool { return a.Pos == b.Pos && a.Message == b.Message })
}

// HasErrors reports whether anything in the list stops the run.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// String is the whole list as a user reads it, without colour.
func (l List) String() string {
	var b strings.Builder
	for _, d := range l {
		b.WriteString(d.Error())
		b.WriteByte('\n')
		b.WriteString(d.Snippet())
	}
	return b.String()
}
