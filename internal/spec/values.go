package spec

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Tokens is a number of tokens. In a file it is a whole number, or one with k
// for 1024: 2k is 2048.
type Tokens int

// Duration is a duration as a kind's config holds it. In a file it has its unit:
// 500ms, 2.5s, 10m, 1h30m.
type Duration time.Duration

var (
	tokensForm   = regexp.MustCompile(`^[0-9]{1,7}(\.[0-9]{1,10})?k$`)
	multipleForm = regexp.MustCompile(`^[1-9][0-9]{0,5}x$`)
	durationForm = regexp.MustCompile(strings.ReplaceAll(`^(Nh)?(Nm)?(Ns)?(Nms)?(N[uµμ]s)?$`, "N", `[0-9]{1,9}(\.[0-9]{1,9})?`))
)

// Words for what a value of each type must be.
const (
	tokensWords   = "must be a number of tokens: 1000, or 2k for 2048"
	countWords    = "must be a count: a whole number, 5x (5 times the concurrency) or auto"
	durationWords = "must be a duration with its unit: 500ms, 2.5s, 10m or 1h30m"
)

// parseTokens reads a number of tokens. The words are empty when it is one.
func parseTokens(n *node) (tokens int, words string) {
	text, thousands := n.text, false
	if n.form == textForm && tokensForm.MatchString(n.text) {
		text, thousands = strings.TrimSuffix(n.text, "k"), true
	} else if n.form != intForm && n.form != floatForm {
		return 0, tokensWords
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, tokensWords
	}
	if thousands {
		value.Mul(value, big.NewRat(1024, 1))
	}
	switch {
	case !value.IsInt():
		return 0, "must be a whole number of tokens"
	case value.Sign() < 0:
		return 0, "must not be negative"
	case !value.Num().IsInt64() || value.Num().Int64() > 1<<40:
		return 0, "must be a number of tokens that some server can hold"
	}
	return int(value.Num().Int64()), ""
}

// parseCount reads a count. The words are empty when it is one.
func parseCount(n *node) (count Count, words string) {
	switch {
	case n.form == textForm && n.text == "auto":
		return Count{Auto: true}, ""
	case n.form == textForm && multipleForm.MatchString(n.text):
		factor, _ := strconv.Atoi(strings.TrimSuffix(n.text, "x"))
		return Count{PerC: factor}, ""
	case n.form == intForm:
		if number, err := strconv.Atoi(n.text); err == nil && number >= 0 {
			return Count{N: number}, ""
		}
	}
	return Count{}, countWords
}

// parseDuration reads a duration. The words are empty when it is one.
func parseDuration(n *node) (d time.Duration, words string) {
	if n.form != textForm || n.text == "" || !durationForm.MatchString(n.text) {
		return 0, durationWords
	}
	d, err := time.ParseDuration(n.text)
	if err != nil {
		return 0, "must be a duration of some years at most"
	}
	return d, ""
}
