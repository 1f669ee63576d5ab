package assert

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// listFunctions take a list and a condition, or a value, of its elements.
var listFunctions = []string{"all", "any", "none", "one", "count", "filter", "sum", "mean"}

// overList checks a call of a list function.
func (c *checker) overList(name string, from, to int, args []ast.Node) term {
	if len(args) != 2 {
		return c.failAt(from, to, "%s", callHint(name))
	}
	l := c.exprFor(args[0], unknown)
	if l.kind == invalid {
		return term{}
	}
	if l.kind != list {
		return c.noList(name, l)
	}
	predicate, ok := args[1].(*ast.PredicateNode)
	if !ok {
		return c.failAt(from, to, "%s", callHint(name))
	}
	f := &fold{name: name, list: l.variable, items: l.items, want: c.want, slot: -1}
	outer := c.fields
	c.lists, c.fields = append(c.lists, l.variable), 0
	body := c.exprFor(predicate.Node, f.wantOfElement())
	fields := c.fields
	c.lists, c.fields = c.lists[:len(c.lists)-1], outer
	if !c.fits(f, body) {
		return term{}
	}
	if fields == 0 {
		return c.noElement(name, l, body)
	}
	if len(c.lists) > 0 && !l.element {
		f.slot = c.slots
		c.slots++
	}
	t := term{from: from, to: to, element: l.element, speed: l.speed || body.speed, folds: true}
	return c.foldTerm(t, f, body)
}

// wantOfElement is what the condition of each element must be.
func (f *fold) wantOfElement() truth {
	switch f.name {
	case "all", "any", "one":
		return f.want
	case "none":
		return -f.want
	}
	return unknown
}

// fits gives f the closure of its elements, if that is of the right type.
func (c *checker) fits(f *fold, body term) bool {
	if !c.isScalar(body) {
		return false
	}
	if f.name == "sum" || f.name == "mean" {
		f.value = body.num
		switch body.kind {
		case number, duration:
			return true
		case boolean:
			c.fail(body, "%s is true or false, %s takes a number or a duration of each element: write count(…)", c.text(body), f.name)
		default:
			c.fail(body, "%s is %s, %s takes a number or a duration of each element", c.text(body), body.kind.phrase(), f.name)
		}
		return false
	}
	f.test = body.test
	if body.kind != boolean {
		c.fail(body, "%s is %s, %s takes a condition: compare it", c.text(body), body.kind.phrase(), f.name)
	}
	return body.kind == boolean
}

// foldTerm completes the term of a list function.
func (c *checker) foldTerm(t term, f *fold, body term) term {
	switch f.name {
	case "filter":
		t.kind, t.variable, t.items = list, f.list, f.filter
	case "count", "sum", "mean":
		t.kind = number
		if f.name != "count" {
			t.kind = body.kind
		} else {
			t.counting = f
		}
		t.num = c.announced(t, f.number)
	default:
		t.kind, t.test = boolean, f.truth
		return settled(f.want, t)
	}
	return t
}

// announced tells the trace the number that a function makes of a list.
func (c *checker) announced(t term, number func(*eval) (float64, bool)) func(*eval) (float64, bool) {
	words, kind, speed := c.text(t), t.kind, t.speed
	return func(e *eval) (float64, bool) {
		n, ok := number(e)
		if e.trace != nil {
			e.trace.read(Read{Path: words, Text: format(kind, n, ""), Known: ok, Speed: speed})
		}
		return n, ok
	}
}

// noElement complains about a condition, or a value, that is the same for every
// element.
func (c *checker) noElement(name string, l, body term) term {
	what, instead := "condition", ""
	switch {
	case name == "sum" || name == "mean":
		what = "value"
	case (name == "count" || name == "filter") && c.text(body) == "true":
		instead = ": their number is len(" + c.text(l) + ")"
	}
	return c.fail(body, "the %s %s reads no field of the elements%s", what, c.text(body), instead)
}

// noList complains about the first argument of a list function.
func (c *checker) noList(name string, l term) term {
	switch {
	case l.kind.isDist() && slices.Contains(figures, name):
		return c.fail(l, "%[1]s is a distribution, %[2]s takes a list: write %[1]s.%[2]s", c.text(l), name)
	case l.kind.isDist() && name == "count":
		return c.fail(l, "%[1]s is a distribution, %[2]s takes a list: write %[1]s.n", c.text(l), name)
	}
	return c.fail(l, "%s is %s, %s takes a list", c.text(l), l.kind.phrase(), name)
}
