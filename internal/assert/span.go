package assert

import (
	"cmp"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser/lexer"
)

// span is the place of a whole expression: a node itself has that of its
// operator or name alone. Brackets around the expression are not part of it.
func (s *source) span(n ast.Node) (from, to int) {
	return s.balance(s.start(n), s.end(n))
}

// balance widens a place until every bracket in it has its partner: `(a + b) * c`
// starts at its bracket, though a is what it starts with.
func (s *source) balance(from, to int) (int, int) {
	for i := s.tokenAt(from); i < len(s.tokens) && s.tokens[i].From < to; i++ {
		if end, ok := s.closes[s.tokens[i].From]; ok {
			to = max(to, end)
		}
		if start, ok := s.opens[s.tokens[i].To]; ok {
			from = min(from, start)
		}
	}
	return from, to
}

func (s *source) start(n ast.Node) int {
	own := n.Location().From
	switch n := n.(type) {
	case *ast.BinaryNode:
		return s.start(n.Left)
	case *ast.UnaryNode: // `not` of `x not in y` stands behind x
		return min(own, s.start(n.Node))
	case *ast.MemberNode:
		return s.start(n.Node)
	case *ast.CallNode:
		return s.start(n.Callee)
	}
	return own
}

func (s *source) end(n ast.Node) int {
	own := n.Location()
	switch n := n.(type) {
	case *ast.BinaryNode:
		return s.end(n.Right)
	case *ast.UnaryNode:
		return s.end(n.Node)
	case *ast.MemberNode, *ast.ArrayNode: // a member: of x[0]
		if to, ok := s.closes[own.From]; ok {
			return to
		}
	case *ast.BuiltinNode, *ast.CallNode:
		if i := s.tokenAt(own.From) + 1; i < len(s.tokens) {
			if to, ok := s.closes[s.tokens[i].From]; ok {
				return to
			}
		}
	}
	return own.To
}

// tokenAt is the index of the token that begins at from, or else of the next one.
func (s *source) tokenAt(from int) int {
	i, _ := slices.BinarySearchFunc(s.tokens, from, func(t lexer.Token, from int) int { return cmp.Compare(t.From, from) })
	return i
}
