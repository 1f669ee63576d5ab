package assert

import "reflect"

// variable is one name of the scope, and how its value is reached.
type variable struct {
	field    *field
	path     string // as written: "ttft", "server.running_max"; ".ok" in an element
	full     string // the same, below its list in an element: "requests.ok"
	key      string // the path below the root
	root     int
	optional bool                      // of its root
	element  bool                      // a field of the element that a list function is looking at
	base     func(*eval) reflect.Value // the struct that holds it; invalid: unknown
}

// inner is a field of the record v.
func (v *variable) inner(f *field) *variable {
	w := *v
	w.field = f
	w.path, w.full, w.key = v.path+"."+f.name, v.full+"."+f.name, v.key+"."+f.name
	w.base = func(e *eval) reflect.Value { return v.structOf(e) }
	return &w
}

// structOf is the record's struct; invalid where it is unknown.
func (v *variable) structOf(e *eval) reflect.Value {
	s := v.base(e)
	if !s.IsValid() {
		return s
	}
	return pointee(v.field.of(s))
}

// pointee is the struct that v is or points to; invalid for a nil pointer.
func pointee(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer {
		return v.Elem()
	}
	return v
}

// table is the root's value where that is a table.
func (v *variable) table(e *eval) Table {
	if v.element {
		return nil
	}
	return e.roots[v.root].table
}

// number reads a number, or a duration in nanoseconds. What is NaN or infinite is
// unknown.
func (v *variable) number(e *eval) (float64, bool) {
	s := v.base(e)
	if s.IsValid() {
		n, known := v.field.read.number(v.field.of(s))
		_, ok := finite(n)
		return n, known && ok
	}
	return v.table(e).number(v.key)
}

// truth reads a bool.
func (v *variable) truth(e *eval) truth {
	s := v.base(e)
	if s.IsValid() {
		return v.field.read.truth(v.field.of(s))
	}
	if n, ok := v.table(e).number(v.key); ok {
		return truthOf(n != 0)
	}
	return unknown
}

// text reads a text.
func (v *variable) text(e *eval) (string, bool) {
	s := v.base(e)
	if !s.IsValid() {
		return "", false
	}
	return v.field.read.text(v.field.of(s))
}

// dist reads a distribution.
func (v *variable) dist(e *eval) (distribution, bool) {
	s := v.base(e)
	if !s.IsValid() {
		return nil, false
	}
	return v.field.read.dist(v.field.of(s))
}

// figure reads one figure of a distribution.
func (v *variable) figure(e *eval, f figure) (float64, bool) {
	if d, ok := v.dist(e); ok {
		return f.of(d)
	}
	return v.table(e).number(v.key + "." + f.name)
}

// items reads a list.
func (v *variable) items(e *eval) (items, bool) {
	s := v.base(e)
	if !s.IsValid() {
		return items{}, false
	}
	l := v.field.of(s)
	return items{slice: l, pointers: l.Type().Elem().Kind() == reflect.Pointer}, true
}

// known asks whether the variable has a value.
func (v *variable) known(e *eval) bool {
	var ok bool
	switch k := v.field.kind; {
	case k == boolean:
		ok = v.truth(e) != unknown
	case k == text:
		_, ok = v.text(e)
	case k == list:
		_, ok = v.items(e)
	case k == record:
		ok = v.structOf(e).IsValid()
	case k.isDist():
		d, found := v.dist(e)
		ok = found && d.Count() > 0 || v.table(e).has(v.key+".")
	default:
		_, ok = v.number(e)
	}
	return ok
}
