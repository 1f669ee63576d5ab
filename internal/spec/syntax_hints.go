package spec

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"scenario/internal/diag"
)

// A syntaxHint knows one thing that people write and YAML can't read.
type syntaxHint func(s *source, l sourceLine, problem string) (diag.Diagnostic, bool)

// syntaxHints in the order they are tried: the first that knows the line wins.
var syntaxHints = []syntaxHint{tabHint, anchorHint, startHint, blockHint, afterQuoteHint, bracesHint, colonHint, keyHint}

// tabHint knows indentation by tabs.
func tabHint(s *source, l sourceLine, problem string) (diag.Diagnostic, bool) {
	lead := l.text[:len(l.text)-len(strings.TrimLeft(l.text, " \t-"))]
	tab := strings.IndexByte(lead, '\t')
	if tab < 0 || !strings.Contains(problem, "tab character") && !strings.Contains(problem, "cannot start any token") {
		return diag.Diagnostic{}, false
	}
	return s.diagnose(l.at(tab), 1, "a tab indents this line", "use spaces: YAML does not allow tabs"), true
}

// anchorHint knows *x without an anchor, which most often is an expression.
func anchorHint(s *source, l sourceLine, problem string) (diag.Diagnostic, bool) {
	_, name, ok := strings.Cut(problem, "unknown anchor '")
	name, _, _ = strings.Cut(name, "'")
	at := strings.Index(l.text, "*"+name)
	if !ok || at < 0 {
		return diag.Diagnostic{}, false
	}
	return s.diagnose(l.at(at), len([]rune(name))+1,
		"YAML takes *"+short(name)+" for a reference to an anchor, and there is none of this name", "quote the value that begins with *"), true
}

// startHint knows characters that mean something else at the start of a value.
func startHint(s *source, l sourceLine, _ string) (diag.Diagnostic, bool) {
	if strings.HasPrefix(l.text, "%") {
		return diag.Diagnostic{}, false // a directive, not a value
	}
	first, _ := utf8.DecodeRuneInString(l.rest())
	why := ""
	switch {
	case strings.HasPrefix(l.rest(), "{{"):
		why = "YAML takes {{ for the start of a mapping"
	case first == '!':
		why = "YAML takes ! for the start of a tag"
	case first == '&':
		why = "YAML takes & for the start of an anchor"
	case first == '*':
		why = "YAML takes * for a reference to an anchor"
	case strings.ContainsRune("@`%", first):
		why = "a value can't start with " + string(first)
	case strings.ContainsRune("],}", first):
		why = "a value can't start with " + string(first)
	default:
		return diag.Diagnostic{}, false
	}
	return s.diagnose(l.at(l.value), utf8.RuneCountInString(l.rest()), why, l.quoteIt()), true
}

// blockHeader is what may follow the | or > of a block of text.
var blockHeader = regexp.MustCompile(`^[|>][-+1-9]{0,2}(\s+#.*)?$`)

// blockHint knows `> 5`.
func blockHint(s *source, l sourceLine, _ string) (diag.Diagnostic, bool) {
	rest := l.rest()
	if rest == "" || rest[0] != '>' && rest[0] != '|' || blockHeader.MatchString(rest) {
		return diag.Diagnostic{}, false
	}
	return s.diagnose(l.at(l.value), utf8.RuneCountInString(rest),
		"YAML takes "+rest[:1]+" for the start of a block of text", l.quoteIt()), true
}

// afterQuote is a quoted text with more behind it.
var afterQuote = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*([^\s#:,\]}].*)$`)

// afterQuoteHint knows `"200" in x`.
func afterQuoteHint(s *source, l sourceLine, _ string) (diag.Diagnostic, bool) {
	m := afterQuote.FindStringSubmatchIndex(l.rest())
	if m == nil {
		return diag.Diagnostic{}, false
	}
	return s.diagnose(l.at(l.value+m[4]), utf8.RuneCountInString(l.rest()[m[4]:]),
		"YAML ends the value at its closing quote, and can't read on", l.quoteIt()), true
}

// bracesHint knows variables and expressions inside {…} and […].
func bracesHint(s *source, l sourceLine, problem string) (diag.Diagnostic, bool) {
	rest := l.rest()
	if rest == "" || rest[0] != '{' && rest[0] != '[' {
		return diag.Diagnostic{}, false
	}
	if at := strings.Index(rest, "${"); at >= 0 {
		return s.diagnose(l.at(l.value+at), 2, "inside {…} and […] YAML ends a value at the { of ${",
			`write "${…}" in quotes, or, for a number, give the value a line of its own`), true
	}
	if at := strings.Index(rest, "expr:"); at >= 0 {
		return s.diagnose(l.at(l.value+at+len("expr:")), 1,
			"inside {…} YAML ends a value at , [ ] { and }", "quote the expression: {expr: '…'}"), true
	}
	if strings.Contains(problem, "expected <document start>") || strings.Contains(problem, "expected key") ||
		strings.Contains(problem, "expected '-' indicator") {
		return s.diagnose(l.at(l.value), utf8.RuneCountInString(rest),
			"YAML takes "+rest[:1]+" for the start of a list or mapping, and can't read on after its end", l.quoteIt()), true
	}
	return diag.Diagnostic{}, false
}

// words is a line that could be a key and a value, but for the colon.
var words = regexp.MustCompile(`^[\w"'][^:\[\]{},]*$`)

// keyHint knows a key without a colon, which runs on into the next line.
func keyHint(s *source, l sourceLine, problem string) (diag.Diagnostic, bool) {
	if l.key == "" || !strings.Contains(problem, "mapping values are not allowed") {
		return diag.Diagnostic{}, false
	}
	for number := l.number - 1; number > 0; number-- {
		above := strings.TrimSpace(string(s.line(number)))
		if above == "" || above[0] == '#' {
			continue
		}
		if !words.MatchString(above) {
			break
		}
		at := s.skipBlank(place{number, 1})
		return s.diagnose(at, utf8.RuneCountInString(above), "a colon is missing on this line", `write "key: value"`), true
	}
	return diag.Diagnostic{}, false
}

// colonHint knows text with a colon and a space in it.
func colonHint(s *source, l sourceLine, problem string) (diag.Diagnostic, bool) {
	at := strings.Index(l.rest(), ": ")
	if at < 0 || strings.ContainsAny(l.rest()[:1], "{['\"") || !strings.Contains(problem, "mapping values are not allowed") {
		return diag.Diagnostic{}, false
	}
	return s.diagnose(l.at(l.value+at), 1, "a colon and a space inside a value start a mapping", l.quoteIt()), true
}
