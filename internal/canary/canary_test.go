package canary

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"
)

func TestTheGateIsTheExactBinomial(t *testing.T) {
	// From exact fractions. By hand: of 20 at 0.98, P(at least 18) is
	// 0.98^20 + 20·0.02·0.98^19 + 190·0.02²·0.98^18 = 0.9929, and P(at least 19) 0.9401.
	for n, want := range map[int]int{0: 0, 1: 0, 2: 1, 5: 4, 10: 8, 20: 18, 32: 29, 64: 60, 100: 94, 128: 121, 512: 494, 2048: 1992} {
		if got := LeastRight(n, HealthyRate, FalseFailure); got != want {
			t.Errorf("of %d: %d, want %d", n, got, want)
		}
	}
	for _, c := range []struct {
		n       int
		rate, f float64
		want    int
	}{{20, 1, 0.01, 20}, {20, 0, 0.01, 0}, {1, 0.5, 0.5, 0}, {2, 0.5, 0.26, 1}, {2, 0.5, 0.25, 0}, {3, 0.98, 1, 3}} {
		if got := LeastRight(c.n, c.rate, c.f); got != c.want {
			t.Errorf("of %d at %g, %g: %d, want %d", c.n, c.rate, c.f, got, c.want)
		}
	}
}

func TestFewerIsFishersTest(t *testing.T) {
	for _, c := range []struct {
		rightBefore, before, rightAfter, after int
		want                                   float64
	}{
		{20, 20, 20, 20, 1},
		{20, 20, 18, 20, 0.24358974358974358}, // C(20,2)/C(40,2) = 190/780
		{20, 20, 13, 20, 0.004158004158004158},
		{1, 1, 0, 1, 0.5},
		{0, 0, 0, 0, 1},
		{5, 10, 10, 10, 1},
	} {
		if got := Fewer(c.rightBefore, c.before, c.rightAfter, c.after); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d of %d, then %d of %d: %g, want %g", c.rightBefore, c.before, c.rightAfter, c.after, got, c.want)
		}
	}
}

func TestTasksAreNewAndTheSameAgain(t *testing.T) {
	heads, codes := map[string]string{}, map[string]int{}
	for _, key := range []string{"run-1", "run-2"} {
		s := NewSource(key, 200)
		for n := range 600 {
			kind := Kinds()[n%3]
			task := s.Task(n, kind)
			if task != s.Task(n, kind) || task != NewSource(key, 200).Task(n, kind) {
				t.Fatalf("%s: task %d differs from itself", key, n)
			}
			for _, prompt := range []string{task.Message, task.Opening} {
				if !strings.Contains(prompt, "Ref ") || kind != Add && !strings.Contains(prompt, task.Answer) {
					t.Errorf("task %d does not hold its answer:\n%s", n, prompt)
				}
			}
			head := task.Opening[:20]
			if other := heads[head]; other != "" {
				t.Errorf("task %d of %s begins as task %s", n, key, other)
			}
			heads[head] = fmt.Sprint(n, " of ", key)
			if key != "run-1" {
				continue
			}
			for _, code := range codesIn(task.Opening) {
				if owner, seen := codes[code]; seen && owner != n {
					t.Errorf("tasks %d and %d share the code %s", owner, n, code)
				}
				codes[code] = n
			}
		}
	}
}

func TestATaskAskedAgainBeginsDifferently(t *testing.T) {
	s := NewSource("key", 200)
	for _, kind := range Kinds() {
		first := s.Task(5, kind)
		again := s.Again(first)
		third := s.Again(again)
		if first.Answer != again.Answer || again.Answer != third.Answer {
			t.Errorf("%s: the answers are %s, %s, %s", kind, first.Answer, again.Answer, third.Answer)
		}
		rest := func(prompt string) string { _, rest, _ := strings.Cut(prompt, "\n"); return rest }
		for _, pair := range [][2]string{{first.Message, again.Message}, {first.Opening, again.Opening}, {again.Opening, third.Opening}} {
			if pair[0][:16] == pair[1][:16] || rest(pair[0]) != rest(pair[1]) {
				t.Errorf("%s:\n%s\n%s", kind, pair[0], pair[1])
			}
		}
	}
}

func TestPromptsKeepToTheirSize(t *testing.T) {
	for _, size := range []int{leastTokens, 130, 200, 5000} {
		s := NewSource("key", size)
		for _, kind := range Kinds() {
			task := s.Task(7, kind)
			for _, prompt := range []string{task.Message, task.Opening} {
				if most := float64(min(size, 260)); tokens(prompt) > most*1.25 {
					t.Errorf("%d tokens: about %.0f\n%s", size, tokens(prompt), prompt)
				}
			}
		}
	}
	for context, want := range map[int]int{0: 200, 400: 100, 512: 128, 800: 200, 1 << 20: 200} {
		if got := Tokens(context); got != want {
			t.Errorf("of a context of %d: %d tokens, want %d", context, got, want)
		}
	}
}

// tokens is about how many a strict tokenizer makes: one for each digit and mark,
// and one for each four letters.
func tokens(text string) float64 {
	n := 0.0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			n += 0.25
		case r != ' ':
			n++
		}
	}
	return n
}

func TestAnswersAreGradedByWhatTheySay(t *testing.T) {
	code := Task{Kind: Copy, Answer: "ORBIT-48213"}
	sum := Task{Kind: Add, Answer: "857"}
	for text, want := range map[string]bool{
		"ORBIT-48213":                            true,
		" orbit-48213.\n":                        true,
		"The code is **ORBIT-48213**!":           true,
		"`ORBIT-48213`":                          true,
		"“Orbit 48213”":                          true,
		"ORBIT - 48213":                          true,
		"ORBIT\u201148213":                       true,
		"ORBIT48213":                             true,
		"ORBIT-48,213":                           true,
		"<think>AMBER-11111?</think>ORBIT-48213": true,
		"so it is 1.</think>\nORBIT-48213":       true,
		"ORBIT-482131":                           false,
		"ORBIT-4821":                             false,
		"ORBIT-48214":                            false,
		"ORCHID-48213":                           false,
		"48213":                                  false,
		"<think>ORBIT-48213":                     false,
		"<think>ORBIT-48213</think> I can't":     false,
		"":                                       false,
		"harbor old the the":                     false,
	} {
		if got := code.Right(text); got != want {
			t.Errorf("code: %q: %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"857": true, " 857.": true, "112 + 745 = 857": true, "The sum is **857**": true, "\"857\"": true, "857.0": true, "(857)": true,
		"8570": false, "1857": false, "85.7": false, "eight": false, "": false, "<think>857": false, "858": false,
	} {
		if got := sum.Right(text); got != want {
			t.Errorf("sum: %q: %v", text, got)
		}
	}
	if !(Task{Kind: Add, Answer: "1024"}).Right("It is 1,024.") {
		t.Error("grouped digits are not read")
	}
}

func TestAnotherTasksCodeIsForeign(t *testing.T) {
	s := NewSource("key", 200)
	own, other := s.Task(3, Lookup), s.Task(4, Copy)
	theirs := codesIn(other.Opening)
	for _, code := range codesIn(own.Opening) {
		if found := s.Foreign(own, code, 100); found != "" {
			t.Errorf("its own code %s is foreign", code)
		}
	}
	for _, code := range theirs {
		if found := s.Foreign(own, own.Answer+" and "+strings.ToLower(code), 100); found != code {
			t.Errorf("the code %s of another task: found %q", code, found)
		}
		if found := s.Foreign(own, code, 4); found != "" {
			t.Errorf("the code %s is of a task that was not issued yet", found)
		}
	}
	for _, text := range []string{"", "ORBIT-00000", "NOWORD-48213", "857", "the value 48213"} {
		if found := s.Foreign(own, text, 1<<20); found != "" {
			t.Errorf("%q: %s", text, found)
		}
	}
}

func TestCodesAreNumberedBothWays(t *testing.T) {
	for _, key := range []string{"", "a", "b"} {
		c := newCodes(key)
		for i := 0; i < allCodes(); i += 9973 {
			if n, ok := c.number(c.code(i)); !ok || n != i {
				t.Fatalf("code %d is number %d, %v", i, n, ok)
			}
		}
	}
}

func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{" ORBIT-48213\nQ: What": "ORBIT-48213", "\n\n 857": "857", "": "", " \n": ""} {
		if got := FirstLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzGrade(f *testing.F) {
	f.Add("ORBIT-48213 <think> 857,1")
	s := NewSource("key", 200)
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range Kinds() {
			task := s.Task(5, kind)
			if task.Right(text) && !strings.Contains(text, task.Answer[len(task.Answer)-3:]) {
				t.Errorf("%q holds no %s", text, task.Answer)
			}
			if code := s.Foreign(task, text, 1000); code == task.Answer && code != "" {
				t.Errorf("%q: the answer itself is foreign", text)
			}
		}
	})
}
