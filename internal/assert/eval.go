package assert

import (
	"fmt"
	"reflect"
	"strings"
)

// Env holds the values of one level, one for each root of the scope and in their
// order: a pointer to the root's struct, a Table, or nil (everything of the root
// is unknown).
type Env []any

// Table holds values by their dotted path below the root, for a root whose
// values do not come as a struct: numbers, durations in nanoseconds, bools as 0
// and 1, and figures of distributions as "ttft.p95". What it does not hold is
// unknown, and so are all texts and lists.
type Table map[string]float64

func (t Table) number(key string) (float64, bool) {
	n, ok := t[key]
	if !ok {
		return 0, false
	}
	return finite(n)
}

// has reports whether the table holds anything below prefix.
func (t Table) has(prefix string) bool {
	for key := range t {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// Result is the answer of a check.
type Result uint8

// The three results. Undecided is not passed.
const (
	Undecided Result = iota
	Holds
	Fails
)

// String is the result as a word.
func (r Result) String() string {
	return [...]string{"undecided", "holds", "fails"}[r]
}

func resultOf(t truth) Result {
	switch t {
	case yes:
		return Holds
	case no:
		return Fails
	}
	return Undecided
}

// Eval decides the check. It panics when env does not fit the scope's roots,
// which is a mistake of the program.
func (c *Check) Eval(env Env) Result {
	return resultOf(c.root.test(c.start(env)))
}

// eval is the state of one evaluation.
type eval struct {
	roots []rootValue
	elem  reflect.Value // the element that a list function is looking at; invalid: unknown
	memo  []memo
	trace *trace // nil: nobody wants an explanation
}

// rootValue is a struct or a table; neither: unknown.
type rootValue struct {
	value reflect.Value
	table Table
}

// memo keeps the value of a list function that stands inside another one's
// condition and does not depend on the element, so that it is worked out once
// and not for every element.
type memo struct {
	set   bool
	truth truth
	n     float64
	ok    bool
	items items
}

func (c *Check) start(env Env) *eval {
	if len(env) != len(c.roots) {
		panic(fmt.Sprintf("assert: %d values for %d roots", len(env), len(c.roots)))
	}
	e := &eval{roots: make([]rootValue, len(env))}
	if c.slots > 0 {
		e.memo = make([]memo, c.slots)
	}
	for i, value := range env {
		switch v := value.(type) {
		case nil:
		case Table:
			e.roots[i].table = v
		default:
			p := reflect.ValueOf(value)
			if p.Type() != reflect.PointerTo(c.roots[i].Type) {
				panic(fmt.Sprintf("assert: the value of root %d is a %T, want *%s", i, value, c.roots[i].Type))
			}
			e.roots[i].value = p.Elem()
		}
	}
	return e
}

// items is a list, or those of its elements that a filter picked.
type items struct {
	slice reflect.Value
	pick  []int // indexes into slice
	some  bool  // the picked ones alone

	pointers bool // the elements are pointers to structs
}

func (l *items) len() int {
	if l.some {
		return len(l.pick)
	}
	return l.slice.Len()
}

// index is the place of element i in the unfiltered list.
func (l *items) index(i int) int {
	if l.some {
		return l.pick[i]
	}
	return i
}

// at is the struct of element i; invalid for a nil pointer.
func (l *items) at(i int) reflect.Value {
	v := l.slice.Index(l.index(i))
	if l.pointers {
		return v.Elem()
	}
	return v
}
