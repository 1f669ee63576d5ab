package spec

import (
	"regexp"
	"strings"

	"scenario/internal/diag"
)

// syntaxFault turns the parser's error into a diagnostic at the line that causes
// it. The parser names a line near the fault at best, and no column, so the line
// is searched for, and then looked at for what people usually write there.
func syntaxFault(s *source, err error) diag.Diagnostic {
	problem := parserLine.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "")
	number := brokenLine(s)
	line := cutLine(string(s.line(number)), number)
	line.secret = string(s.shown[number-1]) != line.text
	for _, hint := range syntaxHints {
		if d, ok := hint(s, line, problem); ok {
			return d
		}
	}
	for _, words := range parserWords {
		if strings.Contains(problem, words.parser) {
			at := line.value
			if words.line {
				at = len(line.text) - len(strings.TrimLeft(line.text, " \t"))
			}
			return s.diagnose(line.at(at), 1, words.ours, words.fix)
		}
	}
	return s.diagnose(line.at(line.value), 1, "this can't be read as YAML: "+problem, "")
}

var parserLine = regexp.MustCompile(`^line \d+: `)

// brokenLine finds the line at which the text stops being YAML: the text up to
// the line before can be parsed, the text up to this line or a later one can't.
func brokenLine(s *source) int {
	lines := splitLines(s.text)
	reach := 50 // lines that one […], {…} or quoted text may be spread over
	if len(s.text) > 64<<10 {
		reach = 0 // looking so closely would take seconds
	}
	parses := func(n int) bool {
		_, err := documents(strings.Join(lines[:n], "\n") + "\n")
		return err == nil
	}
	good, bad := 0, len(lines)
	for range 8 {
		for bad-good > 1 {
			if middle := (good + bad) / 2; parses(middle) {
				good = middle
			} else {
				bad = middle
			}
		}
		// A line that only opens what a later line closes is no fault.
		closed := bad + 1
		for closed < min(bad+reach, len(lines)) && !parses(closed) {
			closed++
		}
		if closed >= min(bad+reach, len(lines)) {
			break
		}
		good, bad = closed, len(lines)
	}
	return bad
}

// sourceLine is one line, cut into what comes before its value and the value.
type sourceLine struct {
	number int
	text   string
	key    string // empty for a list item
	value  int    // byte offset
	secret bool   // the line is not to be repeated
}

var linePrefix = regexp.MustCompile(`^\s*(?:-\s+)*(?:["']?([\w.\-/]+)["']?\s*:(?:\s+|$))?`)

func cutLine(text string, number int) sourceLine {
	m := linePrefix.FindStringSubmatchIndex(text)
	line := sourceLine{number: number, text: text, value: m[1]}
	if m[2] >= 0 {
		line.key = text[m[2]:m[3]]
	}
	return line
}

// at is the place of a byte offset.
func (l sourceLine) at(offset int) place {
	return place{l.number, len([]rune(l.text[:offset])) + 1}
}

// rest is the value without the white space after it.
func (l sourceLine) rest() string { return strings.TrimRight(l.text[l.value:], " \t") }

// quoteIt says how to write the value so that YAML leaves it alone.
func (l sourceLine) quoteIt() string {
	what := "value"
	if l.key == "" || l.key == "expr" || l.key == "when" || l.key == "gate" {
		what = "expression"
	}
	if l.secret {
		return "quote the " + what
	}
	return "quote the " + what + ": " + quoted(l.rest())
}

// quoted is text in single quotes, as YAML writes them.
func quoted(text string) string {
	return "'" + strings.ReplaceAll(short(text), "'", "''") + "'"
}

// parserWords are the parser's complaints in words for people.
// Some are about where the line starts, not about its value.
var parserWords = []struct {
	parser, ours, fix string
	line              bool
}{
	{"found unexpected end of stream", "a quote is opened here and never closed", "close it", false},
	{"found unexpected document indicator", "a quote is opened here and not closed before the next ---", "close it", false},
	{"found unknown escape character", "a backslash in double quotes starts an escape, and this is none", `write \\, or use single quotes`, false},
	{"hexdecimal", "an escape in double quotes is not finished", "write its hexadecimal digits", false},
	{"Unicode character escape", "an escape in double quotes is no character", "", false},
	{"expected ',' or ']'", "a list in […] goes wrong here", "close the ], and quote text with special characters", false},
	{"expected ',' or '}'", "a mapping in {…} goes wrong here", "close the }, and quote text with special characters", false},
	{"expected node content", "a value is due here", "", false},
	{"mapping values are not allowed", "a mapping can't start here", "check the indentation, or quote the value", false},
	{"block sequence entries are not allowed", "a list can't start on this line", "start the list on a line of its own", false},
	{"could not find expected ':'", "a colon is missing after a key", `write "key: value", with a space`, true},
	{"expected key", "this line does not fit the lines above it", "check its indentation", true},
	{"expected '-' indicator", "this line does not fit the list above it", "check its indentation", true},
	{"cannot start any token", "this character can't start a value", "quote the value", false},
	{"incompatible YAML document", "this version of YAML is not known", "remove the %YAML line", true},
	{"directive", "a line that starts with % is a directive to the parser", "quote the value, or remove the line", true},
	{"exceeded max depth", "nested too deep", "", false},
	{"expected <document start>", "a value can't start here, after the end of the one before", "check the indentation", true},
}
