package chat

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func TestEncode(t *testing.T) {
	tests := []struct {
		name   string
		fields []Field
		want   string
	}{
		{"nothing", nil, `{}`},
		{"the order given", []Field{{"b", 1}, {"a", true}, {"c", nil}}, `{"b":1,"a":true,"c":null}`},
		{"numbers", []Field{{"i", int64(-7)}, {"u", uint64(math.MaxUint64)}, {"f", 0.7}, {"z", 0.0}, {"e", 1e21}, {"s", 1e-7}}, `{"i":-7,"u":18446744073709551615,"f":0.7,"z":0,"e":1e+21,"s":1e-7}`},
		{"strings without escapes of HTML", []Field{{"a<b", "<think>&\"\\\n\x01é\u2028"}}, `{"a<b":"<think>&\"\\\n\u0001é\u2028"}`},
		{"invalid UTF-8", []Field{{"a", "\xff"}}, `{"a":"\ufffd"}`},
		{"ids", []Field{{"prompt", []int{0, -1, 151643}}}, `{"prompt":[0,-1,151643]}`},
		{"empty lists", []Field{{"a", []int(nil)}, {"b", []any{}}, {"c", []string(nil)}, {"d", []Field(nil)}}, `{"a":[],"b":[],"c":[],"d":{}}`},
		{"objects in objects", []Field{{"a", []Field{{"z", []any{1, "x", []Field{{"k", nil}}}}, {"b", []string{"p", "q"}}}}}, `{"a":{"z":[1,"x",{"k":null}],"b":["p","q"]}}`},
		{"maps by key", []Field{{"a", map[string]any{"z": 1, "b": []Field{{"y", 1}, {"x", 2}}}}}, `{"a":{"b":{"y":1,"x":2},"z":1}}`},
		{"JSON", []Field{{"a", json.RawMessage(" { \"x\" : [ 1 , \"<\" ] } ")}, {"b", json.RawMessage(nil)}}, `{"a":{"x":[1,"<"]},"b":null}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Encode(tt.fields)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
			if !json.Valid(got) {
				t.Errorf("%s is not valid JSON", got)
			}
		})
	}
}

func TestEncodeRefuses(t *testing.T) {
	tests := []struct {
		name   string
		fields []Field
		want   string
	}{
		{"a name given twice", []Field{{"a", 1}, {"b", 2}, {"a", 3}}, "member a is given twice"},
		{"a name given twice inside", []Field{{"x", []any{1, []Field{{"a", 1}, {"a", 1}}}}}, "member x.1.a is given twice"},
		{"a number JSON does not have", []Field{{"x", []Field{{"t", math.NaN()}}}}, "member x.t cannot be written: json: unsupported value: NaN"},
		{"infinity", []Field{{"x", math.Inf(1)}}, "member x cannot be written: json: unsupported value: +Inf"},
		{"another type", []Field{{"x", time.Second}}, "member x has a value of type time.Duration, which cannot be written"},
		{"JSON that is cut", []Field{{"x", json.RawMessage(`{"a":`)}}, "member x is not valid JSON: unexpected end of JSON input"},
		{"no JSON", []Field{{"x", json.RawMessage{}}}, "member x is not valid JSON: unexpected end of JSON input"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Encode(tt.fields)
			if err == nil || err.Error() != tt.want || got != nil {
				t.Errorf("got %s, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestEncodingIdsDoesNotAllocatePerId(t *testing.T) {
	ids := make([]int, 10_000)
	fields := []Field{{"prompt", ids}}
	if n := testing.AllocsPerRun(10, func() { _, _ = Encode(fields) }); n > 40 {
		t.Errorf("%v allocations for %d ids", n, len(ids))
	}
}

func FuzzEncodeStrings(f *testing.F) {
	f.Add("a", "b<>&\u2029\xff")
	f.Fuzz(func(t *testing.T, name, value string) {
		got, err := Encode([]Field{{name, value}})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if len(back) != 1 {
			t.Errorf("%s: %d members", got, len(back))
		}
		for k, v := range back {
			if k != runes(name) || v != runes(value) {
				t.Errorf("%q, %q came back as %q, %q", name, value, k, v)
			}
		}
	})
}

// runes is s with each invalid byte replaced, as encoding/json does.
func runes(s string) string { return string([]rune(s)) }
