package assert

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzCompile compiles anything. Whatever compiles is evaluated; whatever does
// not says where, inside of the expression, and in our words.
func FuzzCompile(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		lines, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.SplitSeq(string(lines), "\n") {
			f.Add(line)
		}
	}
	scope := sampleScope()
	env := Env{sampleValues(), nil, Table{"ttft.p95": 2e8}, nil}
	f.Fuzz(func(t *testing.T, source string) { compileAnything(t, scope, env, source) })
}

func compileAnything(t *testing.T, scope *Scope, env Env, source string) {
	for _, mode := range []Mode{Measured, Planned} {
		check, errs := Compile(source, scope, mode)
		if (check == nil) != (len(errs) > 0) {
			t.Fatalf("%q: a check and errors, or neither", source)
		}
		for _, e := range errs {
			if e.From < 0 || e.To > utf8.RuneCountInString(source) || e.From > e.To || e.From == e.To && source != "" {
				t.Errorf("%q: an error at %d-%d: %s", source, e.From, e.To, e.Message)
			}
			for _, word := range []string{"Token(", "Operator(", "Identifier(", "Bracket(", "*ast.", "fault of scenario", "%!"} {
				if e.Message == "" || strings.Contains(e.Message, word) && !strings.Contains(source, word) {
					t.Errorf("%q: message %q", source, e.Message)
				}
			}
		}
		if check == nil {
			continue
		}
		explain(t, check, env, source)
	}
}

// explain checks an explanation against the evaluation.
func explain(t *testing.T, check *Check, env Env, source string) Result {
	t.Helper()
	got, x := check.Eval(env), check.Explain(env)
	if got != x.Result {
		t.Errorf("%q: %s, and explained %s", source, got, x.Result)
	}
	if (x.Reason != "") != (got == Undecided) || got == Holds && x.Offenders != nil || len(x.Offenders) > maxOffenders {
		t.Errorf("%q: %s, explained %+v", source, got, x)
	}
	return got
}

// FuzzEval evaluates random expressions over random values, and compares with a
// plain evaluator that shares nothing but the syntax tree.
func FuzzEval(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	scope := sampleScope()
	f.Fuzz(func(t *testing.T, seed uint64) {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}
		source := w.boolean(1+w.IntN(5)) + " or ok_count == ok_count + 1"
		check, errs := Compile(source, scope, Measured)
		for _, e := range errs { // what random constants can get wrong
			if !strings.Contains(e.Message, "divides by zero") && !strings.Contains(e.Message, "the tolerance is") && !strings.Contains(e.Message, "may have 4096") {
				t.Fatalf("%s: %s", source, e.Message)
			}
		}
		if check == nil {
			return
		}
		for range 3 {
			level, table := w.level(), w.table()
			got := explain(t, check, Env{level, nil, table, nil}, source)
			src, tree, _ := parse(source)
			n := naive{source: src, top: plainly(reflect.ValueOf(level)).(map[string]any)}
			n.top["baseline"] = fromTable(table)
			want := Undecided
			switch n.eval(tree, nil) {
			case true:
				want = Holds
			case false:
				want = Fails
			}
			if got != want {
				t.Errorf("%s: %s, want %s", source, got, want)
			}
		}
		compileAnything(t, scope, Env{sampleValues(), nil, nil, nil}, w.junk())
	})
}
