package assert

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// FormatDuration writes a duration, in nanoseconds, for people: three digits in
// the unit that fits, as 812ms, 2.31s or 45.2µs, or as many as tell it
// from a rounder one: 500.0004ms.
func FormatDuration(ns float64) string {
	size := math.Abs(ns)
	switch {
	case size == 0:
		return "0s"
	case size < 1e3:
		return digits(ns, 3) + "ns"
	case size < 1e6:
		return digits(ns/1e3, 3) + "µs"
	case size < 1e9:
		return digits(ns/1e6, 3) + "ms"
	}
	return digits(ns/1e9, 3) + "s"
}

// FormatNumber writes a number for people: whole ones in full, others with four
// digits, or as many as tell them from a rounder number: 0.99999 is not 1.
func FormatNumber(v float64) string { return digits(v, 4) }

// digits rounds v to n significant digits, or to a whole number where that has
// more. Where rounding would make it a rounder number than it is, as many digits
// more are kept as tell the two apart: 0.99999 is not 1, and what missed a limit
// of 500 by a little does not read 500.
func digits(v float64, n int) string {
	if v == math.Trunc(v) {
		return written(v + 0) // never -0
	}
	if whole := strconv.FormatFloat(math.Trunc(math.Abs(v)), 'f', -1, 64); len(whole) > n {
		n = len(whole)
	}
	for ; n < 17; n++ {
		rounded := strconv.FormatFloat(v, 'e', n-1, 64)
		f, _ := strconv.ParseFloat(rounded, 64)
		if mantissa, _, _ := strings.Cut(rounded, "e"); f == v || !strings.HasSuffix(mantissa, "0") {
			return written(f)
		}
	}
	return written(v)
}

// written is v in full, with an exponent where that would be all zeros.
func written(v float64) string {
	if size := math.Abs(v); size >= 1e15 || size > 0 && size < 1e-5 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// format writes a value of the kind, with its unit unless it is a mere ratio.
func format(k kind, v float64, unit string) string {
	switch {
	case k == duration:
		return FormatDuration(v)
	case unit == "", unit == "ratio":
		return FormatNumber(v)
	}
	return FormatNumber(v) + " " + unit
}

// quote writes a text, cut where it is long and with nothing in it that could
// steer a terminal.
func quote(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return strconv.Quote(s)
}
