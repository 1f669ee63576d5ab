package assert

import (
	"math"
	"reflect"
	"time"
)

// The values that can be unknown tell so by their method sets. A struct that
// checks read holds them by value or by pointer (nil is unknown); the methods
// may have either receiver.
type (
	// numberValue is a number, or unknown (false).
	numberValue interface{ Number() (float64, bool) }

	// durationValue is a duration, or unknown (false).
	durationValue interface{ Duration() (time.Duration, bool) }

	// boolValue is true or false, or unknown.
	boolValue interface{ Bool() (value, known bool) }

	// textValue is text, or unknown (false).
	textValue interface{ Text() (string, bool) }

	// distribution holds the samples of one quantity. Where it is one of
	// durations, all its values are in nanoseconds.
	distribution interface {
		sampled
		spread
	}

	// sampled tells what there is: Quantile takes q in (0, 1) and says false
	// when there are too few samples for it (metric.MinSamples). IsDuration is asked of
	// the type's zero value, once.
	sampled interface {
		Quantile(q float64) (float64, bool)
		Count() int
		IsDuration() bool
	}

	// spread are the figures that one sample is enough for.
	spread interface {
		Mean() (float64, bool)
		Min() (float64, bool)
		Max() (float64, bool)
	}
)

// reader takes a field's value apart; the one that belongs to the field's kind is set.
type reader struct {
	number func(reflect.Value) (float64, bool) // numbers, and durations in nanoseconds
	truth  func(reflect.Value) truth
	text   func(reflect.Value) (string, bool)
	dist   func(reflect.Value) (distribution, bool)
}

var durationType = reflect.TypeFor[time.Duration]()

// readerOf says of which kind a field of type t is and how it is read; the kind
// is invalid when t is not a scalar or a distribution.
func readerOf(t reflect.Type) (kind, reader) {
	if k, r := methodReader(t); k != invalid {
		return k, r
	}
	switch {
	case t == durationType:
		return duration, reader{number: func(v reflect.Value) (float64, bool) { return float64(v.Int()), true }}
	case t.Kind() == reflect.Bool:
		return boolean, reader{truth: func(v reflect.Value) truth { return truthOf(v.Bool()) }}
	case t.Kind() == reflect.String:
		return text, reader{text: func(v reflect.Value) (string, bool) { return v.String(), true }}
	case t.Kind() == reflect.Float64, t.Kind() == reflect.Float32:
		return number, reader{number: func(v reflect.Value) (float64, bool) { return v.Float(), true }}
	case reflect.Int <= t.Kind() && t.Kind() <= reflect.Int64:
		return number, reader{number: func(v reflect.Value) (float64, bool) { return float64(v.Int()), true }}
	case reflect.Uint <= t.Kind() && t.Kind() <= reflect.Uint64:
		return number, reader{number: func(v reflect.Value) (float64, bool) { return float64(v.Uint()), true }}
	}
	return invalid, reader{}
}

// methodReader reads a type by its method set. A type with more than one of the
// sets is no variable: nothing says which is meant.
func methodReader(t reflect.Type) (kind, reader) {
	pointer := t
	if t.Kind() != reflect.Pointer {
		pointer = reflect.PointerTo(t)
	}
	found, r := invalid, reader{}
	add := func(k kind, is reflect.Type, set func()) {
		if !pointer.Implements(is) {
			return
		}
		if found != invalid {
			panic("assert: " + t.String() + " is both " + found.String() + " and " + k.String())
		}
		found = k
		set()
	}
	add(number, reflect.TypeFor[numberValue](), func() { r.number = readNumber })
	add(duration, reflect.TypeFor[durationValue](), func() { r.number = readDuration })
	add(boolean, reflect.TypeFor[boolValue](), func() { r.truth = readBool })
	add(text, reflect.TypeFor[textValue](), func() { r.text = readText })
	if pointer.Implements(reflect.TypeFor[distribution]()) {
		k := numberDist
		if reflect.New(pointer.Elem()).Interface().(distribution).IsDuration() {
			k = durationDist
		}
		add(k, reflect.TypeFor[distribution](), func() { r.dist = readDist })
	}
	return found, r
}

func readNumber(v reflect.Value) (float64, bool) {
	x, ok := withMethods(v).(numberValue)
	if !ok {
		return 0, false
	}
	return x.Number()
}

func readDuration(v reflect.Value) (float64, bool) {
	x, ok := withMethods(v).(durationValue)
	if !ok {
		return 0, false
	}
	d, known := x.Duration()
	return float64(d), known
}

func readBool(v reflect.Value) truth {
	x, ok := withMethods(v).(boolValue)
	if !ok {
		return unknown
	}
	b, known := x.Bool()
	if !known {
		return unknown
	}
	return truthOf(b)
}

func readText(v reflect.Value) (string, bool) {
	x, ok := withMethods(v).(textValue)
	if !ok {
		return "", false
	}
	return x.Text()
}

func readDist(v reflect.Value) (distribution, bool) {
	x, ok := withMethods(v).(distribution)
	return x, ok
}

// withMethods is the pointer that has the methods which the type was found to
// have; nil for a nil pointer.
func withMethods(v reflect.Value) any {
	if v.Kind() != reflect.Pointer {
		return v.Addr().Interface()
	}
	if v.IsNil() {
		return nil
	}
	return v.Interface()
}

// finite is v, and unknown where v is NaN or infinite.
func finite(v float64) (float64, bool) {
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}
