package metric

import "testing"

func TestMedianInterval(t *testing.T) {
	for _, c := range []struct{ n, low, high int }{
		// 1/32 for the smallest of 5; 1/64 and 7/64 of 6; 1/128, 8/128 of 7; 1/256, 9/256 of 8;
		// (1+10)/1024 and 56/1024 of 10; of 20 P(B ≤ 4) = 0.0059, ≤ 5 = 0.0207, ≤ 6 = 0.0577.
		{5, 1, 5}, {6, 1, 6}, {7, 1, 7}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {20, 6, 15}, {100, 41, 60},
	} {
		var values []float64
		for i := range c.n {
			values = append(values, float64(c.n-i))
		}
		low, high, ok := NewNumbers(values).MedianInterval()
		if !ok || low != float64(c.low) || high != float64(c.high) {
			t.Errorf("of %d samples: %v to %v, %v; want %d to %d", c.n, low, high, ok, c.low, c.high)
		}
	}
	if _, _, ok := NewNumbers([]float64{1, 2, 3, 4}).MedianInterval(); ok {
		t.Error("four samples have an interval")
	}
}
