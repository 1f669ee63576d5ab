package metric

import (
	"strconv"
	"strings"
	"time"
)

// Short writes a large number for people: 785, 1.57M, 93.2k.
func Short(v float64) string {
	for _, unit := range []struct {
		size   float64
		symbol string
	}{{1e9, "G"}, {1e6, "M"}, {1e4, "k"}} {
		if v >= unit.size {
			if unit.symbol == "k" {
				unit.size = 1e3
			}
			return strconv.FormatFloat(v/unit.size, 'f', precision(v/unit.size), 64) + unit.symbol
		}
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// precision keeps three digits.
func precision(v float64) int {
	switch {
	case v >= 100:
		return 0
	case v >= 10:
		return 1
	}
	return 2
}

// Clock writes a duration as scenario files do: 10m, 1h30m, 2.5s.
func Clock(d time.Duration) string {
	text := d.String()
	for _, none := range []struct{ after, cut string }{{"m", "0s"}, {"h", "0m"}} {
		if short, ok := strings.CutSuffix(text, none.after+none.cut); ok {
			text = short + none.after
		}
	}
	return text
}
