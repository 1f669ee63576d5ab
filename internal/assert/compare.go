package assert

import (
	"slices"
	"strings"

	"scenario/internal/diag"

	"github.com/expr-lang/expr/ast"
)

// chain checks `a < b` and `a < b < c`: numbers and durations have an order.
func (c *checker) chain(nodes []ast.Node, operators []string) term {
	operands := make([]term, len(nodes))
	for i, n := range nodes {
		operands[i] = c.exprFor(n, unknown)
	}
	good := c.areScalars(operands...)
	for i, t := range operands {
		if t.kind == boolean || t.kind == text {
			good = false
			c.failWith(t.from, t.to, c.chainFix(t), "%s is %s, which has no order: `%s` compares numbers or durations", c.text(t), t.kind.phrase(), operators[max(i-1, 0)])
		}
	}
	if !good {
		return term{}
	}
	for i := range operators {
		good = c.sameKind(operands[i], operands[i+1], operators[i]) && good
	}
	if !good {
		return term{}
	}
	t := c.over(boolean, operands[0].from, operands[len(operands)-1].to, operands...)
	if len(operators) == 1 {
		c.counted(operands[0], operands[1], operators[0])
		t.test = ordered(operands[0], operands[1], order(operators[0]))
		return settled(c.want, t)
	}
	holds := make([]func(a, b float64) bool, len(operators))
	for i, operator := range operators {
		holds[i] = order(operator)
	}
	t.test = func(e *eval) truth {
		a, known := operands[0].num(e)
		for i, holds := range holds {
			b, ok := operands[i+1].num(e)
			if !known || !ok {
				return unknown
			}
			if !holds(a, b) {
				return no
			}
			a = b
		}
		return yes
	}
	return settled(c.want, t)
}

// chainFix is for `a == b < c`, which compares the answer of the first.
func (c *checker) chainFix(t term) string {
	if t.kind == boolean && !t.literal && t.variable == nil {
		return "join two comparisons with and"
	}
	return ""
}

func order(operator string) func(a, b float64) bool {
	switch operator {
	case "<":
		return func(a, b float64) bool { return a < b }
	case "<=":
		return func(a, b float64) bool { return a <= b }
	case ">":
		return func(a, b float64) bool { return a > b }
	}
	return func(a, b float64) bool { return a >= b }
}

// ordered compares two numbers or durations. What is constant is worked out once.
func ordered(l, r term, holds func(a, b float64) bool) func(*eval) truth {
	if b, ok := constantOf(r); ok {
		return func(e *eval) truth {
			a, ok := l.num(e)
			if !ok {
				return unknown
			}
			return truthOf(holds(a, b))
		}
	}
	return func(e *eval) truth {
		a, left := l.num(e)
		b, right := r.num(e)
		if !left || !right {
			return unknown
		}
		return truthOf(holds(a, b))
	}
}

// equality checks `==` and `!=`, which every type has.
func (c *checker) equality(n *ast.BinaryNode) term {
	l, r := c.compared(n.Left, n.Right)
	if !c.areScalars(l, r) || !c.sameKind(l, r, n.Operator) || !c.sameSet(l, r) {
		return term{}
	}
	c.counted(l, r, n.Operator)
	t := c.over(boolean, l.from, r.to, l, r)
	t.test = equal(l, r)
	if n.Operator == "!=" {
		equals := t.test
		t.test = func(e *eval) truth { return -equals(e) }
	}
	return settled(c.want, t)
}

// compared checks the two sides of a comparison. A bare name may be a word of the
// other side's closed set, without its quotes.
func (c *checker) compared(left, right ast.Node) (l, r term) {
	before := len(c.errs)
	l = c.exprFor(left, unknown)
	between := len(c.errs)
	r = c.orWord(right, l)
	if isWord(left, l, r) {
		c.errs = slices.Delete(c.errs, before, between)
		l = c.unquoted(left)
	}
	return l, r
}

// orWord is exprFor for what is compared with other.
func (c *checker) orWord(n ast.Node, other term) term {
	before := len(c.errs)
	t := c.exprFor(n, unknown)
	if isWord(n, t, other) {
		c.errs = c.errs[:before]
		return c.unquoted(n)
	}
	return t
}

// isWord reports whether n, which was read as t, is a word of other's closed set.
func isWord(n ast.Node, t, other term) bool {
	name, ok := n.(*ast.IdentifierNode)
	return ok && t.kind != text && slices.Contains(other.allowed, name.Value)
}

// unquoted complains about a word without its quotes.
func (c *checker) unquoted(n ast.Node) term {
	own := n.Location()
	word := c.source.text(own.From, own.To)
	return c.failWith(own.From, own.To, `write "`+word+`"`, `%[1]s is a word, and stands in quotes: write "%[1]s"`, word)
}

// equal compares two terms of one kind.
func equal(l, r term) func(*eval) truth {
	switch l.kind {
	case boolean:
		return func(e *eval) truth { return l.test(e) * r.test(e) }
	case text:
		if r.literal {
			return func(e *eval) truth {
				a, ok := l.text(e)
				if !ok {
					return unknown
				}
				return truthOf(a == r.words)
			}
		}
		return func(e *eval) truth {
			a, left := l.text(e)
			b, right := r.text(e)
			if !left || !right {
				return unknown
			}
			return truthOf(a == b)
		}
	}
	return ordered(l, r, func(a, b float64) bool { return a == b })
}

// in checks `x in [a, b]`, which is `x == a or x == b`.
func (c *checker) in(n *ast.BinaryNode) term {
	l := c.exprFor(n.Left, unknown)
	comparable := c.isScalar(l)
	array, ok := n.Right.(*ast.ArrayNode)
	if !ok {
		from, to := c.source.span(n.Right)
		return c.failAt(from, to, `in takes a list in brackets, as in .outcome in ["ok", "timeout"]`)
	}
	from, to := c.source.span(array)
	if len(array.Nodes) == 0 {
		return c.failAt(from, to, "the list is empty: nothing is in it")
	}
	operands := []term{l}
	var tests []func(*eval) truth
	for _, node := range array.Nodes {
		r := c.orWord(node, l)
		if c.isScalar(r) && comparable && c.sameKindAt(r.from, r.to, l, r, "in") && c.sameSet(l, r) {
			operands = append(operands, r)
			tests = append(tests, equal(l, r))
		}
	}
	if len(tests) < len(array.Nodes) {
		return term{}
	}
	t := c.over(boolean, l.from, to, operands...)
	t.test = func(e *eval) truth {
		for _, test := range tests {
			if v := test(e); v != no {
				return v
			}
		}
		return no
	}
	return settled(c.want, t)
}

// sameSet reports whether two texts can be equal: a literal has to be in the
// closed set that it is compared with, and two sets have to overlap.
func (c *checker) sameSet(l, r term) bool {
	if len(l.allowed) == 0 {
		l, r = r, l
	}
	switch {
	case len(l.allowed) == 0:
		return true
	case len(r.allowed) > 0:
		if !slices.ContainsFunc(l.allowed, func(v string) bool { return slices.Contains(r.allowed, v) }) {
			c.fail(r, "no %s is a %s: they are never equal", l.name, r.name)
			return false
		}
		return true
	case !r.literal || slices.Contains(l.allowed, r.words):
		return true
	}
	fix := ""
	// Typing errors rarely hit the first letter: "done" is not meant as "none".
	if near, ok := diag.Nearest(r.words, l.allowed); ok && strings.EqualFold(near[:1], r.words[:min(1, len(r.words))]) {
		fix = `write "` + near + `"`
	}
	c.failWith(r.from, r.to, fix, "%s is no %s: it is one of %s", c.text(r), l.name, strings.Join(l.allowed, ", "))
	return false
}
