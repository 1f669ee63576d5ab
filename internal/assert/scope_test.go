package assert

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestVars(t *testing.T) {
	var b strings.Builder
	printVars(&b, "", sampleScope().Vars())
	golden(t, "vars.golden", b.String())
}

func printVars(b *strings.Builder, indent string, vars []Var) {
	for _, v := range vars {
		fmt.Fprintf(b, "%s%s: %s", indent, v.Path, v.Type)
		for _, word := range []struct {
			say  bool
			word string
		}{{v.Unit != "", v.Unit}, {v.Planned, "planned"}, {v.Speed, "speed"}, {v.Allowed != nil, strings.Join(v.Allowed, "|")}} {
			if word.say {
				fmt.Fprintf(b, ", %s", word.word)
			}
		}
		fmt.Fprintf(b, ": %s\n", v.Doc)
		printVars(b, indent+"  ", v.Fields)
	}
}

// both has two of the method sets.
type both struct{ answer }

func (both) Text() (string, bool) { return "", false }

func TestNewScopePanicsOnWhatChecksCannotRead(t *testing.T) {
	type embedded struct {
		OK bool `json:"ok" doc:"fine"`
	}
	type twice struct {
		embedded
		B int `json:"ok" doc:"again"`
	}
	type loop struct {
		Loop []loop `json:"loop" doc:"itself"`
	}
	of := func(name string, t reflect.Type) reflect.Type {
		f := reflect.StructField{Name: name, Type: t, Tag: `json:"a" doc:"x"`}
		if name == "a" {
			f.PkgPath = "scenario/internal/assert"
		}
		return reflect.StructOf([]reflect.StructField{f})
	}
	one := func(tag reflect.StructTag) reflect.Type {
		return reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: tag}})
	}
	variable := func(field, name string) reflect.StructField {
		return reflect.StructField{Name: field, Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`json:"` + name + `" doc:"x"`)}
	}
	for name, c := range map[string]struct {
		value reflect.Type
		want  string
	}{
		"no struct":     {reflect.TypeFor[int](), "is no struct"},
		"no variables":  {reflect.TypeFor[struct{ A int }](), "has no variables"},
		"no name":       {one(`doc:"x"`), `has the name ""`},
		"a bad name":    {one(`json:"a-b" doc:"x"`), `has the name "a-b"`},
		"a dash":        {one(`json:"-" doc:"x"`), `has the name "-"`},
		"a word":        {one(`json:"in" doc:"x"`), `has the name "in"`},
		"an enum":       {one(`json:"a" doc:"x" enum:"a|b"`), "has an enum tag and is no text"},
		"not exported":  {of("a", reflect.TypeFor[int]()), "is not exported"},
		"twice":         {reflect.StructOf([]reflect.StructField{variable("A", "a"), variable("B", "a")}), `two variables "a"`},
		"twice, inside": {reflect.TypeFor[twice](), `two variables "ok"`},
		"a map":         {of("A", reflect.TypeFor[map[string]int]()), "is of type map[string]int"},
		"an interface":  {of("A", reflect.TypeFor[any]()), "is of type interface {}"},
		"a pointer":     {of("A", reflect.TypeFor[*int]()), "is of type *int"},
		"a list of int": {of("A", reflect.TypeFor[[]int]()), "is of type []int"},
		"a time":        {of("A", reflect.TypeFor[time.Time]()), "has no variables"},
		"itself":        {reflect.TypeFor[loop](), "contains itself"},
		"two sets":      {of("A", reflect.TypeFor[both]()), "is both bool and text"},
		"by pointer":    {reflect.TypeFor[struct{ *embedded }](), "is embedded and no struct"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, c.want) {
					t.Errorf("panic %q, want %q", got, c.want)
				}
			}()
			NewScope(Root{Type: c.value})
		})
	}
}

func TestNewScopePanicsOnRootsInEachOthersWay(t *testing.T) {
	level := reflect.TypeFor[sampleLevel]()
	for name, roots := range map[string][]Root{
		"one name":       {{Type: level}, {Type: level}},
		"name and group": {{Type: level}, {Name: "server", Type: level}},
		"group and name": {{Name: "server", Type: level}, {Type: level}},
		"a bad name":     {{Name: "base-line", Type: level}},
		"an empty name":  {{Name: "a..b", Type: level}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			NewScope(roots...)
		})
	}
}

// Later returns another scope and leaves the one it is asked of alone.
func TestLater(t *testing.T) {
	scope := sampleScope()
	more := scope.Later("nosuch")
	for s, want := range map[*Scope]string{scope: "unknown name nosuch", more: "nosuch is not available yet"} {
		_, errs := Compile("nosuch == 5", s, Measured)
		if len(errs) != 1 || errs[0].Message != want {
			t.Errorf("%v, want %s", errs, want)
		}
	}
	if _, errs := Compile("crosstalk_count == 5", more, Measured); len(errs) != 1 || errs[0].Message != "crosstalk_count is not available yet" {
		t.Errorf("an earlier name: %v", errs)
	}
}

func TestFormat(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0s", 1: "1ns", 999.4: "999ns", 45_200: "45.2µs", 45_234: "45.2µs", 812e6: "812ms", 812_345_678: "812ms", 2.31e9: "2.31s", 2_314_567_890: "2.31s",
		500e6: "500ms", 500_000_400: "500.0004ms", 499_999_000: "499.999ms", 999_999_999: "999.999999ms", 90e9: "90s", 1234.5e9: "1234s", -812e6: "-812ms", 86400e9: "86400s",
	} {
		if got := FormatDuration(ns); got != want {
			t.Errorf("FormatDuration(%v) = %s, want %s", ns, got, want)
		}
	}
	for v, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", 1: "1", 1570000: "1570000", 0.5: "0.5", 0.99999: "0.99999", 1647.234: "1647", 12345.678: "12346", 31.23456: "31.23", 0.123456: "0.1235",
		math.Nextafter(0.3, 1): "0.30000000000000004", 1e15: "1e+15", 1e-7: "1e-07", 1.0 / 3: "0.3333", -2.0 / 3: "-0.6667", 1e300: "1e+300", 9007199254740992: "9.007199254740992e+15",
	} {
		if got := FormatNumber(v); got != want {
			t.Errorf("FormatNumber(%v) = %s, want %s", v, got, want)
		}
	}
}
