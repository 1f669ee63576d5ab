package assert

import (
	"strconv"

	"github.com/expr-lang/expr/ast"
)

// percentile checks p(dist, x).
func (c *checker) percentile(from, to int, args []ast.Node) term {
	d := c.exprFor(args[0], unknown)
	x := c.exprFor(args[1], unknown)
	f, ok := c.percentage(x)
	if d.kind != invalid && !d.kind.isDist() {
		return c.fail(d, "%s is %s, p takes a distribution", c.text(d), d.kind.phrase())
	}
	if d.kind == invalid || !ok || !c.permit(place{variable: d.variable, figure: f, isFigure: true, from: from, to: to}) {
		return term{}
	}
	d.from, d.to = from, to
	return readFigure(d, f)
}

// percentage is the figure that p's second argument names.
func (c *checker) percentage(x term) (figure, bool) {
	if !c.isScalar(x) {
		return figure{}, false
	}
	n, ok := constantOf(x)
	if !ok || x.kind != number {
		c.fail(x, "%s is no percentage: p takes a number written out, as in p(ttft, 97)", c.text(x))
		return figure{}, false
	}
	f, ok := percentile(n)
	switch {
	case ok:
	case n == 0 || n == 100:
		c.fail(x, "%s is no percentile: write .min or .max", c.text(x))
	default:
		c.fail(x, "%s is no percentage between 0 and 100", c.text(x))
	}
	return f, ok
}

// known checks known(x). Asking is not reading: x may be unknown, and the answer
// never is.
func (c *checker) known(from, to int, arg ast.Node) term {
	outer := c.asking
	c.asking = true
	defer func() { c.asking = outer }()
	t := term{kind: boolean, from: from, to: to}
	switch n := arg.(type) {
	case *ast.IdentifierNode, *ast.MemberNode, *ast.PointerNode:
		p, ok := c.resolve(arg)
		if !ok {
			return term{}
		}
		v := p.variable
		t.element = v.element
		if !p.isFigure {
			return c.answer(t, v.known)
		}
		return c.answer(t, func(e *eval) bool {
			_, ok := v.figure(e, p.figure)
			return ok
		})
	case *ast.CallNode:
		if callee := n.Callee.Location(); string(c.source.runes[callee.From:callee.To]) != "p" {
			break
		}
		x := c.exprFor(arg, unknown)
		if x.kind == invalid {
			return term{}
		}
		t.element = x.element
		return c.answer(t, func(e *eval) bool {
			trace := e.trace
			e.trace = nil // asking is not reading
			_, ok := x.num(e)
			e.trace = trace
			return ok
		})
	}
	afrom, ato := c.source.span(arg)
	return c.failAt(afrom, ato, "%s is no variable: known takes one, as in known(cached_ratio)", c.source.text(afrom, ato))
}

// answer gives t, a call of known, its closure.
func (c *checker) answer(t term, known func(*eval) bool) term {
	words := c.text(t)
	t.test = func(e *eval) truth {
		answer := known(e)
		if e.trace != nil {
			e.trace.read(Read{Path: words, Text: strconv.FormatBool(answer), Known: true})
		}
		return truthOf(answer)
	}
	return t
}
