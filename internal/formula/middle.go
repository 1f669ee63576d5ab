package formula

import (
	"cmp"
	"reflect"
	"slices"

	"scenario/internal/metric"
)

// Middle is the figures in the middle of those that one formula gave for several
// runs, by the first number among them; of an even number of runs the lower of
// the two. Figures whose first number is unknown come before all others.
func Middle(figures []any) any {
	sorted := slices.Clone(figures)
	slices.SortStableFunc(sorted, func(a, b any) int {
		x, known := leading(a)
		y, other := leading(b)
		switch {
		case !known || !other:
			return cmp.Compare(b2i(known), b2i(other))
		}
		return cmp.Compare(x, y)
	})
	if _, known := leading(sorted[0]); !known {
		return sorted[0]
	}
	return sorted[(len(sorted)-1)/2]
}

// leading is the first number of a struct of figures.
func leading(figures any) (float64, bool) {
	v := reflect.Indirect(reflect.ValueOf(figures))
	for i := range v.NumField() {
		if n, ok := v.Field(i).Interface().(metric.Number); ok {
			return n.Number()
		}
	}
	return 0, false
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
