package assert

import (
	"math"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// unit checks us, ms and s, which make a duration of a number.
func (c *checker) unit(name string, from, to int, x term) term {
	if x.kind != number {
		return c.fail(x, "%s is %s, %s takes a number", c.text(x), x.kind.phrase(), name)
	}
	scale := map[string]float64{"us": 1e3, "ms": 1e6, "s": 1e9}[name]
	t := c.over(duration, from, to, x)
	t.num = func(e *eval) (float64, bool) {
		n, ok := x.num(e)
		if !ok {
			return 0, false
		}
		return finite(n * scale)
	}
	return t
}

// length checks len of a list, which is known even when the list is empty, or
// of a text, in characters.
func (c *checker) length(from, to int, arg ast.Node) term {
	x := c.exprFor(arg, unknown)
	if x.kind.isDist() {
		return c.fail(x, "%[1]s is a distribution, len takes a list or text: write %[1]s.n", c.text(x))
	}
	if x.kind != list && !c.isScalar(x) {
		return term{}
	}
	t := c.over(number, from, to, x)
	switch x.kind {
	case list:
		c.measured = true
		t.constant = false
		t.num = c.announced(t, func(e *eval) (float64, bool) {
			l, ok := x.items(e)
			if !ok {
				return 0, false
			}
			return float64(l.len()), true
		})
	case text:
		t.num = func(e *eval) (float64, bool) {
			s, ok := x.text(e)
			return float64(utf8.RuneCountInString(s)), ok
		}
	default:
		return c.fail(x, "%s is %s, len takes a list or text", c.text(x), x.kind.phrase())
	}
	return t
}

// within checks within(a, b, tolerance): |a − b| ≤ tolerance · |b|.
func (c *checker) within(from, to int, x []term) term {
	good := true
	for i, t := range x {
		switch {
		case t.kind == boolean || t.kind == text:
			good = false
			c.fail(t, "%s is %s, within takes numbers or durations", c.text(t), t.kind.phrase())
		case i == 2 && t.kind == duration:
			good = false
			c.fail(t, "%s is a duration, the tolerance is a share: write 0.05 for 5 %%", c.text(t))
		}
	}
	if n, ok := constantOf(x[2]); good && ok && (n < 0 || n >= 1) {
		good = false
		c.fail(x[2], "the tolerance is %s, and must be a share from 0 to less than 1: write 0.05 for 5 %%", c.text(x[2]))
	}
	if !good || !c.sameKindAt(x[1].from, x[1].to, x[0], x[1], "within") {
		return term{}
	}
	t := c.over(boolean, from, to, x...)
	t.test = func(e *eval) truth {
		a, left := x[0].num(e)
		b, right := x[1].num(e)
		tolerance, ok := x[2].num(e)
		if !left || !right || !ok {
			return unknown
		}
		distance, representable := finite(a - b)
		allowed, ok := finite(tolerance * b)
		if !representable || !ok {
			return unknown
		}
		return truthOf(math.Abs(distance) <= math.Abs(allowed))
	}
	return settled(c.want, t)
}

// extreme checks min, max and abs.
func (c *checker) extreme(name string, from, to int, x []term) term {
	good := true
	for _, t := range x {
		if t.kind != number && t.kind != duration {
			good = false
			c.fail(t, "%s is %s, %s takes numbers or durations", c.text(t), t.kind.phrase(), name)
		}
	}
	for _, t := range x[1:] {
		good = good && c.sameKindAt(t.from, t.to, x[0], t, name)
	}
	if !good {
		return term{}
	}
	t := c.over(x[0].kind, from, to, x...)
	if name == "abs" {
		t.num = func(e *eval) (float64, bool) {
			n, ok := x[0].num(e)
			return math.Abs(n), ok
		}
		return t
	}
	pick := math.Max
	if name == "min" {
		pick = math.Min
	}
	t.num = func(e *eval) (float64, bool) {
		n, known := x[0].num(e)
		for _, other := range x[1:] {
			v, ok := other.num(e)
			n, known = pick(n, v), known && ok
		}
		return n, known
	}
	return t
}
