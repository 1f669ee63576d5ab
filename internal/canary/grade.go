package canary

import (
	"slices"
	"strings"
)

// Right reports whether a text gives the task's answer, whatever stands around
// it, in whatever case and with whatever marks. Thinking that is part of the text
// is none of the answer.
func (t Task) Right(text string) bool {
	text = withoutThinking(text)
	if t.Kind == Add {
		return slices.Contains(numbersIn(text), t.Answer)
	}
	return slices.Contains(codesIn(text), t.Answer)
}

// Foreign is a code in the text that is one of another task's, of those with
// numbers below issued; empty: there is none.
func (s *Source) Foreign(t Task, text string, issued int) string {
	for _, code := range codesIn(text) {
		number, ok := s.codes.number(code)
		if !ok || number%codesEach >= 2+s.records {
			continue
		}
		if owner := number / codesEach; owner != t.Number && owner < issued {
			return code
		}
	}
	return ""
}

// FirstLine is the first line of a text that is not empty: the answer, where a
// server goes on after it.
func FirstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	return line
}

// Thinks reports whether a text holds thinking that should have come apart from
// it.
func Thinks(text string) bool {
	return strings.Contains(text, "<think>") || strings.Contains(text, "</think>")
}

// withoutThinking is what follows the thinking in a text; nothing where it has no end.
func withoutThinking(text string) string {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		return text[i+len("</think>"):]
	}
	if before, _, open := strings.Cut(text, "<think>"); open {
		return before
	}
	return text
}

// numbersIn are the whole numbers that a text has, without what groups their digits.
func numbersIn(text string) []string {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r != ',' && r != '.' && (r < '0' || r > '9') })
	for i, f := range fields {
		f = strings.TrimSuffix(strings.Trim(f, ",."), ".0")
		fields[i] = strings.ReplaceAll(f, ",", "")
	}
	return fields
}
