package spec

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// at finds the text below v in a file that holds nothing else.
func textIn(t *testing.T, yaml string) Text {
	t.Helper()
	f := newFaults()
	root := parse("a.yaml", []byte(yaml), "test", f)
	if root == nil || len(f.list) > 0 {
		t.Fatalf("%q: %v", yaml, f.list)
	}
	expand(root, options(), f)
	text := At{node: root}.Key("v").Text()
	if v := root.get("v"); v.form == mapForm {
		text = At{node: v}.Key("e").Text()
	} else if v.form == listForm {
		text = At{node: v}.Item(0).Text()
	}
	return text
}

// TestTextDiagnose looks for the word `bad` of a text in the file it came from.
func TestTextDiagnose(t *testing.T) {
	for name, c := range map[string]struct {
		yaml      string
		word      string // default: bad
		line, col int
		width     int // default: 3
	}{
		"plain":                     {yaml: "v: a < bad\n", line: 1, col: 8},
		"plain with é before":       {yaml: "v: é < bad\n", line: 1, col: 8},
		"plain after a comment":     {yaml: "# bad\n\nv: a < bad # bad\n", line: 3, col: 8},
		"plain on its own line":     {yaml: "v:\n  a < bad\n", line: 2, col: 7},
		"plain over lines":          {yaml: "v: a <\n    b and\n\n  bad > c\n", line: 4, col: 3},
		"plain in a list":           {yaml: "v:\n  - a < bad\n", line: 2, col: 9},
		"plain in a flow list":      {yaml: "v: [a < bad, c]\n", line: 1, col: 9},
		"plain in a flow mapping":   {yaml: "v: {e: a < bad, c: d}\n", line: 1, col: 12},
		"single":                    {yaml: "v: 'a < bad'\n", line: 1, col: 9},
		"single with a quote":       {yaml: "v: 'it''s < bad'\n", line: 1, col: 13},
		"single, the quote itself":  {yaml: "v: 'it''s'\n", word: "'", line: 1, col: 7, width: 2},
		"single in a flow mapping":  {yaml: "v: {'e': 'a < bad', c: d}\n", line: 1, col: 15},
		"single over lines":         {yaml: "v: 'a <  \n\n\n   b < bad'\n", line: 4, col: 8},
		"double":                    {yaml: "v: \"a < bad\"\n", line: 1, col: 9},
		"double with escapes":       {yaml: `v: "\"é\" \u00e9\x41\t\U0001F600 < bad"` + "\n", line: 1, col: 36},
		"double, the escape itself": {yaml: `v: "a \u00e9 b"` + "\n", word: "é", line: 1, col: 7, width: 6},
		"double over lines":         {yaml: "v: \"a <\n  b\n\n  < bad\"\n", line: 4, col: 5},
		"double with a joined line": {yaml: "v: \"a <\\\n   bad\"\n", line: 2, col: 4},
		"literal":                   {yaml: "v: |\n  a <\n  bad\n", line: 3, col: 3},
		"literal, first line":       {yaml: "v: |\n  bad < a\n", line: 2, col: 3},
		"literal, stripped":         {yaml: "v: |-\n  a\n  < bad", line: 3, col: 5},
		"literal, kept":             {yaml: "v: |+\n  a\n  < bad\n\n", line: 3, col: 5},
		"literal, indented":         {yaml: "v: |2\n    a\n  < bad\n", line: 3, col: 5},
		"literal, blank lines":      {yaml: "v: | # comment\n\n  a\n\n     \n    < bad\n", line: 6, col: 7},
		"literal in a list":         {yaml: "v:\n- |\n  a\n  < bad\n", line: 4, col: 5},
		"folded":                    {yaml: "v: >\n  a <\n  bad\n", line: 3, col: 3},
		"folded with a paragraph":   {yaml: "v: >-\n  a\n\n\n  < b and\n  c < bad\n", line: 6, col: 7},
		"folded, more indented":     {yaml: "v: >\n  a\n    b < bad\n  c\n", line: 3, col: 9},
		"folded, first line blank":  {yaml: "v: >\n\n  a\n  < bad\n", line: 4, col: 5},
		"anchor":                    {yaml: "v: &x a < bad\n", line: 1, col: 11},
		"anchor and tag":            {yaml: "v: !!str &x 'a < bad'\n", line: 1, col: 18},
		"anchor on its own line":    {yaml: "v: &x\n  # bad\n  a < bad\n", line: 3, col: 7},
		"tag and literal":           {yaml: "v: !!str |\n  a < bad\n", line: 2, col: 7},
		"alias":                     {yaml: "x: &x a < bad\nv: *x\n", line: 1, col: 11},
		"windows line ends":         {yaml: "a: 1\r\nv: |\r\n  a\r\n  < bad\r\n", line: 4, col: 5},
		"behind a variable":         {yaml: "v: ${TENANT} < bad\n", line: 1, col: 16},
		"behind an escape":          {yaml: "v: \"$${X} \\\" < bad\"\n", line: 1, col: 16},
		"between variables":         {yaml: "v: ${FOUR} < bad + ${TENANT} \n", line: 1, col: 14},
		"inside a variable":         {yaml: "v: a ${B:-is bad} b\n", line: 1, col: 6, width: 12},
	} {
		t.Run(name, func(t *testing.T) {
			text := textIn(t, c.yaml)
			word, width := c.word, c.width
			if word == "" {
				word = "bad"
			}
			if width == 0 {
				width = 3
			}
			from := strings.Index(text.String(), word)
			if from < 0 {
				t.Fatalf("%q does not contain %q", text, word)
			}
			from = utf8.RuneCountInString(text.String()[:from])
			d := text.Diagnose(from, from+utf8.RuneCountInString(word), "m", "f")
			if d.Pos.Line != c.line || d.Pos.Col != c.col || d.Width != width {
				t.Errorf("got %d:%d width %d, want %d:%d width %d\n%s", d.Pos.Line, d.Pos.Col, d.Width, c.line, c.col, width, d.Snippet())
			}
			if d.Message != "m" || d.Fix != "f" || d.Pos.File != "a.yaml" {
				t.Errorf("got %+v", d)
			}
		})
	}
}

func TestTextDiagnoseAtTheEdges(t *testing.T) {
	text := textIn(t, "v: 'ab'\n")
	for _, c := range []struct{ from, to, col, width int }{
		{0, 2, 5, 2},
		{2, 2, 7, 1},  // behind the last rune: the closing quote
		{1, 1, 6, 1},  // an empty range is one rune wide
		{0, 99, 4, 4}, // outside the text: all of it
		{-1, 1, 4, 4},
		{2, 1, 4, 4},
	} {
		if d := text.Diagnose(c.from, c.to, "m", ""); d.Pos.Col != c.col || d.Width != c.width {
			t.Errorf("Diagnose(%d, %d): got column %d width %d, want %d and %d", c.from, c.to, d.Pos.Col, d.Width, c.col, c.width)
		}
	}
	if d := textIn(t, "v: |\n  one\n  two\n").Diagnose(1, 6, "m", ""); d.Pos.Line != 2 || d.Pos.Col != 4 || d.Width != 2 {
		t.Errorf("a range over two lines: got %v width %d, want the part on the first", d.Pos, d.Width)
	}
	if d := NewText("flag").Diagnose(0, 2, "m", "f"); d.Error() != "m" || d.Fix != "f" {
		t.Errorf("a text without a place: got %+v", d)
	}
	if text := NewText(""); !text.Empty() || text.String() != "" || text.Pos().Line != 0 {
		t.Errorf("the empty text: got %q at %v", text, text.Pos())
	}
}

// FuzzLocate holds every scalar of any file to the promise of locate: the source
// holds, at the place of each rune, this rune, or the escape or line end it was
// made from.
func FuzzLocate(f *testing.F) {
	for _, seed := range []string{
		"v: a < bad\n", "v: 'it''s'\n", `v: "\"é\" \u00e9"` + "\n", "v: |2-\n   a\n  b\n", "v: >+\n  a\n\n    b\n  c\n\n",
		"v: &x !!str\n  a\n  b\n", "v: {e: a b, 'c': \"d\\\n  e\"}\n", "v: a\r\n  b\u0085  c\u2028  d\n", "? a\n: - b\n  - - c\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		faults := newFaults()
		root := parse("a.yaml", []byte(text), "test", faults)
		if root == nil {
			return
		}
		var visit func(n *node)
		visit = func(n *node) {
			for _, e := range n.entries {
				visit(e.key)
				visit(e.value)
			}
			for _, item := range n.items {
				visit(item)
			}
			if spans, ok := locate(n); ok && n.scalar() {
				proveSpans(t, n, spans)
			}
		}
		visit(root)
	})
}

func proveSpans(t *testing.T, n *node, spans spans) {
	t.Helper()
	value := []rune(n.raw)
	if len(spans) != len(value)+1 {
		t.Fatalf("%q has %d spans", n.raw, len(spans))
	}
	for i, r := range value {
		s := spans[i]
		have := n.src.rune(s.place)
		switch {
		case s.width == 0 && (r == ' ' || r == '\n'):
		case s.width == 1 && have == r:
		case s.width == 2 && n.style == singleQuoted && r == '\'' && have == '\'':
		case s.width >= 2 && n.style == doubleQuoted && have == '\\':
		default:
			t.Errorf("rune %d of %q, %q, is said to stand at %d:%d, where %q stands", i, n.raw, r, s.line, s.col, have)
		}
		if i > 0 && (s.line < spans[i-1].line || s.line == spans[i-1].line && s.col < spans[i-1].col) {
			t.Errorf("rune %d of %q stands before the one before it", i, n.raw)
		}
	}
}
