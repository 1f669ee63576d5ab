package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// listMark is what would begin a list.
var listMark = regexp.MustCompile(`^([-+]|[0-9]+[.)])( |$)`)

// markdownText writes text so that Markdown shows it as it is, on one line, in a
// table too: what a server or a scenario says is never markup.
func markdownText(text string) string {
	var b strings.Builder
	text = oneLine(text)
	mark := len(strings.TrimSpace(listMark.FindString(text))) - 1
	for i, r := range text {
		switch {
		case strings.ContainsRune("\\`*_{}[]|#~", r), i == mark:
			b.WriteByte('\\')
			b.WriteRune(r)
		case strings.ContainsRune("<>&$", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// markdownCode writes text as code, between as many backticks as it takes.
func markdownCode(text string) string {
	text = oneLine(text)
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// markdownCell is code in a table, which would end at a pipe.
func markdownCell(text string) string {
	return strings.ReplaceAll(markdownCode(text), "|", `\|`)
}

// oneLine replaces what breaks a line or can't be seen.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar:
			return '�'
		}
		return r
	}, text)
	return strings.TrimSpace(text)
}
