package spec

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	decimalInt   = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	decimalFloat = regexp.MustCompile(`^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
	oddNumber    = regexp.MustCompile(`^[-+]?([0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|[0-9]{1,3}([, ][0-9]{3})+` +
		`|0[oO][0-7_]+|0[xX][0-9a-fA-F_]+|0[bB][01_]+|\.(inf|Inf|INF))$|^\.(nan|NaN|NAN)$`)
)

// resolve says what an unquoted scalar is. Numbers are decimal, without leading
// zeros, separators or prefixes: other tools read those in different ways, so
// they stay text, marked odd, and are refused where a number is due.
func resolve(text string) (f form, odd bool) {
	switch {
	case slices.Contains([]string{"", "~", "null", "Null", "NULL"}, text):
		return nullForm, false
	case isTrue(text), slices.Contains([]string{"false", "False", "FALSE"}, text):
		return boolForm, false
	case decimalInt.MatchString(text):
		return intForm, false
	case decimalFloat.MatchString(text):
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return textForm, true
		}
		// 1e3 is as good as 1000, but where a count is due few can tell whether
		// it will be taken.
		if strings.ContainsAny(text, "eE") && value == math.Trunc(value) {
			return textForm, true
		}
		return floatForm, false
	}
	return textForm, oddNumber.MatchString(text)
}

func isTrue(text string) bool { return text == "true" || text == "True" || text == "TRUE" }

// truth is what a YAML 1.1 word for yes or no means, if text is one.
func truth(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "yes", "on", "y", "true":
		return true, true
	case "no", "off", "n", "false":
		return false, true
	}
	return false, false
}

// plainly says how to write an odd number, and why it is not taken as it is.
// The fix is empty when there is none to offer.
func plainly(text string) (why, fix string) {
	digits := strings.NewReplacer("_", "", ",", "", " ", "").Replace(strings.TrimLeft(text, "+-"))
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign = "-"
	}
	switch lower := strings.ToLower(digits); {
	case strings.HasSuffix(lower, "inf"), strings.HasSuffix(lower, "nan"):
		return "no number", ""
	case strings.HasPrefix(lower, "0x"), strings.HasPrefix(lower, "0o"), strings.HasPrefix(lower, "0b"):
		if value, ok := new(big.Int).SetString(lower, 0); ok {
			return "not a decimal number", "write " + sign + value.String()
		}
		return "not a decimal number", ""
	case digits != strings.TrimLeft(text, "+-"):
		return "a number with separators", "write " + sign + digits
	case strings.ContainsAny(lower, "e"):
		if value, err := strconv.ParseFloat(digits, 64); err == nil && value < 1e15 {
			return "a number with an exponent", "write " + sign + strconv.FormatFloat(value, 'f', -1, 64)
		}
		return "a number that is too large", ""
	}
	trimmed := strings.TrimLeft(digits, "0")
	if trimmed == "" || strings.HasPrefix(trimmed, ".") {
		trimmed = "0" + trimmed
	}
	fix = "write " + sign + trimmed
	if octal, err := strconv.ParseInt(digits, 8, 64); err == nil && octal > 7 {
		fix += ", or " + sign + strconv.FormatInt(octal, 10) + " if it is meant to be octal"
	}
	return "a number with a leading zero", fix
}
