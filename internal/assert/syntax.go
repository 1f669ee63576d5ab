package assert

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// lookalikes are characters that typing and pasting put where a sign of the
// language is meant.
var lookalikes = map[rune]string{
	'≤': "<=", '≥': ">=", '≠': "!=", '×': "*", '·': "*", '÷': "/", '−': "-", '–': "-", '—': "-",
	'“': `"`, '”': `"`, '„': `"`, '‘': "'", '’': "'", '«': `"`, '»': `"`, '∧': "and", '∨': "or", '¬': "not", '¦': "or",
}

// lexicalError puts the lexer's complaint into words. Everything before it is in
// s.tokens.
func (s *source) lexicalError(err *file.Error) Error {
	e := Error{From: min(max(err.From, 0), len(s.runes)-1), To: min(max(err.To, 1), len(s.runes))}
	start := 0
	if n := len(s.tokens); n > 0 {
		start = s.tokens[n-1].To
	}
	for start < e.From && unicode.IsSpace(s.runes[start]) {
		start++
	}
	switch r := s.runes[e.From]; {
	case strings.HasPrefix(err.Message, "bad number syntax"):
		e.From = start
		for e.To < len(s.runes) && (unicode.IsLetter(s.runes[e.To]) || unicode.IsDigit(s.runes[e.To]) || s.runes[e.To] == '_') {
			e.To++
		}
		word := string(s.runes[e.From:e.To])
		e.Message = fmt.Sprintf("`%s` is not a number", s.text(e.From, e.To))
		if m := unitPattern.FindStringSubmatch(word); m != nil {
			if write := withUnit(m[1], m[2]); write != "" {
				e.Message += ": write " + write
			}
		}
	case strings.HasPrefix(err.Message, "literal not terminated"):
		e.From, e.To = start, min(start+1, len(s.runes))
		e.Message = fmt.Sprintf("the text that begins with %c never ends", s.runes[e.From])
	case strings.HasPrefix(err.Message, "unclosed comment"):
		return commentError(s.runes, start)
	case strings.HasPrefix(err.Message, "unrecognized character"):
		e.Message = fmt.Sprintf("`%c` is not part of the language", r)
		if !unicode.IsPrint(r) {
			e.Message = fmt.Sprintf("the character %U is not part of the language", r)
		} else if write := lookalikes[r]; write != "" {
			e.Message = fmt.Sprintf("`%c` is not part of the language: write %s", r, write)
		}
	default: // the escape sequences of a text
		e.From = start
		e.Message = "the text has a backslash sequence that does not exist: write \\\\ for a backslash"
	}
	return e
}

// syntaxError puts the parser's complaint into words. The tokens are known to be
// good ones and the brackets to match, so what is left is a wrong order.
func (s *source) syntaxError(err error) Error {
	var syntax *file.Error
	if !errors.As(err, &syntax) {
		return Error{To: len(s.runes), Message: "the expression cannot be read"}
	}
	i := slices.IndexFunc(s.tokens, func(t lexer.Token) bool { return t.From >= syntax.From && t.To >= syntax.To })
	last := len(s.tokens) - 1
	// The end has the place of the last rune.
	if i < 0 || i == last && strings.Contains(syntax.Message, "EOF") {
		return s.at(s.tokens[last], "the expression ends where a value is due, after `%s`", s.tokens[last].Value)
	}
	t := s.tokens[i]
	found := s.text(t.From, t.To)
	call := s.enclosing(i)
	switch {
	case strings.HasPrefix(syntax.Message, "expected at least"):
		return s.at(s.tokens[s.calledAt(i)], "%s", callHint(call))
	case strings.HasPrefix(syntax.Message, "expected name"):
		return s.at(t, "`%s` stands where the name of a field is due", found)
	case call != "" && !slices.Contains(functions, call):
		at := s.tokens[s.calledAt(i)]
		e := s.at(at, "")
		e.Message, e.Fix = foreign(call)
		return e
	case t.Is(lexer.Operator, ".", "#") && !s.endsValue(i-1) && call != "" && !slices.Contains(listFunctions, call):
		return s.at(t, "`%s` reads a field of an element, and %s takes no list: those that do are %s", found, call, strings.Join(listFunctions, ", "))
	case t.Is(lexer.Operator, ".", "#") && !s.endsValue(i-1):
		return s.at(t, "`%s` reads a field of an element, which exists in the condition of a list function only: all(requests, .ok)", found)
	case i > 0 && s.tokens[i-1].Is(lexer.Operator, ",") && s.startsValue(i) && call != "":
		return s.at(t, "%s takes no further argument", call)
	case s.endsValue(i - 1):
		return s.at(t, "`%s` stands where an operator or the end is due, after `%s`", found, s.text(s.tokens[i-1].From, s.tokens[i-1].To))
	default:
		return s.at(t, "`%s` stands where a value is due", found)
	}
}

// endsValue reports whether token i can be the last of a value.
func (s *source) endsValue(i int) bool {
	if i < 0 {
		return false
	}
	switch t := s.tokens[i]; t.Kind {
	case lexer.Operator:
		return false
	case lexer.Bracket:
		return t.Value == ")" || t.Value == "]"
	}
	return true
}

// calledAt is the token of the function whose brackets token i stands in, or i.
func (s *source) calledAt(i int) int {
	depth := 0
	for j := i - 1; j > 0; j-- {
		switch {
		case s.tokens[j].Is(lexer.Bracket, ")", "]"):
			depth++
		case s.tokens[j].Is(lexer.Bracket, "(", "[") && depth > 0:
			depth--
		case s.tokens[j].Is(lexer.Bracket, "(") && s.isCall(j-1):
			return j - 1
		case s.tokens[j].Is(lexer.Bracket, "(", "["):
			return i
		}
	}
	return i
}

// enclosing is the name of that function; empty where there is none.
func (s *source) enclosing(i int) string {
	if at := s.calledAt(i); at != i {
		return s.tokens[at].Value
	}
	return ""
}
