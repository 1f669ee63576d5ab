package spec

import (
	"slices"
	"strings"
	"unicode"

	"scenario/internal/diag"
)

// source is one text that nodes point into: a file, or the value of one --set.
type source struct {
	name  string // the file, or "--set path"
	file  bool   // false: places in it have no line
	text  string // what the YAML parser reads
	lines [][]rune
	shown [][]rune // lines as diagnostics print them, secrets blotted out
	print []string // the same as text
}

// newSource prepares a file's text, which is known to be clean UTF-8.
func newSource(file, text string) *source {
	s := &source{name: file, file: true, text: text}
	for _, line := range splitLines(text) {
		s.lines = append(s.lines, []rune(line))
	}
	s.shown = blotted(s.lines)
	for _, line := range s.shown {
		s.print = append(s.print, string(line))
	}
	return s
}

// newFlag prepares the value of a --set.
func newFlag(place, value string) *source {
	s := newSource(place, value)
	s.file = false
	if strings.Contains(place, "headers") || strings.Contains(place, "api_key") {
		for i, line := range s.lines {
			s.shown[i] = []rune(strings.Repeat(string(blot), len(line)))
		}
	}
	return s
}

// splitLines cuts text at every line break that YAML knows, so that line numbers
// here are those of the parser.
func splitLines(text string) []string {
	var lines []string
	start := 0
	for i, r := range text {
		switch {
		case i < start:
			continue // the \n of a \r\n
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			lines = append(lines, text[start:i])
			start = i + 2
		case r == '\r' || r == '\n':
			lines = append(lines, text[start:i])
			start = i + 1
		case r == '\u0085':
			lines = append(lines, text[start:i])
			start = i + len("\u0085")
		case r == '\u2028' || r == '\u2029':
			lines = append(lines, text[start:i])
			start = i + len("\u2028")
		}
	}
	return append(lines, text[start:])
}

// place is a line and column, both from 1; columns count runes. The zero place
// is the source as a whole.
type place struct{ line, col int }

// rune is what stands at p, 0 beyond the end of the line.
func (s *source) rune(p place) rune {
	if line := s.line(p.line); p.col >= 1 && p.col <= len(line) {
		return line[p.col-1]
	}
	return 0
}

// line is the text of line n, nil beyond the end.
func (s *source) line(n int) []rune {
	if n < 1 || n > len(s.lines) {
		return nil
	}
	return s.lines[n-1]
}

// blotted reports whether any of the runes at p is struck out where it is printed.
func (s *source) blotted(p place, width int) bool {
	for col := p.col; col < p.col+width && col <= len(s.line(p.line)); col++ {
		if s.shown[p.line-1][col-1] != s.lines[p.line-1][col-1] {
			return true
		}
	}
	return false
}

// hide strikes out what the spans cover.
func (s *source) hide(spans spans) {
	hidden := map[int][]rune{}
	for _, one := range spans {
		line, ok := hidden[one.line]
		if !ok {
			line = slices.Clone(s.shown[one.line-1])
			hidden[one.line] = line
		}
		for i := one.col - 1; i < min(one.col-1+one.width, len(line)); i++ {
			if !unicode.IsSpace(line[i]) {
				line[i] = blot
			}
		}
	}
	for number, line := range hidden {
		s.shown[number-1], s.print[number-1] = line, string(line)
	}
}

// diagnose is an error at p that underlines width runes.
func (s *source) diagnose(p place, width int, message, fix string) diag.Diagnostic {
	d := diag.Diagnostic{Message: message, Fix: fix, Pos: diag.Pos{File: s.name}}
	if s.file && p.line >= 1 && p.line <= len(s.lines) {
		d.Pos.Line = p.line
		d.Pos.Col = min(max(p.col, 1), len(s.lines[p.line-1])+1)
		d.Source = s.print[p.line-1]
		d.Width = max(width, 1)
	}
	return d
}
