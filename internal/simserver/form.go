package simserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// maxBody is the longest request body that is read, in bytes.
const maxBody = 64 << 20

// A form is the members of a request's JSON object. Members that nothing asks
// for are ignored; null is the same as absent. The first fault that a getter
// meets is kept in err, and the getters after it return their defaults.
type form struct {
	members map[string]gjson.Result // of equal names the last counts
	err     *apiError
}

// readForm reads and parses a request body.
func readForm(w http.ResponseWriter, r *http.Request) (*form, *apiError) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, &apiError{
			status:  http.StatusBadRequest,
			kind:    "Bad Request",
			message: "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed",
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return nil, &apiError{
			status:  http.StatusRequestEntityTooLarge,
			kind:    "Request Entity Too Large",
			message: fmt.Sprintf("the request body is longer than %d bytes", tooLong.Limit),
		}
	}
	if err != nil {
		return nil, invalid("body", "json_invalid", "the request body ended early")
	}
	return parseForm(body)
}

// parseForm parses a JSON object. The standard library looks at the text first:
// unlike gjson it bounds the depth.
func parseForm(body []byte) (*form, *apiError) {
	var raw json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		loc := "body"
		if at := (*json.SyntaxError)(nil); errors.As(err, &at) {
			loc = fmt.Sprintf("body.%d", at.Offset)
		}
		return nil, invalid(loc, "json_invalid", "JSON decode error")
	}
	if !utf8.Valid(body) {
		return nil, invalid("body", "json_invalid", "JSON decode error: not UTF-8")
	}
	root := gjson.ParseBytes(body)
	if !root.IsObject() {
		return nil, invalid("body", "model_attributes_type",
			"Input should be a valid dictionary or object to extract fields from")
	}
	return newForm(root), nil
}

// newForm is the members of an object.
func newForm(object gjson.Result) *form {
	f := &form{members: make(map[string]gjson.Result)}
	object.ForEach(func(key, value gjson.Result) bool {
		f.members[key.String()] = value
		return true
	})
	return f
}

// get returns a member and whether it is there.
func (f *form) get(name string) (gjson.Result, bool) {
	value, ok := f.members[name]
	return value, ok && value.Type != gjson.Null && f.err == nil
}

func (f *form) fail(err *apiError) {
	if f.err == nil {
		f.err = err
	}
}

func (f *form) text(name, otherwise string) string {
	value, ok := f.get(name)
	if !ok {
		return otherwise
	}
	if value.Type != gjson.String {
		f.fail(invalid("body."+name, "string_type", "Input should be a valid string"))
		return otherwise
	}
	return value.Str
}

func (f *form) flag(name string, otherwise bool) bool {
	value, ok := f.get(name)
	if !ok {
		return otherwise
	}
	if !value.IsBool() {
		f.fail(invalid("body."+name, "bool_parsing", "Input should be a valid boolean"))
		return otherwise
	}
	return value.Bool()
}

func (f *form) number(name string, otherwise float64) float64 {
	value, ok := f.get(name)
	if !ok {
		return otherwise
	}
	if value.Type != gjson.Number || math.IsInf(value.Num, 0) {
		f.fail(invalid("body."+name, "float_type", "Input should be a valid number"))
		return otherwise
	}
	return value.Num
}

func (f *form) integer(name string, otherwise int) int {
	value, ok := f.get(name)
	if !ok {
		return otherwise
	}
	n, ok := wholeNumber(value)
	if !ok {
		f.fail(invalid("body."+name, "int_type", "Input should be a valid integer"))
		return otherwise
	}
	return n
}

// wholeNumber is the value as an integer. 12.0 is one; 12.5, "12" and true are
// none.
func wholeNumber(value gjson.Result) (int, bool) {
	const exact = 1 << 53
	if value.Type != gjson.Number || value.Num != math.Trunc(value.Num) {
		return 0, false
	}
	if math.Abs(value.Num) > exact {
		return int(value.Int()), value.Num >= math.MinInt64 && value.Num < math.MaxInt64
	}
	return int(value.Num), true
}
