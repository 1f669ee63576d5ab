package metric

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// stored is a distribution as MarshalJSON writes it. A quantile that is null was
// not known then, and is not now.
type stored struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean"`
	Min  *float64 `json:"min"`
	P50  *float64 `json:"p50"`
	P90  *float64 `json:"p90"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
	Max  *float64 `json:"max"`
}

// UnmarshalJSON reads what MarshalJSON writes: the samples are gone, the figures
// that were printed are known again.
func (d *Numbers) UnmarshalJSON(data []byte) error {
	return d.restore(data, func(v float64) float64 { return v })
}

// UnmarshalJSON reads what MarshalJSON writes: the samples are gone, the figures
// that were printed are known again.
func (d *Durations) UnmarshalJSON(data []byte) error {
	return d.restore(data, nanoseconds)
}

// restore reads a summary whose figures are in a unit of their own.
func (s *samples) restore(data []byte, unit func(float64) float64) error {
	var f stored
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*s = samples{}
	switch {
	case f.N < 0:
		return fmt.Errorf("a distribution of n = %d samples", f.N)
	case f.N == 0:
		return nil
	case f.Min == nil || (f.Mean == nil) != (f.Max == nil):
		return fmt.Errorf("a distribution of n = %d samples lacks mean, min or max", f.N)
	}
	k := &summary{n: f.N, least: unit(*f.Min), open: f.Mean == nil, quantiles: map[float64]float64{}}
	if !k.open {
		k.mean, k.most = unit(*f.Mean), unit(*f.Max)
	}
	for i, v := range []*float64{f.P50, f.P90, f.P95, f.P99} {
		if v != nil {
			k.quantiles[printed[i]] = unit(*v)
		}
	}
	s.kept = k
	return nil
}

// nanoseconds are the whole nanoseconds that were printed as seconds; what
// appendFloat prints with more digits than that stays as it is.
func nanoseconds(seconds float64) float64 {
	ns := seconds * float64(time.Second)
	if whole := math.Round(ns); whole != 0 && math.Abs(seconds) < 1e6 {
		return whole
	}
	return ns
}
