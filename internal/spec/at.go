package spec

import "scenario/internal/diag"

// At is a place in a scenario file: handed to later stages, so that what they
// find points into the file. It is small and copyable; the zero value has no
// position.
type At struct {
	node, key *node
	absent    bool // the node is what the missing value would stand in
}

// Key is the value of one of a mapping's keys. Where there is none it is a
// itself, and does not Exist.
func (a At) Key(name string) At {
	if a.absent || a.node == nil {
		return At{a.node, a.key, true}
	}
	if e := a.node.entry(name); e != nil {
		return At{node: e.value, key: e.key}
	}
	return At{a.node, a.key, true}
}

// Item is item i of a list, from 0. Where there is none it is a itself, and does
// not Exist.
func (a At) Item(i int) At {
	if a.absent || a.node == nil || i < 0 || i >= len(a.node.items) {
		return At{a.node, a.key, true}
	}
	return At{node: a.node.items[i]}
}

// Len is the number of items of a list; 0 for anything else.
func (a At) Len() int {
	if !a.Exists() {
		return 0
	}
	return len(a.node.items)
}

// Exists reports whether the file holds this value.
func (a At) Exists() bool { return a.node != nil && !a.absent }

// Text is the scalar at a; empty where there is none.
func (a At) Text() Text {
	if !a.Exists() || !a.node.scalar() || a.node.form == nullForm {
		return Text{}
	}
	return Text{value: a.node.text, node: a.node}
}

// Equal reports whether both hold the same value, wherever it stands.
func (a At) Equal(b At) bool {
	if !a.Exists() || !b.Exists() {
		return a.Exists() == b.Exists()
	}
	return a.node.equal(b.node)
}

// Pos is where the value stands; a value that came from a flag has the flag for
// a file.
func (a At) Pos() diag.Pos { return a.Diagnose("", "").Pos }

// Diagnose is an error at the value.
func (a At) Diagnose(message, fix string) diag.Diagnostic {
	if a.node == nil {
		return diag.Diagnostic{Message: message, Fix: fix}
	}
	return a.node.diagnose(message, fix)
}

// DiagnoseKey is an error at the key of the value, or at the value where it has
// no key.
func (a At) DiagnoseKey(message, fix string) diag.Diagnostic {
	if a.key == nil {
		return a.Diagnose(message, fix)
	}
	return a.key.diagnose(message, fix)
}

// Decode reads the value into a Go struct (or any other type), strictly: a key
// without a field is an error, as is a value that does not fit its field. A
// value that does not exist leaves `into`, which must be a pointer, as it is.
//
// Fields are matched by their yaml tag. They may be of the types of this package
// (Tokens, Count, Duration, Optional, Text, At), numbers, bool, string,
// time.Duration, encoding.TextUnmarshaler, any, and pointers, slices, string maps
// and structs of these; a scalar is a list of one. A field of type At without a
// tag is set to the mapping's own place. The error is a *DecodeError.
func (a At) Decode(into any) error {
	if !a.Exists() {
		return nil
	}
	f := newFaults()
	decode(a, into, f)
	if len(f.list) == 0 {
		return nil
	}
	f.list.Sort()
	return &DecodeError{f.list}
}

// DecodeError is every fault that Decode found, each with its place.
type DecodeError struct{ Faults diag.List }

func (e *DecodeError) Error() string { return e.Faults[0].Error() }
