package spec

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is the piece of a source line that one rune of a scalar's value was read
// from; an escape is wider than one.
type span struct {
	place
	width int
}

// spans has one element for each rune of a scalar's raw value, and one for its
// end.
type spans []span

// width is how many runes of the scalar stand on the line that start is in.
func (s spans) width(start place) int {
	width := 0
	for _, one := range s {
		if one.line == start.line {
			width = max(width, one.col+one.width-start.col)
		}
	}
	return width
}

// props is what stands before a node's content.
type props struct {
	anchor, tag string // with their & and !
	content     place
}

// properties reads past the anchor and the tag of a node that starts at p.
func (s *source) properties(p place) props {
	found := props{content: p}
	for {
		r := s.rune(p)
		if r != '&' && r != '!' {
			return found
		}
		line := s.line(p.line)
		end := p.col
		for end <= len(line) && !unicode.IsSpace(line[end-1]) && !strings.ContainsRune(",[]{}", line[end-1]) {
			end++
		}
		word := string(line[p.col-1 : end-1])
		if r == '&' && found.anchor == "" {
			found.anchor = word
		} else if r == '!' && found.tag == "" {
			found.tag = word
		} else {
			return found
		}
		found.content = place{p.line, end}
		p = s.skipSpace(found.content)
		if s.rune(p) != 0 {
			found.content = p
		}
	}
}

// skipSpace moves past white space, comments and line ends.
func (s *source) skipSpace(p place) place {
	for p.line <= len(s.lines) {
		line := s.line(p.line)
		for p.col <= len(line) && (line[p.col-1] == ' ' || line[p.col-1] == '\t') {
			p.col++
		}
		if p.col <= len(line) && line[p.col-1] != '#' {
			return p
		}
		p = place{p.line + 1, 1}
	}
	return p
}

// locate finds where each rune of a scalar's raw value stands. It proves itself:
// the source is read again beside the value, and where the two differ in
// anything it gives up.
func locate(n *node) (spans, bool) {
	if n.src == nil || !n.scalar() || n.implicit {
		return nil, false
	}
	r := reader{src: n.src, at: n.src.properties(n.at).content, value: []rune(n.raw)}
	var ok bool
	switch n.style {
	case plainStyle:
		ok = r.flow(0)
	case singleQuoted:
		ok = r.expect('\'') && r.flow('\'')
	case doubleQuoted:
		ok = r.expect('"') && r.flow('"')
	case literalBlock:
		ok = r.literal()
	case foldedBlock:
		ok = r.folded()
	}
	if !ok || len(r.spans) != len(r.value)+1 {
		return nil, false
	}
	return r.spans, true
}

// reader goes through a scalar's source and its value side by side.
type reader struct {
	src   *source
	at    place
	value []rune
	spans spans
	end   place // where the text of the current line ends
}

// next is the rune of the value that comes next, -1 at its end.
func (r *reader) next() rune {
	if len(r.spans) < len(r.value) {
		return r.value[len(r.spans)]
	}
	return -1
}

// take maps the next rune of the value to width runes of the source here.
func (r *reader) take(width int) {
	r.spans = append(r.spans, span{r.at, width})
	r.at.col += width
}

// expect moves past one rune of the source that is no part of the value.
func (r *reader) expect(want rune) bool {
	if r.src.rune(r.at) != want {
		return false
	}
	r.at.col++
	return true
}

// flow reads a plain (quote 0) or quoted scalar to its end.
func (r *reader) flow(quote rune) bool {
	for {
		here := r.src.rune(r.at)
		switch {
		case quote == 0 && r.next() < 0, quote != 0 && here == quote && !r.doubled(quote):
			width := 1 // the closing quote
			if quote == 0 {
				width = 0
			}
			r.spans = append(r.spans, span{r.at, width})
			return r.next() < 0 && len(r.spans) == len(r.value)+1
		case r.lineEnds():
			if !r.fold() {
				return false
			}
		case quote == '\'' && here == quote && r.next() == quote:
			r.take(2)
		case quote == '"' && here == '\\':
			if !r.escape() {
				return false
			}
		case here != 0 && here == r.next():
			r.take(1)
		default:
			return false
		}
	}
}

// doubled reports whether a single quote here is an escaped one.
func (r *reader) doubled(quote rune) bool {
	return quote == '\'' && r.src.rune(place{r.at.line, r.at.col + 1}) == quote
}

// lineEnds reports whether only white space is left of the line.
func (r *reader) lineEnds() bool {
	if r.end.line != r.at.line {
		line := r.src.line(r.at.line)
		col := len(line)
		for col > 0 && (line[col-1] == ' ' || line[col-1] == '\t') {
			col--
		}
		r.end = place{r.at.line, col + 1}
	}
	return r.at.col >= r.end.col
}

// fold reads a line end inside a flow scalar: one break is a space, further ones
// are themselves.
func (r *reader) fold() bool {
	end := r.at
	breaks := 0
	for r.lineEnds() {
		if r.at.line >= len(r.src.lines) {
			return false
		}
		r.at = place{r.at.line + 1, 1}
		breaks++
	}
	r.at = r.src.skipBlank(r.at)
	if breaks == 1 {
		return r.mapBreak(' ', end)
	}
	for range breaks - 1 {
		if !r.mapBreak('\n', end) {
			return false
		}
	}
	return true
}

// mapBreak maps one rune of the value to a line end.
func (r *reader) mapBreak(want rune, end place) bool {
	if r.next() != want {
		return false
	}
	r.spans = append(r.spans, span{end, 0})
	return true
}

// skipBlank moves past white space on the line.
func (s *source) skipBlank(p place) place {
	for s.rune(p) == ' ' || s.rune(p) == '\t' {
		p.col++
	}
	return p
}

// escape reads a backslash sequence of a double-quoted scalar.
func (r *reader) escape() bool {
	kind := r.src.rune(place{r.at.line, r.at.col + 1})
	if kind == 0 { // an escaped line end joins the lines
		r.at = r.src.skipBlank(place{r.at.line + 1, 1})
		return r.at.line <= len(r.src.lines)
	}
	digits := map[rune]int{'x': 2, 'u': 4, 'U': 8}[kind]
	if digits > 0 {
		line := r.src.line(r.at.line)
		from := r.at.col + 1
		if from+digits > len(line) {
			return false
		}
		code, err := strconv.ParseUint(string(line[from:from+digits]), 16, 32)
		if err != nil || !utf8.ValidRune(rune(code)) || rune(code) != r.next() {
			return false
		}
		r.take(2 + digits)
		return true
	}
	if stands, ok := shortEscapes[kind]; !ok || stands != r.next() {
		return false
	}
	r.take(2)
	return true
}

// shortEscapes are the two-character escapes of a double-quoted scalar.
var shortEscapes = map[rune]rune{
	'0': 0, 'a': '\a', 'b': '\b', 't': '\t', '\t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1b,
	' ': ' ', '"': '"', '\'': '\'', '/': '/', '\\': '\\', 'N': 0x85, '_': 0xa0, 'L': 0x2028, 'P': 0x2029,
}
