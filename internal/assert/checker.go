package assert

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// checker turns a syntax tree into a term and collects the mistakes on the way.
type checker struct {
	source *source
	scope  *Scope
	mode   Mode

	lists  []*variable // the lists whose elements' conditions are being read, innermost last
	fields int         // how many fields of elements were named in the innermost of them
	asking bool        // inside known(…)
	want   truth       // what the expression being read must be for the check to hold; unknown: either

	errs     []Error
	reads    []string
	asked    []string // what known(…) is asked of
	needs    []Need
	measured bool // a measured variable was named
	planned  bool // a planned variable was read, or an optional one asked for
	slots    int
}

// exprFor checks n, which must be want for the check to hold.
func (c *checker) exprFor(n ast.Node, want truth) term {
	outer := c.want
	c.want = want
	t := c.expr(n)
	c.want = outer
	return t
}

// expr checks n. Every kind of node that is not named here is refused.
func (c *checker) expr(n ast.Node) term {
	from, to := n.Location().From, n.Location().To // of a literal, all of it
	literal := term{from: from, to: to, literal: true, constant: true}
	switch n := n.(type) {
	case *ast.BoolNode:
		value := truthOf(n.Value)
		literal.kind, literal.test = boolean, func(*eval) truth { return value }
		return literal
	case *ast.IntegerNode:
		return literal.number(float64(n.Value))
	case *ast.FloatNode:
		return literal.number(n.Value)
	case *ast.StringNode:
		literal.kind, literal.words = text, n.Value
		literal.text = func(*eval) (string, bool) { return n.Value, true }
		return literal
	case *ast.IdentifierNode, *ast.MemberNode, *ast.PointerNode:
		return c.name(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.BuiltinNode:
		return c.call(n, n.Arguments)
	case *ast.CallNode:
		if member, ok := n.Callee.(*ast.MemberNode); ok {
			return c.method(member)
		}
		return c.call(n, n.Arguments)
	case *ast.ArrayNode:
		from, to = c.source.span(n)
		return c.failAt(from, to, `a list in brackets stands right of in only: .outcome in ["ok", "timeout"]`)
	case *ast.NilNode:
		return c.failAt(from, to, "`nil` is not part of the language: write known(…) to ask whether a value is there")
	}
	from, to = c.source.span(n)
	return c.failAt(from, to, "%s is not part of the language", c.source.text(from, to))
}

// number makes t, a literal, the number it stands for.
func (t term) number(value float64) term {
	t.kind = number
	t.num = func(*eval) (float64, bool) { return value, true }
	return t
}

// fail is an error about t; the invalid term it returns stands for whatever was
// being made of it.
func (c *checker) fail(t term, format string, args ...any) term {
	return c.failAt(t.from, t.to, format, args...)
}

func (c *checker) failAt(from, to int, format string, args ...any) term {
	return c.failWith(from, to, "", format, args...)
}

func (c *checker) failWith(from, to int, fix, format string, args ...any) term {
	c.errs = append(c.errs, Error{From: from, To: to, Message: fmt.Sprintf(format, args...), Fix: fix})
	return term{from: from, to: to}
}

// text is t as it is written.
func (c *checker) text(t term) string { return c.source.text(t.from, t.to) }

// isScalar reports whether t is a value; what is to be written instead of a
// distribution, a list or a record is said here.
func (c *checker) isScalar(t term) bool {
	switch {
	case t.kind == invalid:
		return false
	case t.kind.isDist():
		c.fail(t, "%[1]s is a distribution: write %[1]s.p95, %[1]s.mean, …", c.text(t))
	case t.kind == list:
		c.fail(t, "%[1]s is a list: write all(%[1]s, …), len(%[1]s), …", c.text(t))
	case t.kind == record:
		var names []string
		for _, name := range t.variable.field.inner.names()[:min(2, len(t.variable.field.inner.fields))] {
			names = append(names, c.text(t)+"."+name)
		}
		c.fail(t, "%s is a group of variables: write %s, …", c.text(t), strings.Join(names, ", "))
	}
	return t.kind.scalar()
}

// areScalars asks it of all, so that each is complained about.
func (c *checker) areScalars(terms ...term) bool {
	all := true
	for _, t := range terms {
		all = c.isScalar(t) && all
	}
	return all
}

// isBoolean reports whether t can be an operand of what, which takes conditions.
func (c *checker) isBoolean(t term, what string) bool {
	if !c.isScalar(t) {
		return false
	}
	if t.kind != boolean {
		fix := ""
		if what == "`not`" {
			fix = "put the comparison in brackets, as in not (x < 5)"
		}
		c.failWith(t.from, t.to, fix, "%s is %s, %s takes true or false: compare it", c.text(t), t.kind.phrase(), what)
	}
	return t.kind == boolean
}
