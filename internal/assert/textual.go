package assert

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// textual checks the operators on two texts.
func (c *checker) textual(n *ast.BinaryNode) term {
	l, r := c.exprFor(n.Left, unknown), c.exprFor(n.Right, unknown)
	if good := c.areScalars(l, r); !c.areTexts(n.Operator, l, r) || !good {
		return term{}
	}
	holds := strings.Contains
	switch n.Operator {
	case "startsWith":
		holds = strings.HasPrefix
	case "endsWith":
		holds = strings.HasSuffix
	}
	t := c.over(boolean, l.from, r.to, l, r)
	t.test = func(e *eval) truth {
		a, left := l.text(e)
		b, right := r.text(e)
		if !left || !right {
			return unknown
		}
		return truthOf(holds(a, b))
	}
	return settled(c.want, t)
}

// matches checks `x matches "pattern"`. The pattern is compiled here, so it has
// to be written out.
func (c *checker) matches(n *ast.BinaryNode) term {
	l, r := c.exprFor(n.Left, unknown), c.exprFor(n.Right, unknown)
	if good := c.areScalars(l, r); !c.areTexts(n.Operator, l, r) || !good {
		return term{}
	}
	if !r.literal {
		return c.fail(r, "%s is no pattern: matches takes one written out, as in \"^call_[0-9]+$\"", c.text(r))
	}
	pattern, err := regexp.Compile(r.words)
	if err != nil {
		reason := err.Error()
		var fault *syntax.Error
		if errors.As(err, &fault) {
			reason = string(fault.Code)
		}
		return c.fail(r, "the pattern %s is not a regular expression: %s", c.text(r), reason)
	}
	t := c.over(boolean, l.from, r.to, l, r)
	t.test = func(e *eval) truth {
		v, ok := l.text(e)
		if !ok {
			return unknown
		}
		return truthOf(pattern.MatchString(v))
	}
	return settled(c.want, t)
}

// areTexts complains about each operand that is a value but no text.
func (c *checker) areTexts(operator string, operands ...term) bool {
	good := true
	for _, t := range operands {
		if t.kind.scalar() && t.kind != text {
			c.fail(t, "%s is %s, `%s` takes text on both sides", c.text(t), t.kind.phrase(), operator)
		}
		good = good && t.kind == text
	}
	return good
}
