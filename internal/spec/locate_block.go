package spec

import (
	"slices"
	"strings"
)

// literal reads a | scalar: each line of the value is a line of the source
// without its indentation.
func (r *reader) literal() bool {
	if !r.expect('|') {
		return false
	}
	line := r.at.line
	indent := -1
	for rest := r.value; len(rest) > 0; {
		line++
		want, broken := rest, false
		if i := slices.Index(rest, '\n'); i >= 0 {
			want, rest, broken = rest[:i], rest[i+1:], true
		} else {
			rest = nil
		}
		have := r.src.line(line)
		lead := len(have) - len(want)
		switch {
		case strings.Trim(string(have[:max(lead, 0)]), " ") != "":
			return false
		case len(want) == 0: // a blank line may be shorter or longer than the indentation
		case lead < 0 || !slices.Equal(have[lead:], want) || indent >= 0 && lead != indent:
			return false
		default:
			indent = lead
		}
		r.at = place{line, lead + 1}
		for range want {
			r.take(1)
		}
		if broken {
			r.spans = append(r.spans, span{r.at, 0})
		}
	}
	return r.closed(line)
}

// closed ends a block scalar after the given line.
func (r *reader) closed(line int) bool {
	line = min(line, len(r.src.lines))
	for len(r.spans) <= len(r.value) {
		r.spans = append(r.spans, span{place{line, len(r.src.line(line)) + 1}, 0})
	}
	return true
}

// folded reads a > scalar: lines are joined by a space, blank lines are breaks.
func (r *reader) folded() bool {
	if !r.expect('>') {
		return false
	}
	indent := -1
	for line := r.at.line + 1; r.next() >= 0; line++ {
		for r.next() == '\n' {
			r.spans = append(r.spans, span{r.at, 0})
		}
		for line <= len(r.src.lines) && strings.Trim(string(r.src.line(line)), " \t") == "" {
			line++
		}
		if r.next() < 0 {
			break
		}
		if line > len(r.src.lines) {
			return false
		}
		have := r.src.line(line)
		if indent < 0 {
			indent = leading(have) - leading(r.value[len(r.spans):])
		}
		if indent < 0 || leading(have) < indent {
			return false
		}
		r.at = place{line, indent + 1}
		for r.at.col <= len(have) {
			if r.src.rune(r.at) != r.next() {
				return false
			}
			r.take(1)
		}
		if r.next() == ' ' {
			r.spans = append(r.spans, span{r.at, 0})
		}
	}
	return r.closed(r.at.line)
}

// leading counts the spaces a line starts with.
func leading(line []rune) int {
	for i, r := range line {
		if r != ' ' {
			return i
		}
	}
	return len(line)
}
