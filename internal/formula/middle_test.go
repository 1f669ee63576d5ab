package formula

import (
	"testing"

	"scenario/internal/metric"
)

func TestMiddleOfSeveralRuns(t *testing.T) {
	of := func(rates ...float64) []any {
		var all []any
		for i, rate := range rates {
			f := &CatidG0{Successful: i}
			if rate > 0 {
				f.AggregateTPS = metric.Known(rate)
			}
			all = append(all, f)
		}
		return all
	}
	for _, c := range []struct {
		runs []any
		want int // which of them
	}{
		{of(30), 0},
		{of(30, 10, 20), 2},
		{of(30, 10, 20, 40), 2},
		{of(30, 0, 20), 1}, // one is unknown
	} {
		if got := Middle(c.runs); got != c.runs[c.want] {
			t.Errorf("%+v, want %+v", got, c.runs[c.want])
		}
	}
}
