package fixedtoken

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// answer is what a reply must say.
type answer struct {
	expected []string
	match    string
	patterns []*regexp.Regexp
}

// The ways to compare. Letters' case and the width of space never matter but to a
// pattern.
const (
	matchContains = "contains" // every expected text is in the answer
	matchExact    = "exact"    // the answer is one of the expected texts
	matchRegexp   = "regexp"   // every expected pattern is found
)

func (l *line) answer() (*answer, *problem) {
	if l.Expected == nil {
		if l.Match != "" {
			return nil, &problem{"match", "match says how to compare, and nothing is expected", `add "expected": "…"`}
		}
		return nil, nil
	}
	a := &answer{match: l.Match}
	var one string
	if json.Unmarshal(l.Expected, &one) == nil {
		a.expected = []string{one}
	} else if json.Unmarshal(l.Expected, &a.expected) != nil || len(a.expected) == 0 {
		return nil, &problem{"expected", "expected must be a text or a list of texts", `"expected": "Paris"`}
	}
	if slices.ContainsFunc(a.expected, func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return nil, &problem{"expected", "an expected text is empty: every answer would do", `"expected": "Paris"`}
	}
	switch l.Match {
	case "":
		a.match = matchContains
	case matchContains, matchExact:
	case matchRegexp:
		for _, pattern := range a.expected {
			compiled, err := regexp.Compile(pattern)
			if err != nil {
				return nil, &problem{"expected", "not a pattern: " + err.Error(), ""}
			}
			a.patterns = append(a.patterns, compiled)
		}
	default:
		return nil, &problem{"match", fmt.Sprintf("match is %q, and may be %s, %s or %s", l.Match, matchContains, matchExact, matchRegexp), ""}
	}
	return a, nil
}

// normal is a text as answers are compared.
func normal(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// wrong says what is wrong with an answer; empty: nothing.
func (a *answer) wrong(content string) string {
	text := normal(content)
	switch a.match {
	case matchExact:
		if !slices.ContainsFunc(a.expected, func(s string) bool { return normal(s) == text }) {
			return fmt.Sprintf("the answer is not %s", quoted(a.expected))
		}
	case matchRegexp:
		for i, pattern := range a.patterns {
			if !pattern.MatchString(content) {
				return fmt.Sprintf("the answer does not match %q", a.expected[i])
			}
		}
	default:
		for _, s := range a.expected {
			if !strings.Contains(text, normal(s)) {
				return fmt.Sprintf("the answer does not contain %q", s)
			}
		}
	}
	return ""
}

func quoted(texts []string) string {
	var list []string
	for _, s := range texts {
		list = append(list, fmt.Sprintf("%q", s))
	}
	return strings.Join(list, " or ")
}
