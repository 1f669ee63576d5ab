package assert

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// naive evaluates syntax trees over maps, as slowly and plainly as the language
// is described: a value is a bool, a float64, a period, a string, a dist, a []any
// of elements or a map[string]any, and nil is unknown.
type naive struct {
	source *source
	top    map[string]any
}

func (n naive) eval(node ast.Node, elem any) any {
	switch node := node.(type) {
	case *ast.BoolNode:
		return node.Value
	case *ast.IntegerNode:
		return float64(node.Value)
	case *ast.FloatNode:
		return node.Value
	case *ast.StringNode:
		return node.Value
	case *ast.PointerNode:
		return elem
	case *ast.IdentifierNode:
		return n.top[node.Value]
	case *ast.MemberNode:
		return member(n.eval(node.Node, elem), node.Property.(*ast.StringNode).Value)
	case *ast.UnaryNode:
		switch v := n.eval(node.Node, elem).(type) {
		case bool:
			return !v
		case float64:
			return -v
		case period:
			return -v
		}
		return nil
	case *ast.BinaryNode:
		return n.binary(node, elem)
	case *ast.BuiltinNode:
		return n.call(node.Arguments, node, elem)
	case *ast.CallNode:
		return n.call(node.Arguments, node, elem)
	}
	panic(fmt.Sprintf("%T", node))
}

func member(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		return v[name]
	case dist:
		switch name {
		case "n":
			return float64(len(v.samples))
		case "mean":
			sum := 0.0
			for _, s := range v.samples {
				sum += s
			}
			return v.figure(sum/float64(len(v.samples)), 1)
		case "min":
			return v.figure(slices.Min(append(v.samples, math.Inf(1))), 1)
		case "max":
			return v.figure(slices.Max(append(v.samples, math.Inf(-1))), 1)
		}
		var p float64
		fmt.Sscanf(name, "p%g", &p)
		return v.percentile(p / 100)
	}
	return nil
}

// amount is the number in a float64 or a span.
func amount(v any) float64 {
	if s, ok := v.(period); ok {
		return float64(s)
	}
	return v.(float64)
}

func (n naive) binary(node *ast.BinaryNode, elem any) any {
	l := n.eval(node.Left, elem)
	switch node.Operator {
	case "and", "&&":
		if l == nil || l == false {
			return l
		}
		return n.eval(node.Right, elem)
	case "or", "||":
		if l == nil || l == true {
			return l
		}
		return n.eval(node.Right, elem)
	case "in":
		for _, x := range node.Right.(*ast.ArrayNode).Nodes {
			r := n.eval(x, elem)
			if l == nil || r == nil {
				return nil
			}
			if l == r {
				return true
			}
		}
		return false
	}
	r := n.eval(node.Right, elem)
	if l == nil || r == nil {
		return nil
	}
	switch node.Operator {
	case "==":
		return l == r
	case "!=":
		return l != r
	case "contains":
		return strings.Contains(l.(string), r.(string))
	case "startsWith":
		return strings.HasPrefix(l.(string), r.(string))
	case "endsWith":
		return strings.HasSuffix(l.(string), r.(string))
	case "matches":
		return regexp.MustCompile(r.(string)).MatchString(l.(string))
	}
	a, b := amount(l), amount(r)
	switch node.Operator {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	}
	_, ls := l.(period)
	_, rs := r.(period)
	v := map[string]float64{"+": a + b, "-": a - b, "*": a * b, "/": a / b, "%": math.Mod(a, b)}[node.Operator]
	return numeric(v, (ls || rs) && !(ls && rs && node.Operator == "/"))
}

// numeric is a number or a span, unless it is none.
func numeric(v float64, span bool) any {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return nil
	case span:
		return period(v)
	}
	return v
}

func (n naive) call(args []ast.Node, node ast.Node, elem any) any {
	at := node.Location()
	name := string(n.source.runes[at.From:at.To])
	if name == "p" {
		d, ok := n.eval(args[0], elem).(dist)
		if !ok {
			return nil
		}
		return d.percentile(n.eval(args[1], elem).(float64) / 100)
	}
	if predicate, ok := args[len(args)-1].(*ast.PredicateNode); ok {
		return n.list(name, n.eval(args[0], elem), predicate.Node)
	}
	var v []any
	for _, arg := range args {
		v = append(v, n.eval(arg, elem))
	}
	if name == "known" {
		d, ok := v[0].(dist)
		return v[0] != nil && (!ok || len(d.samples) > 0)
	}
	if slices.Contains(v, nil) && name != "len" || v[0] == nil {
		return nil
	}
	_, span := v[0].(period)
	switch name {
	case "us":
		return numeric(amount(v[0])*1e3, true)
	case "ms":
		return numeric(amount(v[0])*1e6, true)
	case "s":
		return numeric(amount(v[0])*1e9, true)
	case "len":
		if text, ok := v[0].(string); ok {
			return float64(len([]rune(text)))
		}
		return float64(len(v[0].([]any)))
	case "abs":
		return numeric(math.Abs(amount(v[0])), span)
	case "within":
		return math.Abs(amount(v[0])-amount(v[1])) <= amount(v[2])*math.Abs(amount(v[1]))
	}
	best := amount(v[0])
	for _, x := range v {
		if a := amount(x); name == "min" && a < best || name == "max" && a > best {
			best = a
		}
	}
	return numeric(best, span)
}

// list is a list function.
func (n naive) list(name string, list any, body ast.Node) any {
	elements, _ := list.([]any)
	if len(elements) == 0 {
		return nil
	}
	var held []any
	yes, no, unknown, sum, span := 0, 0, 0, 0.0, false
	for _, elem := range elements {
		switch v := n.eval(body, elem).(type) {
		case nil:
			unknown++
		case bool:
			if v {
				yes++
				held = append(held, elem)
			} else {
				no++
			}
		default:
			sum += amount(v)
			_, span = v.(period)
		}
	}
	switch {
	case name == "all" && no > 0, name == "none" && yes > 0:
		return false
	case name == "any" && yes > 0:
		return true
	case unknown > 0:
		return nil
	}
	switch name {
	case "all":
		return no == 0
	case "any":
		return yes > 0
	case "none":
		return yes == 0
	case "one":
		return yes == 1
	case "count":
		return float64(yes)
	case "filter":
		if held == nil {
			return []any{}
		}
		return held
	case "mean":
		sum /= float64(len(elements))
	}
	return numeric(sum, span)
}
