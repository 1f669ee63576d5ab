package assert

import (
	"math"

	"github.com/expr-lang/expr/ast"
)

// arithmetic checks `+ - * / %` on numbers and durations:
//
//	duration ± duration, duration × number, number × duration and
//	duration / number are durations; duration / duration is a number.
func (c *checker) arithmetic(n *ast.BinaryNode) term {
	l, r := c.exprFor(n.Left, unknown), c.exprFor(n.Right, unknown)
	good := c.areScalars(l, r)
	for _, t := range []term{l, r} {
		if t.kind == boolean || t.kind == text {
			good = false
			c.fail(t, "%s is %s, `%s` takes numbers or durations", c.text(t), t.kind.phrase(), n.Operator)
		}
	}
	if !good {
		return term{}
	}
	k := c.arithmeticKind(l, r, n.Operator)
	if k == invalid {
		return term{}
	}
	if b, ok := constantOf(r); ok && b == 0 && (n.Operator == "/" || n.Operator == "%") {
		return c.fail(r, "`%s %s` divides by zero", n.Operator, c.text(r))
	}
	t := c.over(k, l.from, r.to, l, r)
	compute := operation(n.Operator)
	words := c.text(t)
	t.num = func(e *eval) (float64, bool) {
		a, left := l.num(e)
		b, right := r.num(e)
		if !left || !right {
			return 0, false
		}
		v, ok := finite(compute(a, b))
		if !ok && e.trace != nil {
			if b == 0 {
				e.trace.blame(words + " divides by zero")
			} else {
				e.trace.blame(words + " is too large")
			}
		}
		return v, ok
	}
	return t
}

// operation computes; what has no answer is NaN or infinite.
func operation(operator string) func(a, b float64) float64 {
	switch operator {
	case "+":
		return func(a, b float64) float64 { return a + b }
	case "-":
		return func(a, b float64) float64 { return a - b }
	case "*":
		return func(a, b float64) float64 { return a * b }
	case "/":
		return func(a, b float64) float64 { return a / b }
	}
	return math.Mod
}

// arithmeticKind is the type of the result; it complains where there is none.
func (c *checker) arithmeticKind(l, r term, operator string) kind {
	durations := 0
	for _, t := range []term{l, r} {
		if t.kind == duration {
			durations++
		}
	}
	whole := c.over(invalid, l.from, r.to)
	switch {
	case durations == 0:
		return number
	case operator == "%":
		c.fail(whole, "%s has a duration in it, `%%` takes plain numbers", c.text(whole))
	case operator == "*" && durations == 2:
		c.fail(whole, "%s and %s are both durations: their product is none", c.text(l), c.text(r))
	case operator == "/" && durations == 2:
		return number
	case operator == "/" && l.kind == number:
		c.fail(whole, "%s is a number and %s a duration: a number cannot be divided by a duration", c.text(l), c.text(r))
	case operator == "*" || operator == "/":
		return duration
	case c.sameKind(l, r, operator):
		return duration
	}
	return invalid
}

// sameKind reports whether the two sides of an operator, both values, are of one
// type.
func (c *checker) sameKind(l, r term, operator string) bool {
	from, to := c.source.balance(l.from, r.to)
	return c.sameKindAt(from, to, l, r, "`"+operator+"`")
}

// sameKindAt is sameKind for any two values that what takes together; the error
// stands at the given place, or at a plain number where a duration is due.
func (c *checker) sameKindAt(from, to int, l, r term, what string) bool {
	d, n := l, r
	if d.kind != duration {
		d, n = r, l
	}
	switch v := c.text(n); {
	case l.kind == r.kind:
		return true
	case d.kind == duration && n.kind == number && n.literal:
		c.fail(n, "%s is a duration, %s a plain number: write ms(%[2]s), us(%[2]s) or s(%[2]s)", c.text(d), v)
	case d.kind == duration && n.kind == number:
		c.failAt(from, to, "%s is a duration, %s a number: %s takes values of one type", c.text(d), v, what)
	default:
		c.failAt(from, to, "%s is %s, %s is %s: %s takes values of one type", c.text(l), l.kind.phrase(), c.text(r), r.kind.phrase(), what)
	}
	return false
}
