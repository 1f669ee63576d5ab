package assert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"scenario/internal/diag"
)

// functions are all that can be called.
var functions = append([]string{"us", "ms", "s", "p", "known", "within", "min", "max", "abs", "len"}, listFunctions...)

// callHint says how a function is called.
func callHint(name string) string {
	switch name {
	case "us", "ms", "s":
		return fmt.Sprintf("%[1]s takes one number: %[1]s(500)", name)
	case "p":
		return "p takes a distribution and a percentage: p(ttft, 97)"
	case "known":
		return "known takes one variable: known(cached_ratio)"
	case "within":
		return "within takes two values and a tolerance: within(a, b, 0.05)"
	case "min", "max":
		return fmt.Sprintf("%[1]s takes two or more values: %[1]s(a, b)", name)
	case "abs":
		return "abs takes one value: abs(a - b)"
	case "len":
		return "len takes one list or text: len(requests)"
	case "count":
		return "count takes a list and a condition: count(requests, .ok); the length of a list is len(requests)"
	case "sum":
		return "sum takes a list and a value of its elements: sum(requests, .output_tokens)"
	case "mean":
		return "mean takes a list and a value of its elements: mean(requests, .output_tokens); that of a distribution is ttft.mean"
	}
	return fmt.Sprintf("%[1]s takes a list and a condition: %[1]s(requests, .ok)", name)
}

// call checks a call of a function; n is where its name stands.
func (c *checker) call(n ast.Node, args []ast.Node) term {
	from, to := c.source.span(n)
	own := n.Location()
	name := string(c.source.runes[own.From:own.To])
	want := map[string]int{"us": 1, "ms": 1, "s": 1, "p": 2, "known": 1, "within": 3, "abs": 1, "len": 1}
	switch count, fixed := want[name]; {
	case slices.Contains(listFunctions, name):
		return c.overList(name, from, to, args)
	case !slices.Contains(functions, name):
		return c.noFunction(name, own.From, own.To, args)
	case fixed && len(args) != count, !fixed && len(args) < 2:
		return c.failAt(from, to, "%s", callHint(name))
	}
	switch name {
	case "p":
		return c.percentile(from, to, args)
	case "known":
		return c.known(from, to, args[0])
	case "len":
		return c.length(from, to, args[0])
	}
	operands := make([]term, len(args))
	for i, arg := range args {
		operands[i] = c.exprFor(arg, unknown)
	}
	if !c.areScalars(operands...) {
		return term{}
	}
	switch name {
	case "us", "ms", "s":
		return c.unit(name, from, to, operands[0])
	case "within":
		return c.within(from, to, operands)
	}
	return c.extreme(name, from, to, operands)
}

// noFunction complains about a function that the language does not have.
func (c *checker) noFunction(name string, from, to int, args []ast.Node) term {
	if m := percentileName.FindStringSubmatch(name); m != nil && len(args) == 1 {
		afrom, ato := c.source.span(args[0])
		f := c.source.text(afrom, ato)
		write := f + "." + name
		if !slices.Contains(figures, name) {
			write = "p(" + f + ", " + m[1] + ")"
		}
		return c.failWith(from, to, "write "+write, "%s is not a function: write %s", name, write)
	}
	message, fix := foreign(name)
	return c.failWith(from, to, fix, "%s", message)
}

// foreign says that a function does not exist, and what does.
func foreign(name string) (message, fix string) {
	switch name {
	case "avg", "average":
		return name + " is not part of the language (did you mean mean?)", "write mean"
	case "map":
		return "map is not part of the language: sum, mean, all, any, … take the value of an element themselves", ""
	}
	if near, ok := diag.Nearest(name, functions); ok && len(name) > 2 {
		return fmt.Sprintf("%s is not part of the language (did you mean %s?)", name, near), "write " + near
	}
	return fmt.Sprintf("%s is not part of the language: its functions are %s", name, strings.Join(functions, ", ")), ""
}

// method complains about a call of a member, such as ttft.p(97).
func (c *checker) method(member *ast.MemberNode) term {
	from, to := c.source.span(member)
	if property, ok := member.Property.(*ast.StringNode); ok && property.Value == "p" {
		bfrom, bto := c.source.span(member.Node)
		return c.failAt(from, to, "%s is not a function: write p(%s, 97)", c.source.text(from, to), c.source.text(bfrom, bto))
	}
	return c.failAt(from, to, "%s is not a function", c.source.text(from, to))
}
