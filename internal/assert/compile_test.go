package assert

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// TestCompile reads the expressions of testdata/*.txt, one a line, and compares
// what is said of each with the golden file beside it.
func TestCompile(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no expressions", err)
	}
	scope := sampleScope()
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			mode := Measured
			if name == "planned" {
				mode = Planned
			}
			lines, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for source := range strings.SplitSeq(strings.TrimSuffix(string(lines), "\n"), "\n") {
				check, errs := Compile(source, scope, mode)
				if (check == nil) != (len(errs) > 0) {
					t.Errorf("%s: a check and errors, or neither", source)
				}
				if name == "accepted" && check == nil {
					t.Errorf("%s: refused", source)
				}
				describe(&b, source, check, errs)
			}
			golden(t, name+".golden", b.String())
		})
	}
}

// describe writes what Compile said of an expression.
func describe(b *strings.Builder, source string, check *Check, errs []Error) {
	fmt.Fprintf(b, "%s\n", source)
	for _, e := range errs {
		fmt.Fprintf(b, "%s%s %d-%d: %s\n", strings.Repeat(" ", e.From), strings.Repeat("^", e.To-e.From), e.From, e.To, e.Message)
		if e.Fix != "" {
			fmt.Fprintf(b, "  = fix: %s\n", e.Fix)
		}
	}
	if check != nil {
		fmt.Fprintf(b, "  reads %s\n", strings.Join(check.Reads(), ", "))
		for _, n := range check.Needs() {
			fmt.Fprintf(b, "  needs %+v\n", n)
		}
	}
	b.WriteByte('\n')
}

func TestCompileRefusesWhatIsNoLine(t *testing.T) {
	for _, c := range []struct {
		source string
		want   []Error
	}{
		{"", []Error{{0, 0, "the expression is empty", ""}}},
		{" \n\t", []Error{{0, 3, "the expression is empty", ""}}},
		{"ok_count\xff > 5", []Error{{0, 13, "the expression is not valid UTF-8", ""}}},
		{strings.Repeat(" ", 5000) + "steady", []Error{{0, 5006, "the expression has 5006 characters, and may have 4096", ""}}},
		{"steady and\nnosuch\nand nosuch2", []Error{
			{11, 17, "unknown name nosuch", "`scenario explain` lists the names that a check can use"},
			{22, 29, "unknown name nosuch2", "`scenario explain` lists the names that a check can use"},
		}},
	} {
		_, errs := Compile(c.source, sampleScope(), Measured)
		if diff := cmp.Diff(c.want, errs); diff != "" {
			t.Errorf("%.20q (-want +got):\n%s", c.source, diff)
		}
	}
}

// Deep and wide expressions of the longest length are read, or refused, without
// a stack overflow and in no noticeable time.
func TestCompileOfHostileExpressions(t *testing.T) {
	repeat := func(open, middle, end string) string {
		n := (maxSource - len(middle)) / (len(open) + len(end))
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	for name, source := range map[string]string{
		"brackets":   repeat("(", "steady", ")"),
		"unclosed":   repeat("(", "steady", ""),
		"not":        repeat("!", "steady", ""),
		"minus":      repeat("-", "ok_count", ""),
		"and":        repeat("steady and ", "steady", ""),
		"lists":      repeat("all(requests,", ".ok", ")"),
		"chains":     repeat("0<count(requests,", ".ok", ")<2"),
		"bad chains": repeat("1<(", "nosuch", ")<2"),
		"members":    repeat("a.", "a", ""),
		"in":         "ok_count in [" + repeat("1,", "1", "") + "]",
		"errors":     repeat("x+", "x", ""),
		"array":      repeat("[", "1", "]"),
		"comparison": repeat("1<", "ok_count", ""),
		"equal":      repeat("steady==", "steady", ""),
	} {
		t.Run(name, func(t *testing.T) {
			check, _ := Compile(source, sampleScope(), Measured)
			if check == nil {
				return
			}
			for _, env := range []Env{{nil, nil, nil, nil}, {sampleValues(), nil, nil, nil}} {
				if got, explained := check.Eval(env), check.Explain(env).Result; got != explained {
					t.Errorf("%s, and explained %s", got, explained)
				}
			}
		})
	}
}
