package simserver

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// A problem is what a solver looks at.
type problem struct {
	texts []string // all that the prompt says, in order
	from  int      // of the last text: where the question is
	until int
}

// question is the stretch of the last text where the instruction may be.
func (p problem) question() string { return p.texts[len(p.texts)-1][p.from:p.until] }

// around is all texts without what stands between two places of the question.
func (p problem) around(from, until int) []string {
	last := len(p.texts) - 1
	return append(slices.Clone(p.texts[:last]), p.texts[last][:p.from+from], p.texts[last][p.from+until:])
}

// A solver looks for an instruction that it understands. It returns the answer
// and where the instruction begins in the question, or -1.
type solver func(problem) (answer string, at int)

// solvers are the kinds of question that the model answers rightly.
func solvers() []solver { return []solver{lookUp, calculate, repeat} }

// solve answers the last instruction of the last text, going by its end first
// and then by its beginning: what stands between is context.
func solve(texts []string) (answer string, ok bool) {
	const reach = 600 // bytes; longer texts are not searched whole, since there may be a book of them
	if len(texts) == 0 {
		return "", false
	}
	length := len(texts[len(texts)-1])
	for _, p := range []problem{{texts, max(0, length-reach), length}, {texts, 0, min(reach, length)}} {
		best := -1
		for _, s := range solvers() {
			if found, at := s(p); at > best {
				answer, best = found, at
			}
		}
		if best >= 0 {
			return answer, true
		}
	}
	return "", false
}

// An instruction is how a kind of question is put: a verb, and what follows it.
// Verbs are looked for first, since that is much faster than an expression.
type instruction struct {
	verbs []string
	whole *regexp.Regexp
}

// newInstruction is the instruction of any of the verbs and then what the
// expression describes, whatever the case of the letters.
func newInstruction(verbs, then string) instruction {
	list := strings.Fields(verbs)
	return instruction{list, regexp.MustCompile(`(?i)^(?:` + strings.Join(list, "|") + `)\b` + then)}
}

// last is the submatches of the last place in s where the instruction is, and
// where it begins, or -1.
func (in instruction) last(s string) (groups []string, at int) {
	const longest = 200 // bytes of an instruction
	for end := len(s); end > 0; {
		start := end
		for start > 0 && isLetter(s[start-1]) {
			start--
		}
		word := s[start:end]
		if slices.ContainsFunc(in.verbs, func(verb string) bool { return strings.EqualFold(verb, word) }) {
			if found := in.whole.FindStringSubmatch(s[start:min(len(s), start+longest)]); found != nil {
				return found, start
			}
		}
		end = start - 1
	}
	return nil, -1
}

var (
	lookUpAsked = newInstruction("what which give tell report state return find look", `[^\n?.]{0,40}?`+
		`\b(?:value|number|entry|code)\b[^\n?.]{0,30}?\b(?:of|for|does|has|to|under|with|by)\s+(?:the\s+)?(?:key\s+)?`+
		"[\"'`“]?"+`((?-i:[A-Za-z][\w-]*\d[\w-]*|[A-Z][A-Z0-9_-]+))`)
	lookUpTold = regexp.MustCompile("^[\"'`”]?" + `\s*(?:is now|is|was|=|:|\||->|→|equals|has the value|has value|holds)\s*` +
		"[\"'`“]?" + `(-?[\w-]*\w)`)
)

// lookUp answers "What is the value of K17?" from "the value of K17 is 5521". Of
// several values the one told last counts.
func lookUp(p problem) (string, int) {
	asked, at := lookUpAsked.last(p.question())
	if at < 0 {
		return "", -1
	}
	key := asked[1]
	for _, text := range slices.Backward(p.around(at, at+len(asked[0]))) {
		if value, ok := lastTold(text, key); ok {
			return value, at
		}
	}
	return "", -1
}

// lastTold is the value that a text tells of a key, the last one.
func lastTold(text, key string) (value string, ok bool) {
	for end := len(text); ; {
		found := strings.LastIndex(text[:end], key)
		if found < 0 {
			return "", false
		}
		told := lookUpTold.FindStringSubmatch(text[found+len(key):])
		if told != nil && (found == 0 || !isWord(text[found-1])) {
			return told[1], true
		}
		end = found
	}
}

// isWord tells whether a byte can be part of a key.
func isWord(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' || c == '-' }

var (
	sumAsked = newInstruction("what calculate compute evaluate how work solve find", `[^\n\d-]{0,40}`+
		`(-?\d{1,12}(?:`+operator+`-?\d{1,12})+)`)
	sumTerm = regexp.MustCompile(`(?i)(` + operator + `)?(-?\d{1,12})`)
)

const operator = `\s*(?:[-+*x×÷/−–]|plus|minus|times|multiplied by|divided by)\s*`

// calculate answers "What is 37 + 48?". Products come before sums; a quotient
// must be whole.
func calculate(p problem) (string, int) {
	asked, at := sumAsked.last(p.question())
	if at < 0 {
		return "", -1
	}
	sum, product := new(big.Int), new(big.Int)
	for i, term := range sumTerm.FindAllStringSubmatch(asked[1], -1) {
		value, _ := new(big.Int).SetString(term[2], 10) // digits by the pattern
		switch op := strings.ToLower(strings.TrimSpace(term[1])); {
		case i == 0, op == "+", op == "plus":
			sum.Add(sum, product)
			product = value
		case op == "-", op == "−", op == "–", op == "minus":
			sum.Add(sum, product)
			product = value.Neg(value)
		case op == "÷", op == "/", op == "divided by":
			rest := new(big.Int)
			if value.Sign() == 0 {
				return "", -1
			}
			if product.QuoRem(product, value, rest); rest.Sign() != 0 {
				return "", -1
			}
		default:
			product.Mul(product, value)
		}
	}
	return sum.Add(sum, product).String(), at
}

var (
	repeatAsked = newInstruction("repeat copy echo reproduce return write print output say reply respond answer", `[^\n:.?!]{0,60}?\b(?:code|string|token|word|identifier|phrase|text)s?\b([^\n:.?!]{0,60}:)?`)
	codeQuoted  = regexp.MustCompile("^\\s*(?:\"([^\"\n]+)\"|'([^'\n]+)'|`([^`\n]+)`|“([^”\n]+)”)")
	codeNext    = regexp.MustCompile(`^\s*(\S+)`)
	codeLike    = regexp.MustCompile(`\b(?:[A-Z0-9]+(?:-[A-Z0-9]+)+|[A-Za-z_]*\d[\w-]*)\b`)
)

// repeat answers "Repeat this code exactly: ORBIT-7Q2K". Without a colon the code
// is the next word that looks like one, or else the last before the instruction.
func repeat(p problem) (string, int) {
	asked, at := repeatAsked.last(p.question())
	if at < 0 {
		return "", -1
	}
	before, rest := p.question()[:at], p.question()[at+len(asked[0]):]
	if quoted := codeQuoted.FindStringSubmatch(rest); quoted != nil {
		return strings.Join(quoted[1:], ""), at
	}
	if next := codeNext.FindStringSubmatch(rest); next != nil && asked[1] != "" {
		if code := strings.TrimRight(next[1], `.,;:!?"'`); code != "" {
			return code, at
		}
	}
	if code := codeLike.FindString(rest); code != "" {
		return code, at
	}
	if codes := codeLike.FindAllString(before, -1); codes != nil {
		return codes[len(codes)-1], at
	}
	return "", -1
}
