package metric

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// Number is a figure that may not have been measured. The zero value is unknown.
type Number struct {
	value float64
	known bool
}

// Known is a measured number; NaN and the infinities are unknown.
func Known(v float64) Number {
	return Number{v, !math.IsNaN(v) && !math.IsInf(v, 0)}
}

// Count is a number of things that a server may leave out: negative is unknown.
func Count(n int) Number {
	if n < 0 {
		return Number{}
	}
	return Known(float64(n))
}

// Ratio is a/b, unknown when either is or b is zero.
func Ratio(a, b Number) Number {
	if !a.known || !b.known {
		return Number{}
	}
	return Known(a.value / b.value)
}

// Number is the value and whether it was measured.
func (n Number) Number() (float64, bool) { return n.value, n.known }

// MarshalJSON writes null for an unknown number.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.known {
		return []byte("null"), nil
	}
	return appendFloat(nil, n.value), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(data []byte) error {
	var v *float64
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*n = Number{}
	if v != nil {
		*n = Known(*v)
	}
	return nil
}

// Duration is a time span that may not have been measured. The zero value is
// unknown. In JSON it is a number of seconds, or null.
type Duration struct {
	value time.Duration
	known bool
}

// Span is a measured duration.
func Span(d time.Duration) Duration { return Duration{d, true} }

// Duration is the value and whether it was measured.
func (d Duration) Duration() (time.Duration, bool) { return d.value, d.known }

// MarshalJSON writes seconds, or null for an unknown duration.
func (d Duration) MarshalJSON() ([]byte, error) {
	if !d.known {
		return []byte("null"), nil
	}
	return appendFloat(nil, d.value.Seconds()), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var seconds *float64
	if err := json.Unmarshal(data, &seconds); err != nil {
		return err
	}
	*d = Duration{}
	if seconds != nil {
		*d = Span(time.Duration(math.Round(*seconds * float64(time.Second))))
	}
	return nil
}

// appendFloat writes a finite number with at most nine digits after the point:
// a nanosecond, in seconds.
func appendFloat(b []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	scaled := math.Round(v*1e9) / 1e9
	if math.Abs(v) >= 1e6 || scaled == 0 {
		scaled = v
	}
	return strconv.AppendFloat(b, scaled, 'g', -1, 64)
}
