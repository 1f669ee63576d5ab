package spec

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/diag"
	"scenario/schema"
)

// FuzzLoad holds Load to three promises for any bytes: it does not panic, it
// returns a scenario or an error, and every position lies inside the file. What
// loads, loads again from its resolved form.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/*.yaml", "testdata/baseline/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src, "phases.*.concurrency=[1, 2]")
		}
	}
	f.Add([]byte("a: &a [*a]\n"), "a.0.b={")
	f.Add([]byte("\xff\xfea\x00"), "=")
	rules, err := scenarioRules(options().Kinds)
	if err != nil {
		f.Fatal(err)
	}
	baselineRules, err := compile(schema.Baseline())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, src []byte, set string) { promises(t, src, set, rules, baselineRules) })
}

var (
	mutations = flag.Int("mutations", 300, "how many mutated files TestMutatedFiles loads")
	seed      = flag.Uint64("seed", 1, "where TestMutatedFiles starts")
)

// TestMutatedFiles holds Load to the promises of FuzzLoad for files of the
// corpus with pieces of YAML cut out, doubled and put in.
func TestMutatedFiles(t *testing.T) {
	rules, err := scenarioRules(options().Kinds)
	if err != nil {
		t.Fatal(err)
	}
	baselineRules, err := compile(schema.Baseline())
	if err != nil {
		t.Fatal(err)
	}
	files := append(corpus(t, "testdata/*.yaml"), corpus(t, "testdata/baseline/*.yaml")...)
	pieces := []string{
		"\t", " ", "- ", "&a ", "*a", "<<: *a", "!x ", "! ", "!!str ", "{", "}", "[", "]", ":", ": ", "#", " #", "'", "\"", "|\n", "|2\n", ">-\n",
		"${A}", "${FOUR}", "$${", "\n", "\n  ", "---\n", "...\n", "? ", "\r\n", "\u2028", "\u0085", "é", "日本", "\\", "%", "@", "x-a: ",
		"null", "~", ".inf", "010", "1e3", "defaults: ", "phases:\n", "\x00", "\xff", "&a [*a]", "unset", "off", "true", "5x", "2k", "headers: ",
	}
	sets := []string{"", "", "phases.*.checks.correct=", "name=", "target.headers.X=", "phases.0=", "defaults=", "phases.decode.body="}
	r := rand.New(rand.NewPCG(*seed, 0))
	for range *mutations {
		src := readFile(t, files[r.IntN(len(files))])
		for range 1 + r.IntN(5) {
			from := r.IntN(len(src) + 1)
			to := min(len(src), from+r.IntN(20))
			piece := []byte(pieces[r.IntN(len(pieces))])
			switch r.IntN(4) {
			case 0:
				src = slices.Concat(src[:from], src[to:])
			case 1:
				src = slices.Concat(src[:to], src[from:])
			default:
				src = slices.Concat(src[:from], piece, src[from:])
			}
		}
		set := sets[r.IntN(len(sets))]
		if set != "" {
			set += pieces[r.IntN(len(pieces))]
		}
		promises(t, src, set, rules, baselineRules)
		if t.Failed() {
			t.Fatalf("with --set %q and the file\n%q", set, src)
		}
	}
}

// promises loads src in every way and fails if a promise is not kept.
func promises(t *testing.T, src []byte, set string, rules, baselineRules *ruleset) {
	t.Helper()
	o := options()
	if set != "" {
		o.Set = []string{set}
	}
	s, list := load("fuzz.yaml", src, o, rules)
	if (s == nil) != list.HasErrors() {
		t.Fatalf("scenario %v with diagnostics %v", s != nil, list)
	}
	inside(t, src, list)
	b, list := loadBaseline("fuzz.yaml", src, baselineRules)
	if (b == nil) != list.HasErrors() {
		t.Fatalf("baseline %v with diagnostics %v", b != nil, list)
	}
	inside(t, src, list)
	if s != nil {
		reload(t, s, rules)
	}
}

// inside fails if a diagnostic points outside the file.
func inside(t *testing.T, src []byte, list diag.List) {
	t.Helper()
	lines := splitLines(strings.TrimPrefix(string(src), "\xef\xbb\xbf"))
	for _, d := range list {
		if d.Pos.File != "fuzz.yaml" {
			if d.Pos.Line != 0 {
				t.Errorf("a place in a flag has a line: %v", d)
			}
			continue
		}
		if d.Pos.Line < 0 || d.Pos.Line > len(lines) || d.Pos.Col < 0 {
			t.Errorf("outside the file: %v", d)
		} else if d.Pos.Line > 0 && d.Pos.Col > len([]rune(lines[d.Pos.Line-1]))+1 {
			t.Errorf("outside the line: %v", d)
		}
		if d.Message == "" {
			t.Errorf("no message: %v", d)
		}
		_ = d.Snippet()
	}
}

// reload fails unless the scenario's resolved form loads to the same scenario,
// secrets aside.
func reload(t *testing.T, s *Scenario, rules *ruleset) {
	t.Helper()
	o := options()
	o.CheckURL = nil
	again, list := load(s.File, s.Resolved(), o, rules)
	if again == nil {
		t.Fatalf("the resolved scenario does not load:\n%s\n%s", list, s.Resolved())
	}
	if diff := cmp.Diff(s, again, sameScenario); diff != "" {
		t.Errorf("the resolved scenario is another (-was +is):\n%s", diff)
	}
}
