package assert

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// structure is a struct type as checks see it: its variables in order.
type structure struct {
	fields []*field
}

// field is one variable of a struct.
type field struct {
	name, doc, unit string
	kind            kind
	allowed         []string // text: the closed set of its values; empty: any
	plan, speed     bool
	index           []int
	read            reader
	inner           *structure // of a record, and of a list's elements
}

// of is the field's own value in the struct s.
func (f *field) of(s reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return s.Field(f.index[0])
	}
	return s.FieldByIndex(f.index)
}

// lookup finds a field by name; nil when there is none.
func (s *structure) lookup(name string) *field {
	for _, f := range s.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// names lists the fields in order.
func (s *structure) names() []string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	return names
}

// structureOf reads the tags of t. The outer types are those that t was found
// in, so that a type that contains itself is noticed. It panics on a struct that
// checks cannot read: the struct is part of the program, not of its input.
func structureOf(t reflect.Type, outer ...reflect.Type) *structure {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("assert: %s is no struct", t))
	}
	if slices.Contains(outer, t) {
		panic(fmt.Sprintf("assert: %s contains itself", t))
	}
	s := &structure{}
	s.collect(t, nil, append(slices.Clone(outer), t))
	if len(s.fields) == 0 {
		panic(fmt.Sprintf("assert: %s has no variables (fields with a json and a doc tag)", t))
	}
	return s
}

// collect adds the variables of t, which stands at index in the outermost
// struct. The fields of embedded structs are fields of the outer one.
func (s *structure) collect(t reflect.Type, index []int, outer []reflect.Type) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(slices.Clone(index), i)
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Anonymous && name == "" {
			if sf.Type.Kind() == reflect.Struct {
				s.collect(sf.Type, at, outer)
			} else if _, ok := sf.Tag.Lookup("doc"); ok || sf.Type.Kind() == reflect.Pointer {
				panic(fmt.Sprintf("assert: %s.%s is embedded and no struct", t, sf.Name))
			}
			continue
		}
		if _, ok := sf.Tag.Lookup("doc"); !ok {
			continue
		}
		f := fieldOf(t, sf, name, outer)
		f.index = at
		if s.lookup(f.name) != nil {
			panic(fmt.Sprintf("assert: %s has two variables %q", t, f.name))
		}
		s.fields = append(s.fields, f)
	}
}

// fieldOf reads the type and the tags of one variable.
func fieldOf(t reflect.Type, sf reflect.StructField, name string, outer []reflect.Type) *field {
	fault := func(what string) string { return fmt.Sprintf("assert: %s.%s %s", t, sf.Name, what) }
	if !isName(name) {
		panic(fault(fmt.Sprintf("has the name %q, which an expression cannot spell", name)))
	}
	if !sf.IsExported() {
		panic(fault("is not exported"))
	}
	f := &field{
		name: name, doc: sf.Tag.Get("doc"), unit: sf.Tag.Get("unit"),
		plan: sf.Tag.Get("plan") == "true", speed: sf.Tag.Get("speed") == "true",
	}
	f.kind, f.read = readerOf(sf.Type)
	if f.kind == invalid {
		f.kind, f.inner = innerOf(sf.Type, outer)
	}
	if f.kind == invalid {
		panic(fault(fmt.Sprintf("is of type %s, which checks cannot read", sf.Type)))
	}
	if set := sf.Tag.Get("enum"); set != "" {
		f.allowed = strings.Split(set, "|")
		if f.kind != text {
			panic(fault("has an enum tag and is no text"))
		}
	}
	return f
}

// innerOf recognises records (structs and pointers to structs) and lists
// (slices of either).
func innerOf(t reflect.Type, outer []reflect.Type) (kind, *structure) {
	k := record
	if t.Kind() == reflect.Slice {
		k, t = list, t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return invalid, nil
	}
	return k, structureOf(t, outer...)
}
