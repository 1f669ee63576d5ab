package assert

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// period is a duration in nanoseconds, dist a distribution.
type (
	period float64
	dist   struct {
		samples []float64
		spans   bool
	}
)

// plainly turns a struct into a map, by the json tags.
func plainly(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case optional:
		return ifKnown(x.v, x.ok)
	case answer:
		return ifKnown(x == 2, x != 0)
	case word:
		return ifKnown(string(x), x != "?")
	case lag:
		return ifKnown(period(x.d), x.d >= 0)
	case samples:
		return dist{x.values, true}
	case rates:
		return dist{x.values, false}
	case time.Duration:
		return period(x)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return plainly(v.Elem())
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, plainly(v.Index(i)))
		}
		return list
	case reflect.Struct:
		m := map[string]any{}
		for _, f := range reflect.VisibleFields(v.Type()) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				m[name] = plainly(v.FieldByIndex(f.Index))
			}
		}
		return m
	case reflect.Bool:
		return v.Bool()
	case reflect.String:
		return v.String()
	case reflect.Float32, reflect.Float64:
		return v.Float()
	case reflect.Uint32:
		return float64(v.Uint())
	}
	return float64(v.Int())
}

func ifKnown(v any, known bool) any {
	if known {
		return v
	}
	return nil
}

// fromTable turns a baseline's row into nested maps with typed leaves.
func fromTable(t Table) map[string]any {
	m := map[string]any{"ttft": map[string]any{}, "user_tps": map[string]any{}}
	for key, n := range t {
		switch key {
		case "steady":
			m[key] = n != 0
		case "wall":
			m[key] = period(n)
		case "ttft.p95":
			m["ttft"].(map[string]any)["p95"] = period(n)
		case "user_tps.max":
			m["user_tps"].(map[string]any)["max"] = n
		default:
			m[key] = n
		}
	}
	return m
}

func (d dist) percentile(q float64) any {
	need := 1
	for 1-math.Pow(max(q, 1-q), float64(need)) < 0.95 {
		need++
	}
	s := slices.Sorted(slices.Values(d.samples))
	if len(s) < need {
		return nil
	}
	x := q * float64(len(s)-1)
	i := int(x)
	return d.figure(s[i]+(x-float64(i))*(s[min(i+1, len(s)-1)]-s[i]), need)
}

func (d dist) figure(v float64, need int) any {
	switch {
	case len(d.samples) < need:
		return nil
	case d.spans:
		return period(v)
	}
	return v
}
