package assert

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/parser/lexer"
)

// maxSource is the longest expression, in runes. It bounds the depth of the
// syntax tree, and with it the stack that checking one takes.
const maxSource = 4096

// source is one expression with its tokens. All offsets are in runes.
type source struct {
	runes  []rune
	tokens []lexer.Token // without the one at the end
	closes map[int]int   // where a bracket pair ends, by where it begins
	opens  map[int]int   // and the other way round
}

// parse reads an expression into expr's syntax tree. The tree is nil when there
// are errors.
func parse(expression string) (*source, ast.Node, []Error) {
	s := &source{runes: []rune(expression), closes: map[int]int{}, opens: map[int]int{}}
	whole := Error{To: len(s.runes)}
	switch {
	case !utf8.ValidString(expression):
		whole.Message = "the expression is not valid UTF-8"
		return s, nil, []Error{whole}
	case strings.TrimSpace(expression) == "":
		whole.Message = "the expression is empty"
		return s, nil, []Error{whole}
	case len(s.runes) > maxSource:
		whole.Message = fmt.Sprintf("the expression has %d characters, and may have %d", len(s.runes), maxSource)
		return s, nil, []Error{whole}
	}
	errs := s.scan(expression)
	errs = append(errs, s.refusals()...)
	if len(errs) == 0 {
		errs = s.pair()
	}
	if len(errs) > 0 {
		return s, nil, errs
	}
	tree, err := parser.Parse(s.forParser())
	if err != nil || tree.Node == nil {
		return s, nil, []Error{s.syntaxError(err)}
	}
	return s, tree.Node, nil
}

// scan splits the expression into tokens, up to the first character that is none.
func (s *source) scan(expression string) []Error {
	lex := lexer.New()
	lex.Reset(file.NewSource(expression))
	for {
		token, err := lex.Next()
		var lexical *file.Error
		switch {
		case errors.As(err, &lexical):
			return append(s.comments(lexical.From), s.lexicalError(lexical))
		case errors.Is(err, io.EOF) || token.Kind == lexer.EOF:
			return s.comments(len(s.runes))
		}
		s.tokens = append(s.tokens, token)
	}
}

// comments complains about those that the lexer passed over before end. A comment
// would make a part of a check vanish silently: in another language `//` divides.
func (s *source) comments(end int) []Error {
	var errs []Error
	from := 0
	for i := 0; i <= len(s.tokens); i++ {
		to, next := end, end
		if i < len(s.tokens) {
			to, next = s.tokens[i].From, s.tokens[i].To
		}
		for from < to && unicode.IsSpace(s.runes[from]) {
			from++
		}
		if from+1 < to && s.runes[from] == '/' {
			errs = append(errs, commentError(s.runes, from))
		}
		from = next
	}
	return errs
}

func commentError(runes []rune, from int) Error {
	mark := string(runes[from : from+2])
	return Error{From: from, To: from + 2, Message: fmt.Sprintf("`%s` starts a comment, which an expression cannot have", mark)}
}

// pair matches the brackets.
func (s *source) pair() []Error {
	var errs []Error
	var open []lexer.Token
	partner := map[string]string{")": "(", "]": "["}
	for _, t := range s.tokens {
		if t.Kind != lexer.Bracket {
			continue
		}
		opener, closing := partner[t.Value]
		switch {
		case !closing:
			open = append(open, t)
		case len(open) > 0 && open[len(open)-1].Value == opener:
			from := open[len(open)-1].From
			s.closes[from], s.opens[t.To] = t.To, from
			open = open[:len(open)-1]
		case len(open) > 0:
			last := open[len(open)-1]
			return append(errs, s.at(t, "`%s` does not close the `%s` before it", t.Value, last.Value))
		default:
			errs = append(errs, s.at(t, "`%s` closes nothing", t.Value))
		}
	}
	for _, t := range open {
		errs = append(errs, s.at(t, "`%s` is never closed", t.Value))
	}
	return errs
}

// forParser is the expression as expr's parser is given it. The parser reads an
// element's condition only in the calls that it knows to take one, and `mean` is
// not among them. `find` is, takes the same arguments and is as long, so it
// stands in; the checker reads the names from the source.
func (s *source) forParser() string {
	runes := []rune(string(s.runes))
	for i, t := range s.tokens {
		if t.Is(lexer.Identifier, "mean") && s.isCall(i) {
			copy(runes[t.From:], []rune("find"))
		}
	}
	return string(runes)
}

// isCall reports whether token i is a name that is called (and not a member).
func (s *source) isCall(i int) bool {
	return s.tokens[i].Kind == lexer.Identifier && i+1 < len(s.tokens) && s.tokens[i+1].Is(lexer.Bracket, "(") &&
		(i == 0 || !s.tokens[i-1].Is(lexer.Operator, "."))
}

// at is an error about one token.
func (s *source) at(t lexer.Token, format string, args ...any) Error {
	return Error{From: t.From, To: t.To, Message: fmt.Sprintf(format, args...)}
}

// text is a piece of the expression, cut where it is long.
func (s *source) text(from, to int) string {
	const most = 60
	if to-from > most {
		return string(s.runes[from:from+most]) + "…"
	}
	return string(s.runes[from:to])
}
