// Package assert compiles and evaluates checks. In go an expression and the
// scope of names that it may use, which is read from struct types; out come
// either a Check or every mistake in the expression, with its place. A Check
// takes the values of one level and says whether it holds, fails or cannot be
// decided; asked to explain, it gives the values that it read and the elements
// of lists that it failed on.
//
// An expression passes through
//
//  1. source: tokens, and the refusal of those that the language does not have,
//  2. expr's parser, which makes the syntax tree,
//  3. checker: names and types; every node becomes a term with a closure,
//  4. eval: the closures, run over the values.
//
// Logic is three-valued, and unknown is neither true nor false: a value that was
// not measured makes the check undecided, never passed.
package assert

import (
	"cmp"
	"fmt"
	"slices"
)

// Mode says what an expression may read.
type Mode uint8

const (
	// Measured is for checks: they read the figures of a level, and must read at
	// least one.
	Measured Mode = iota
	// Planned is for conditions that are decided before the run: they read
	// variables with the plan tag, and known(…) of optional roots.
	Planned
)

// Error is one mistake in an expression. From and To are offsets into it in
// runes, From < To unless the expression is empty. Fix, if any, says what to write.
type Error struct {
	From, To     int
	Message, Fix string
}

// Error is the message without its place.
func (e Error) Error() string { return e.Message }

// Check is a compiled expression. It is safe for concurrent use.
type Check struct {
	roots []scopeRoot
	root  term
	slots int // how many values an evaluation keeps
	reads []string
	asked []string
	needs []Need
}

// Compile reads an expression and checks it against the scope. Either the check
// is nil, or there are no errors; these are all that were found, sorted by place.
func Compile(expression string, scope *Scope, mode Mode) (*Check, []Error) {
	src, tree, errs := parse(expression)
	if tree == nil {
		return nil, sorted(errs)
	}
	c := &checker{source: src, scope: scope, mode: mode}
	root := c.exprFor(tree, yes)
	c.result(root)
	if len(c.errs) > 0 {
		return nil, sorted(c.errs)
	}
	for i, n := range c.needs {
		c.needs[i].Asked = slices.Contains(c.asked, n.Path+"."+n.Figure)
	}
	return &Check{roots: scope.roots, root: root, slots: c.slots, reads: c.reads, asked: c.asked, needs: c.needs}, nil
}

// sorted orders errors by place and drops repetitions.
func sorted(errs []Error) []Error {
	slices.SortStableFunc(errs, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(errs)
}

// result checks the expression as a whole: its type, and that it reads something.
func (c *checker) result(root term) {
	whole := func(format string, args ...any) {
		c.errs = append(c.errs, Error{To: len(c.source.runes), Message: fmt.Sprintf(format, args...)})
	}
	noun := "a check"
	if c.mode == Planned {
		noun = "a condition"
	}
	switch {
	case root.kind == invalid && len(c.errs) == 0:
		whole("the expression cannot be checked; this is a fault of scenario, not of the expression")
	case root.kind == invalid || !c.isScalar(root):
	case root.kind != boolean:
		c.fail(root, "%s is %s, %s must be true or false: compare it", c.text(root), root.kind.phrase(), noun)
	case len(c.errs) > 0:
	case c.mode == Measured && !c.measured:
		whole("the check reads no measured variable: it says the same of every server")
	case c.mode == Planned && !c.planned:
		whole("the condition reads no planned variable: it says the same of every level")
	}
}

// Reads lists the dotted paths of the variables that the check reads, in the
// order of the expression and without repetition; a field of a list's elements
// stands below the list (requests.ok). What is read inside known(…) alone is not
// among them.
func (c *Check) Reads() []string { return slices.Clone(c.reads) }

// Asked lists the dotted paths that the check asks known(…) of: it says itself
// what is to happen where they are unknown.
func (c *Check) Asked() []string { return slices.Clone(c.asked) }

// Needs lists the figures of distributions that the check reads, with the number
// of samples that each takes to be known.
func (c *Check) Needs() []Need { return slices.Clone(c.needs) }
