package spec

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"scenario/internal/diag"
)

// decode reads the value at a into what the pointer `into` points to.
func decode(a At, into any, f *faults) {
	d := &decoder{f}
	d.value(a, reflect.ValueOf(into).Elem())
}

// decoder reads nodes into Go values. It reports what does not fit and reads on.
type decoder struct{ faults *faults }

// customDecoder is a type that reads its own node.
type customDecoder interface{ decode(a At, d *decoder) }

// defaulter is a type whose absent keys do not mean zero.
type defaulter interface{ setDefaults() }

// value reads one value. A node that is at fault already is left out.
func (d *decoder) value(a At, v reflect.Value) {
	if d.faults.bad[a.node] {
		return
	}
	switch into := v.Addr().Interface().(type) {
	case *At:
		*into = a
	case *Text:
		if a.node.form != textForm {
			d.wrong(a, "must be text")
			return
		}
		*into = a.Text()
	case *Tokens:
		tokens, words := parseTokens(a.node)
		d.wrong(a, words)
		*into = Tokens(tokens)
	case *Count:
		count, words := parseCount(a.node)
		d.wrong(a, words)
		*into = count
	case *Duration:
		duration, words := parseDuration(a.node)
		d.wrong(a, words)
		*into = Duration(duration)
	case *time.Duration:
		duration, words := parseDuration(a.node)
		d.wrong(a, words)
		*into = duration
	case customDecoder:
		into.decode(a, d)
	case encoding.TextUnmarshaler:
		if !a.node.scalar() {
			d.wrong(a, "must be a single value")
		} else if err := into.UnmarshalText([]byte(a.node.text)); err != nil {
			d.faults.add(a.node, err.Error(), "")
		}
	default:
		d.kind(a, v)
	}
}

// kind reads a value of a type that has no method for it.
func (d *decoder) kind(a At, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(a, v.Elem())
	case reflect.Struct:
		d.structure(a, v)
	case reflect.Slice:
		d.list(a, v)
	case reflect.Map:
		d.table(a, v)
	case reflect.Interface:
		if value := reflect.ValueOf(a.node.value()); value.IsValid() {
			v.Set(value)
		}
	case reflect.String:
		if a.node.form != textForm {
			d.wrong(a, "must be text")
			return
		}
		v.SetString(a.node.text)
	case reflect.Bool:
		if a.node.form != boolForm {
			d.wrong(a, "must be true or false")
			return
		}
		v.SetBool(isTrue(a.node.text))
	default:
		d.number(a, v)
	}
}

// number reads integers and floats.
func (d *decoder) number(a At, v reflect.Value) {
	form := a.node.form
	switch {
	case form != intForm && form != floatForm:
		d.wrong(a, "must be a number")
	case v.CanFloat():
		v.SetFloat(a.node.float())
	case a.node.float() != math.Trunc(a.node.float()):
		d.wrong(a, "must be a whole number")
	case v.CanUint():
		u, err := strconv.ParseUint(strings.TrimPrefix(wholeDigits(a.node.text), "+"), 10, v.Type().Bits())
		if err != nil {
			d.wrong(a, "must be a whole number of 0 or more, and not as large as this")
			return
		}
		v.SetUint(u)
	case v.CanInt():
		i, err := strconv.ParseInt(wholeDigits(a.node.text), 10, v.Type().Bits())
		if err != nil {
			d.wrong(a, "must be a smaller number")
			return
		}
		v.SetInt(i)
	default:
		panic(fmt.Sprintf("spec: no value of the file can be read into a %s", v.Type()))
	}
}

// wholeDigits is a whole number without the .0 it may be written with.
func wholeDigits(text string) string {
	digits, _, _ := strings.Cut(text, ".")
	return digits
}

// list reads a list, or a single value as a list of one.
func (d *decoder) list(a At, v reflect.Value) {
	items := []At{a}
	if a.node.form == listForm {
		items = nil
		for i := range a.node.items {
			items = append(items, a.Item(i))
		}
	}
	slice := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		d.value(item, slice.Index(i))
	}
	v.Set(slice)
}

// table reads a mapping whose keys are free.
func (d *decoder) table(a At, v reflect.Value) {
	if a.node.form != mapForm {
		d.wrong(a, "must be a mapping")
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, e := range a.node.entries {
		element := reflect.New(v.Type().Elem()).Elem()
		d.value(At{node: e.value, key: e.key}, element)
		v.SetMapIndex(reflect.ValueOf(e.key.text).Convert(v.Type().Key()), element)
	}
}

// structure reads a mapping into the tagged fields of a struct. A blank field
// stands for a key that is known, and read by nobody.
func (d *decoder) structure(a At, v reflect.Value) {
	if a.node.form != mapForm {
		d.wrong(a, "must be a mapping")
		return
	}
	if value, ok := v.Addr().Interface().(defaulter); ok {
		value.setDefaults()
	}
	known := map[string]bool{}
	d.fields(a, v, known)
	var names []string
	for name := range known {
		names = append(names, name)
	}
	for _, e := range a.node.entries {
		if !known[e.key.text] && !d.faults.bad[e.key] && !d.faults.bad[e.value] {
			message, fix := unknownKey(e.key.text, names, a.node.beside(e.key))
			d.faults.add(e.key, message, fix)
		}
	}
}

// fields reads the fields of one struct, those of embedded structs included.
func (d *decoder) fields(a At, v reflect.Value, known map[string]bool) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case name == "-":
		case name == "" && field.Type == reflect.TypeFor[At]():
			v.Field(i).Set(reflect.ValueOf(a))
		case name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct:
			d.fields(a, v.Field(i), known)
		case name == "":
		default:
			known[name] = true
			switch value := a.Key(name); {
			case field.Name == "_":
			case !value.Exists() && field.Type == reflect.TypeFor[At]():
				v.Field(i).Set(reflect.ValueOf(value))
			case value.Exists() && option == "tokens":
				var tokens Tokens
				d.value(value, valueOf(&tokens))
				v.Field(i).SetInt(int64(tokens))
			case value.Exists():
				d.value(value, v.Field(i))
			}
		}
	}
}

// wrong reports that a value is not what it must be; no words, no fault.
func (d *decoder) wrong(a At, words string) {
	if words == "" {
		return
	}
	label := "this"
	if a.key != nil {
		label = a.key.text
	}
	d.faults.add(a.node, label+" "+words+"; found "+a.node.found(), "")
}

// unknownKey is the message for a key that is none of the allowed ones. Where the
// mapping has the nearest of them already, none is suggested.
func unknownKey(name string, allowed, present []string) (message, fix string) {
	message = fmt.Sprintf("unknown key %q", short(name))
	if nearest, ok := diag.Nearest(name, sorted(allowed)); ok && !slices.Contains(present, nearest) {
		return message + fmt.Sprintf(" (did you mean %q?)", nearest), "write " + nearest
	}
	if len(allowed) == 0 {
		return message, ""
	}
	return message, "allowed here: " + strings.Join(sorted(allowed), ", ")
}
