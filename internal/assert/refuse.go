package assert

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/parser/lexer"
)

// operators are the ones that the language has; signs first, then words.
var operators = []string{
	"==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "+", "-", "*", "/", "%", ".", ",",
	"and", "or", "not", "in", "contains", "startsWith", "endsWith", "matches",
	"#", // refused where it is more than the dot of `#.field`
}

// instead says what to write for signs and words that people bring along from
// elsewhere.
var instead = map[string]string{
	"=":   "`=` is not a comparison: write ==",
	"===": "`===` is not a comparison: write ==",
	"!==": "`!==` is not a comparison: write !=",
	"<>":  "`<>` is not a comparison: write !=",
	"=<":  "`=<` is not a comparison: write <=",
	"=>":  "`=>` is not a comparison: write >=",
	"&":   "`&` is not an operator: write and",
	"|":   "`|` is not an operator: write or; a list is handed to a function in brackets, as in count(requests, .ok)",
	"AND": "`AND` is not an operator: write and",
	"OR":  "`OR` is not an operator: write or",
	"NOT": "`NOT` is not an operator: write not",
	"?.":  "`?.` is not part of the language: write known(…) to ask whether a value is there",
	"??":  "`??` is not part of the language: write known(…) to ask whether a value is there",
	"?":   "`?` is not part of the language: write the cases with and, or",
	"..":  "`..` is not part of the language: write 1 <= x <= 5",
	"{":   "`{` is not part of the language: the condition of a list function stands without braces",
	";":   "`;` is not part of the language: write and between two conditions",
}

// refusals names every token that the language does not have, so that one of
// them does not hide the next.
func (s *source) refusals() []Error {
	var errs []Error
	for i := 0; i < len(s.tokens); i++ {
		t := s.tokens[i]
		member := i > 0 && s.tokens[i-1].Is(lexer.Operator, ".")
		switch {
		case t.Kind == lexer.Bytes:
			errs = append(errs, s.at(t, "%s is a string of bytes, which is not part of the language: write text without the b", s.text(t.From, t.To)))
		case t.Kind == lexer.Number && s.separated(i) > i:
			i = s.separated(i)
			t.To = s.tokens[i].To
			errs = append(errs, s.separatorError(t))
		case t.Kind == lexer.Number:
			errs = append(errs, s.numberErrors(i)...)
		case t.Kind == lexer.Identifier && !member && instead[t.Value] != "":
			errs = append(errs, s.at(t, "%s", instead[t.Value]))
		case t.Kind == lexer.Bracket && (t.Value == "{" || t.Value == "}"):
			if t.Value == "{" {
				errs = append(errs, s.at(t, "%s", instead["{"]))
			}
		case t.Is(lexer.Operator, "#") && i+1 < len(s.tokens) && s.tokens[i+1].Kind == lexer.Identifier && s.tokens[i+1].From == t.To:
			i++
			t.To = s.tokens[i].To
			errs = append(errs, s.at(t, "`#%s` is not part of the language: an element's field is written .%s", s.tokens[i].Value, s.tokens[i].Value))
		case t.Kind == lexer.Operator && !member:
			last := s.run(i)
			t.To = s.tokens[last].To
			t.Value = string(s.runes[t.From:t.To])
			i = last
			if slices.Contains(operators, t.Value) {
				continue
			}
			message := instead[t.Value]
			if message == "" {
				message = fmt.Sprintf("`%s` is not part of the language", t.Value)
			}
			errs = append(errs, Error{From: t.From, To: t.To, Message: message})
		}
	}
	return errs
}

// run is the last of the tokens that token i, a comparison or logic sign, is
// written together with: `<` and `>` of `<>`.
func (s *source) run(i int) int {
	const signs = "=<>&|"
	joined := func(t lexer.Token) bool {
		return t.Kind == lexer.Operator && t.Value != "!" && strings.Trim(t.Value, signs+"!") == ""
	}
	for joined(s.tokens[i]) && i+1 < len(s.tokens) && s.tokens[i+1].From == s.tokens[i].To && joined(s.tokens[i+1]) {
		i++
	}
	return i
}

// numberErrors checks how token i, a number, is written and what follows it.
func (s *source) numberErrors(i int) []Error {
	t := s.tokens[i]
	// `.9` of `ttft.p99.9`
	if i > 0 && s.tokens[i-1].To == t.From && percentileName.MatchString(s.tokens[i-1].Value) {
		t.From = s.tokens[i-1].From
		name := s.text(t.From, t.To)
		return []Error{s.at(t, "`%s` is no name: write p(…, %s)", name, name[1:])}
	}
	if message := literalError(t.Value); message != "" {
		return []Error{s.at(t, "%s", message)}
	}
	if i+1 == len(s.tokens) {
		return nil
	}
	next := s.tokens[i+1]
	if write := withUnit(t.Value, next.Value); next.Kind == lexer.Identifier && write != "" {
		t.To = next.To
		return []Error{s.at(t, "`%s` is not a number: write %s", s.text(t.From, t.To), write)}
	}
	if next.Is(lexer.Operator, "%") && next.From == t.To && !s.startsValue(i+2) {
		t.To = next.To
		percent, _ := strconv.ParseFloat(strings.ReplaceAll(t.Value, "_", "")+"e-2", 64)
		return []Error{s.at(t, "`%s` is not a number: write %s", s.text(t.From, t.To), strconv.FormatFloat(percent, 'g', -1, 64))}
	}
	return nil
}

var (
	firstDigits = regexp.MustCompile(`^[0-9]{1,3}$`)
	nextDigits  = regexp.MustCompile(`^[0-9]{3}([.][0-9]+)?$`)
)

// separated is the last token of a number like 1,000 or 1 000 that token i
// begins; i if that begins none. Between arguments 1,234 is two numbers, but
// 1,034 is one: no number begins with a zero.
func (s *source) separated(i int) int {
	if !firstDigits.MatchString(s.tokens[i].Value) {
		return i
	}
	last, zero := i, false
	follows := func(j, gap int) bool {
		return j < len(s.tokens) && s.tokens[j].From == s.tokens[j-1].To+gap
	}
	for follows(last+1, 0) && s.tokens[last+1].Is(lexer.Operator, ",") && follows(last+2, 0) && nextDigits.MatchString(s.tokens[last+2].Value) {
		last += 2
		zero = zero || s.tokens[last].Value[0] == '0'
	}
	if last > i && !zero && s.inList(i) {
		return i
	}
	for last == i || s.tokens[last-1].Kind == lexer.Number {
		if !follows(last+1, 1) || !nextDigits.MatchString(s.tokens[last+1].Value) {
			break
		}
		last++
	}
	return last
}

// separatorError says how a number is written whose digits stand in groups.
func (s *source) separatorError(t lexer.Token) Error {
	written := s.text(t.From, t.To)
	write := strings.NewReplacer(",", "", " ", "").Replace(written)
	e := s.at(t, "`%s` is not a number, as digits stand together: write %s", written, write)
	e.Fix = "write " + write
	return e
}

// inList reports whether token i stands where a comma separates values.
func (s *source) inList(i int) bool {
	depth := 0
	for j := i - 1; j >= 0; j-- {
		switch {
		case s.tokens[j].Is(lexer.Bracket, ")", "]"):
			depth++
		case !s.tokens[j].Is(lexer.Bracket, "(", "["):
		case depth > 0:
			depth--
		default:
			return s.tokens[j].Value == "[" || j > 0 && s.isCall(j-1)
		}
	}
	return false
}

// startsValue reports whether a value can begin at token i.
func (s *source) startsValue(i int) bool {
	if i >= len(s.tokens) {
		return false
	}
	switch t := s.tokens[i]; t.Kind {
	case lexer.Operator:
		return t.Is(lexer.Operator, "-", "+", "!", "not", ".", "#")
	case lexer.Bracket:
		return t.Value == "(" || t.Value == "["
	}
	return true
}

// maxExact is the largest whole number up to which a float64 holds every one.
const maxExact = 1 << 53

// literalError says what is wrong with a number as it is written; empty: nothing.
func literalError(written string) string {
	digits := strings.ToLower(strings.ReplaceAll(written, "_", ""))
	if len(digits) > 1 && digits[0] == '0' && strings.ContainsRune("xob", rune(digits[1])) {
		if n, err := strconv.ParseInt(digits, 0, 64); err == nil {
			return fmt.Sprintf("`%s` is not a plain number: write %d", written, n)
		}
		return fmt.Sprintf("`%s` is not a plain number", written)
	}
	if strings.ContainsAny(digits, ".e") {
		if _, err := strconv.ParseFloat(digits, 64); err != nil {
			return fmt.Sprintf("`%s` is not a number that can be held", written)
		}
		return ""
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil || n > maxExact:
		return fmt.Sprintf("%s is too large to be exact: whole numbers go to %d", written, int64(maxExact))
	case digits[0] == '0' && len(digits) > 1:
		return fmt.Sprintf("`%s` is not a plain number: write %d", written, n)
	}
	return ""
}

var unitPattern = regexp.MustCompile(`^([0-9_]*\.?[0-9_]*)([a-zA-Zµμ]+)$`)

// withUnit says what to write for a number with a unit; empty when the unit is
// none that has an equivalent.
func withUnit(digits, unit string) string {
	n, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	if err != nil {
		return ""
	}
	if unit == "k" {
		return plain(math.Round(n * 1024))
	}
	for _, d := range []struct {
		call  string
		scale float64
		names []string
	}{
		{"us", 1e-3, []string{"ns"}},
		{"us", 1, []string{"us", "µs", "μs"}},
		{"ms", 1, []string{"ms", "msec", "millis"}},
		{"s", 1, []string{"s", "sec", "secs", "second", "seconds"}},
		{"s", 60, []string{"m", "min", "mins", "minute", "minutes"}},
		{"s", 3600, []string{"h", "hour", "hours"}},
	} {
		if slices.Contains(d.names, unit) {
			return d.call + "(" + plain(n*d.scale) + ")"
		}
	}
	return ""
}

// plain writes a number as an expression does.
func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
