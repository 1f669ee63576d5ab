package assert

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// writer writes random expressions of a wanted type over the sample scope. Their
// types are right, so that all compile.
type writer struct {
	*rand.Rand
	element string // what the condition being written reads: "", "request" or "turn"
}

// pick is one of the alternatives.
func (w *writer) pick(alternatives ...string) string {
	return alternatives[w.IntN(len(alternatives))]
}

// fill replaces the words b, n, d, t and l of a pattern by expressions: a bool,
// a number, a duration, a text and a list.
func (w *writer) fill(depth int, pattern string) string {
	words := strings.Fields(pattern)
	for i, word := range words {
		switch word {
		case "b":
			words[i] = w.boolean(depth - 1)
		case "n":
			words[i] = w.number(depth - 1)
		case "d":
			words[i] = w.duration(depth - 1)
		case "t":
			words[i] = w.text()
		case "cmp":
			words[i] = w.pick("<", "<=", ">", ">=", "==", "!=")
		case "order":
			words[i] = w.pick("<", "<=", ">", ">=")
		}
	}
	return strings.Join(words, " ")
}

func (w *writer) boolean(depth int) string {
	leaves := []string{"steady", "truncated", "true", "false", "known(server.kv_usage_max)", "baseline.steady", "known(baseline.ttft.p95)", "known(ttft)", "known(p(user_tps, 50))"}
	switch w.element {
	case "request":
		leaves = append(leaves, ".ok", ".degenerate", "known(.output_tokens)", `(.outcome == "ok")`, `(.finish_reason in ["stop", "length"])`, `(.error contains "time")`)
	case "turn":
		leaves = append(leaves, ".pass", `(.task startsWith "re")`, "known(.ttft.p50)", "known(.replies)", "known(.task)")
	}
	if depth <= 0 {
		return w.pick(leaves...)
	}
	if w.IntN(4) == 0 {
		return w.list(depth, w.pick("all", "any", "none", "one"))
	}
	return w.fill(depth, w.pick(
		"( b and b )", "( b or b )", "( b && b )", "( b || b )", "not ( b )", "! ( b )", "( b == b )", "( b != b )",
		"( n cmp n )", "( d cmp d )", "( n order n order n )", "( d order d order d order d )",
		"( n in [ n , n , n ] )", "( d in [ d , d ] )", "( t == t )", "( t != t )", "( t in [ t , t ] )",
		"( t contains t )", "( t not startsWith t )", "( t endsWith t )", `( t matches "^[a-q]" )`,
		"within( n , n , 0.5 )", "within( d , d , n )",
	))
}

func (w *writer) number(depth int) string {
	leaves := []string{
		"concurrency", "length", "ok_count", "error_ratio", "cached_ratio", "output_tps", "server.kv_usage_max", "server.running_max", "client.cpu_ratio",
		"0", "1", "2.5", "1e3", "ttft.n", "user_tps.p50", "user_tps.mean", "p(user_tps, 97.5)", "p(user_tps, 3)", "baseline.output_tps", "baseline.user_tps.max",
		"len(requests)", "len(turns)", "len(model)",
	}
	switch w.element {
	case "request":
		leaves = append(leaves, ".index", ".prompt_tokens", ".output_tokens", "len(.error)")
	case "turn":
		leaves = append(leaves, ".ttft.n", "len(.replies)")
	}
	if depth <= 0 {
		return w.pick(leaves...)
	}
	if w.IntN(4) == 0 {
		return w.list(depth, w.pick("count", "sum number", "mean number", "len"))
	}
	return w.fill(depth, w.pick("( n + n )", "( n - n )", "( n * n )", "( n / ( n + n ) )", "( n / n )", "( n % ( 7 * n + 1 ) )", "( d / d )", "- n", "min( n , n )", "max( n , n , n )", "abs( n )", "n"))
}

func (w *writer) duration(depth int) string {
	leaves := []string{"wall", "drift", "ttft.p50", "ttft.p95", "ttft.mean", "ttft.max", "p(ttft, 60)", "tpot.min", "tpot.p90", "ms(100)", "us(2.5)", "s(1)", "baseline.ttft.p95", "baseline.wall"}
	switch w.element {
	case "request":
		leaves = append(leaves, ".ttft", ".e2e")
	case "turn":
		leaves = append(leaves, ".ttft.p50", ".ttft.max", "p(.ttft, 30)")
	}
	if depth <= 0 {
		return w.pick(leaves...)
	}
	if w.IntN(4) == 0 {
		return w.list(depth, w.pick("sum duration", "mean duration"))
	}
	return w.fill(depth, w.pick("( d + d )", "( d - d )", "( d * n )", "( n * d )", "( d / ( n + 1 ) )", "- d", "min( d , d )", "max( d , d )", "abs( d )", "ms( n )", "s( n )"))
}

func (w *writer) text() string {
	leaves := []string{"model", `"qwen"`, `"n"`, `""`}
	switch w.element {
	case "request":
		leaves = append(leaves, ".error")
	case "turn":
		leaves = append(leaves, ".task", `"recall"`)
	}
	return w.pick(leaves...)
}

// list writes a call of a list function.
func (w *writer) list(depth int, function string) string {
	outer := w.element
	defer func() { w.element = outer }()
	source, element := "requests", "request"
	switch {
	case outer == "turn" && w.IntN(2) == 0:
		source = ".replies"
	case w.IntN(3) == 0:
		source, element = "turns", "turn"
	}
	w.element = element
	if w.IntN(4) == 0 {
		source = "filter(" + source + ", " + w.about("b", depth) + ")"
	}
	name, of, _ := strings.Cut(function, " ")
	switch {
	case name == "len":
		return "len(" + source + ")"
	case of == "number":
		return name + "(" + source + ", " + w.about("n", depth) + ")"
	case of == "duration":
		return name + "(" + source + ", " + w.about("d", depth) + ")"
	}
	return name + "(" + source + ", " + w.about("b", depth) + ")"
}

// about writes something of an element, whatever else it reads: a bool, a number
// or a duration, by the letter.
func (w *writer) about(letter string, depth int) string {
	fields := map[string][]string{
		"request b": {".ok", ".degenerate", "known(.output_tokens)"}, "turn b": {".pass", "known(.task)"},
		"request n": {".index", ".output_tokens"}, "turn n": {".ttft.n", "len(.replies)"},
		"request d": {".ttft", ".e2e"}, "turn d": {".ttft.p50", "p(.ttft, 30)"},
	}
	field := w.pick(fields[w.element+" "+letter]...)
	forms := map[string][]string{
		"b": {"f", "( f and b )", "( b and f )", "( f or b )", "( b or f )", "( b == f )"},
		"n": {"f", "( f + n )", "( n * f )", "max( f , n )"},
		"d": {"f", "( f + d )", "( d - f )", "max( d , f )"},
	}
	return w.fill(depth, strings.Replace(w.pick(forms[letter]...), "f", field, 1))
}

// level makes up the values of a level; about a fifth of what can be unknown is.
func (w *writer) level() *sampleLevel {
	l := &sampleLevel{
		sampleCommon: sampleCommon{Concurrency: w.IntN(4), Length: w.maybe(float64(w.IntN(5000)))},
		UserTPS:      &rates{w.samples(100)},
		TPOT:         samples{w.samples(1e7)},
		OutputTPS:    w.maybe(w.Float64() * 1000),
		CachedRatio:  w.maybe(float64(w.IntN(3)) / 2),
		ErrorRatio:   w.Float64(),
		OKCount:      w.IntN(5),
		Truncated:    answer(w.IntN(3)),
		Steady:       w.IntN(2) == 0,
		Wall:         time.Duration(w.IntN(3)) * time.Second,
		Model:        w.pick("qwen", "", "n"),
	}
	if w.IntN(5) > 0 {
		l.TTFT = &samples{w.samples(1e8)}
		l.Drift = &lag{time.Duration(w.IntN(3)-1) * time.Second}
		l.Server = &sampleServer{KVUsageMax: w.maybe(w.Float64()), RunningMax: w.Uint32N(3)}
	}
	l.Requests = w.requests()
	for range w.IntN(4) {
		if w.IntN(5) == 0 {
			l.Turns = append(l.Turns, nil)
			continue
		}
		l.Turns = append(l.Turns, &sampleTurn{Task: w.pick("recall", "no_tool"), Pass: w.IntN(2) == 0, Replies: w.requests(), TTFT: samples{w.samples(1e8)}})
	}
	return l
}

func (w *writer) maybe(v float64) optional { return optional{v, w.IntN(5) > 0} }

func (w *writer) samples(scale float64) values {
	var v values
	for range []int{0, 1, 4, 5, 12, 30, 60}[w.IntN(7)] {
		v = append(v, w.Float64()*scale)
	}
	return v
}

func (w *writer) requests() []sampleRequest {
	r := make([]sampleRequest, w.IntN(4))
	for i := range r {
		r[i] = sampleRequest{
			Index: i, OK: w.IntN(3) > 0, Outcome: w.pick("ok", "timeout"), Error: word(w.pick("?", "", "timeout")),
			FinishReason: word(w.pick("stop", "tool_calls", "?")), PromptTokens: w.IntN(3), OutputTokens: w.maybe(float64(w.IntN(3))),
			TTFT: time.Duration(w.IntN(3)) * time.Second, E2E: lag{time.Duration(w.IntN(4)-1) * time.Second}, Degenerate: answer(w.IntN(3)),
		}
	}
	return r
}

// table makes up the rows of a baseline.
func (w *writer) table() Table {
	t := Table{}
	for _, key := range []string{"steady", "ttft.p95", "wall", "output_tps", "user_tps.max"} {
		if w.IntN(4) > 0 {
			t[key] = float64(w.IntN(2)) * 1e9
		}
	}
	return t
}

// junk writes something that looks like an expression and mostly is none.
func (w *writer) junk() string {
	words := strings.Fields(fmt.Sprintf(`%s %s %s ( ) [ ] , . # and or not in < == = & | ? : { } + - * / %% 5 5%% 100ms "x" 'x ttft requests all( known( p( mean( é ≤ // /* 1e 0x`,
		w.boolean(2), w.number(2), w.duration(2)))
	var b strings.Builder
	for range w.IntN(30) {
		b.WriteString(words[w.IntN(len(words))])
		b.WriteString(w.pick("", " ", "\n"))
	}
	return b.String()
}
