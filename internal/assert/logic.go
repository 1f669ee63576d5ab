package assert

import "github.com/expr-lang/expr/ast"

// unary checks `not x`, `-x` and `+x`.
func (c *checker) unary(n *ast.UnaryNode) term {
	sign := n.Location().From // of `not` in `x not in y`: behind x
	if n.Operator == "not" || n.Operator == "!" {
		x := c.exprFor(n.Node, -c.want)
		if !c.isBoolean(x, "`"+n.Operator+"`") {
			return term{}
		}
		t := c.over(boolean, min(sign, x.from), x.to, x)
		t.test = func(e *eval) truth { return -x.test(e) }
		return t
	}
	x := c.exprFor(n.Node, unknown)
	if !c.isScalar(x) {
		return term{}
	}
	if x.kind != number && x.kind != duration {
		return c.fail(x, "%s is %s, `%s` takes a number or a duration", c.text(x), x.kind.phrase(), n.Operator)
	}
	t := c.over(x.kind, sign, x.to, x)
	t.literal, t.num = x.literal, x.num
	if n.Operator == "-" {
		t.num = func(e *eval) (float64, bool) {
			v, ok := x.num(e)
			return -v, ok
		}
	}
	return t
}

// binary checks an operator with two sides.
func (c *checker) binary(n *ast.BinaryNode) term {
	if operands, operators := chainOf(n); operands != nil {
		return c.chain(operands, operators)
	}
	switch n.Operator {
	case "and", "&&", "or", "||":
		return c.logic(n)
	case "<", "<=", ">", ">=":
		return c.chain([]ast.Node{n.Left, n.Right}, []string{n.Operator})
	case "==", "!=":
		return c.equality(n)
	case "in":
		return c.in(n)
	case "contains", "startsWith", "endsWith":
		return c.textual(n)
	case "matches":
		return c.matches(n)
	case "+", "-", "*", "/", "%":
		return c.arithmetic(n)
	}
	from, to := c.source.span(n)
	return c.failAt(from, to, "`%s` is not part of the language", n.Operator)
}

// logic checks `and` and `or`, which go left to right: the right side is looked
// at only where the left one is known and leaves the answer open.
func (c *checker) logic(n *ast.BinaryNode) term {
	l, r := c.exprFor(n.Left, c.want), c.exprFor(n.Right, c.want)
	what := "`" + n.Operator + "`"
	left, right := c.isBoolean(l, what), c.isBoolean(r, what)
	if !left || !right {
		return term{}
	}
	decides := no
	if n.Operator == "or" || n.Operator == "||" {
		decides = yes
	}
	t := c.over(boolean, l.from, r.to, l, r)
	t.test = func(e *eval) truth {
		if v := l.test(e); v == unknown || v == decides {
			return v
		}
		return r.test(e)
	}
	return settled(c.want, t)
}

// chainOf takes `a < b < c` apart. The parser writes it as `a < b && b < c` with
// one node for both b; nil when n is nothing of the kind.
func chainOf(n *ast.BinaryNode) ([]ast.Node, []string) {
	last, ok := n.Right.(*ast.BinaryNode)
	left, isBinary := n.Left.(*ast.BinaryNode)
	if n.Operator != "&&" || !ok || !isBinary {
		return nil, nil
	}
	if operands, operators := chainOf(left); operands != nil && last.Left == operands[len(operands)-1] {
		return append(operands, last.Right), append(operators, last.Operator)
	}
	if last.Left == left.Right {
		return []ast.Node{left.Left, left.Right, last.Right}, []string{left.Operator, last.Operator}
	}
	return nil, nil
}
