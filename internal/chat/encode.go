package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Field is one member of a JSON object. Value is nil, a bool, a string, an int,
// an int64, a uint64, a float64, a json.RawMessage, an []int, an []string, an
// []any or a map[string]any of these (written in the order of its keys), or
// []Field for an object in an order of its own.
type Field struct {
	Name  string
	Value any
}

// Encode writes a JSON object whose members are in the order given, compact and
// without escaping of HTML. Numbers and strings are written as encoding/json
// does; an empty slice is written as [] also if it is nil. It fails on a value of
// another type, a number JSON does not have, JSON that is not valid, and a name
// given twice; the error names the member.
func Encode(fields []Field) ([]byte, error) {
	var e encoder
	e.json = json.NewEncoder(&e.buf)
	e.json.SetEscapeHTML(false)
	if err := e.object(fields); err != nil {
		return nil, err
	}
	return e.buf.Bytes(), nil
}

type encoder struct {
	buf  bytes.Buffer
	json *json.Encoder
	path []string // of the value being written
}

func (e *encoder) object(fields []Field) error {
	seen := make(map[string]bool, len(fields))
	e.buf.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			e.buf.WriteByte(',')
		}
		e.path = append(e.path, f.Name)
		if seen[f.Name] {
			return e.fail("is given twice")
		}
		seen[f.Name] = true
		if err := e.standard(f.Name); err != nil {
			return err
		}
		e.buf.WriteByte(':')
		if err := e.value(f.Value); err != nil {
			return err
		}
		e.path = e.path[:len(e.path)-1]
	}
	e.buf.WriteByte('}')
	return nil
}

func (e *encoder) value(v any) error {
	switch v := v.(type) {
	case nil, bool, string, int, int64, uint64, float64:
		return e.standard(v)
	case json.RawMessage:
		if v == nil {
			return e.standard(nil)
		}
		if err := json.Compact(&e.buf, v); err != nil {
			return e.fail("is not valid JSON: " + err.Error())
		}
		return nil
	case []int:
		e.ints(v)
		return nil
	case []string:
		return encodeList(e, v, func(s string) error { return e.standard(s) })
	case []any:
		return encodeList(e, v, e.value)
	case []Field:
		return e.object(v)
	case [][]Field:
		return encodeList(e, v, e.object)
	case map[string]any:
		fields := make([]Field, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, Field{Name: name, Value: v[name]})
		}
		return e.object(fields)
	}
	return e.fail(fmt.Sprintf("has a value of type %T, which cannot be written", v))
}

// standard writes a value as encoding/json does.
func (e *encoder) standard(v any) error {
	if err := e.json.Encode(v); err != nil {
		return e.fail("cannot be written: " + err.Error())
	}
	e.buf.Truncate(e.buf.Len() - 1) // the line feed that a json.Encoder adds
	return nil
}

// ints writes a list of numbers, of token ids most often, which may be long.
func (e *encoder) ints(list []int) {
	e.buf.WriteByte('[')
	for i, n := range list {
		if i > 0 {
			e.buf.WriteByte(',')
		}
		e.buf.Write(strconv.AppendInt(e.buf.AvailableBuffer(), int64(n), 10))
	}
	e.buf.WriteByte(']')
}

func encodeList[T any](e *encoder, list []T, write func(T) error) error {
	e.buf.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			e.buf.WriteByte(',')
		}
		e.path = append(e.path, strconv.Itoa(i))
		if err := write(v); err != nil {
			return err
		}
		e.path = e.path[:len(e.path)-1]
	}
	e.buf.WriteByte(']')
	return nil
}

// fail is an error that names the member being written.
func (e *encoder) fail(what string) error {
	return fmt.Errorf("member %s %s", strings.Join(e.path, "."), what)
}
