package prose

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"
)

// tokenizer counts as a target might: words of the list cost one token, others one
// for so many letters, and a prompt has tokens of its own.
type tokenizer struct {
	known  func(word string) bool
	letter int // letters of a token of an unknown word
	around int
	asked  int
	fails  int // the count that fails; 0: none
	noise  int // added to the count of every long text
}

func (t *tokenizer) Count(_ context.Context, text string) (int, error) {
	if t.asked++; t.asked == t.fails {
		return 0, errors.New("HTTP 503")
	}
	n := t.around
	for _, word := range strings.Fields(text) {
		word, ended := strings.CutSuffix(word, stop)
		if ended {
			n++
		}
		switch {
		case word == "":
		case t.known(word):
			n++
		default:
			n += (len(word) + t.letter - 1) / t.letter
		}
	}
	if len(text) > 1000 {
		n += t.noise
	}
	return n, nil
}

func every(string) bool { return true }

// short words are known, long ones are cut.
func short(word string) bool { return len(word) <= 5 }

func TestTextsHaveTheLengthThatIsAskedFor(t *testing.T) {
	for name, tokens := range map[string]*tokenizer{
		"one token a word":   {known: every, around: 1},
		"cut words":          {known: short, letter: 4, around: 37},
		"few words in one":   {known: func(w string) bool { return len(w) <= 3 }, letter: 3, around: 0},
		"nothing but itself": {known: every},
	} {
		t.Run(name, func(t *testing.T) {
			fit, err := Calibrate(t.Context(), tokens)
			if err != nil {
				t.Fatal(err)
			}
			if fit.Overhead != tokens.around {
				t.Errorf("overhead %d, want %d", fit.Overhead, tokens.around)
			}
			if tokens.asked > mostCounts {
				t.Errorf("%d counts", tokens.asked)
			}
			for _, n := range []int{1, 2, 13, 64, 100, 1000, 4096} {
				text := fit.Text([16]byte{byte(n)}, n)
				if got, _ := tokens.Count(t.Context(), text); got != n+tokens.around {
					t.Errorf("a text of %d tokens has %d: %.80q", n, got-tokens.around, text)
				}
			}
			if seen, err := fit.Check(t.Context(), tokens, 500, 0); err != nil || len(seen) != 2 || seen[0] != 500 {
				t.Errorf("check: %v, %v", seen, err)
			}
		})
	}
}

func TestTextsOfDifferentSeedsDifferFromTheStart(t *testing.T) {
	fit, err := Calibrate(t.Context(), &tokenizer{known: every})
	if err != nil {
		t.Fatal(err)
	}
	heads := map[string]int{}
	for seed := range 5000 {
		text := fit.Text([16]byte{byte(seed), byte(seed >> 8)}, 200)
		head := strings.Join(strings.Fields(text)[:openingWords], " ")
		if other, ok := heads[head]; ok {
			t.Fatalf("seeds %d and %d begin alike: %s", seed, other, head)
		}
		heads[head] = seed
	}
	if a, b := fit.Text([16]byte{7}, 300), fit.Text([16]byte{7}, 300); a != b {
		t.Error("the same seed gave two texts")
	}
	for _, r := range fit.Text([16]byte{9}, 300) {
		if !unicode.IsLower(r) && r != ' ' && r != '.' {
			t.Errorf("%q is in the text", r)
		}
	}
}

func TestCheckCorrectsWhatTheTemplateAdds(t *testing.T) {
	// Long prompts have three tokens more than short ones let expect.
	tokens := &tokenizer{known: every, around: 5, noise: 3}
	fit, err := Calibrate(t.Context(), tokens)
	if err != nil {
		t.Fatal(err)
	}
	if seen, err := fit.Check(t.Context(), tokens, 1000, 10); err != nil || seen[0] != 1000 || seen[1] != 1000 {
		t.Errorf("counts %v, %v", seen, err)
	}
}

func TestTokenizersThatCannotBeFitted(t *testing.T) {
	for name, c := range map[string]struct {
		counter Counter
		want    string
	}{
		"it fails":              {&tokenizer{known: every, fails: 9}, "HTTP 503"},
		"a token a letter":      {&tokenizer{known: func(string) bool { return false }, letter: 1}, `the word "the" does not cost one`},
		"most words cost much":  {&tokenizer{known: func(w string) bool { return w == filler || w == "and" }, letter: 1}, "common words cost at most"},
		"a count that is fixed": {fixed(7), `the word "the" does not cost one`},
	} {
		if _, err := Calibrate(t.Context(), c.counter); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	fit, err := Calibrate(t.Context(), &tokenizer{known: every, around: 50})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fit.Check(t.Context(), &tokenizer{known: every, around: 50}, 40, 1); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("a prompt that is all template: %v", err)
	}
	if _, err := fit.Check(t.Context(), fixed(90), 400, 4); err == nil || !strings.Contains(err.Error(), "should have 400 tokens has 90") {
		t.Errorf("a count that never fits: %v", err)
	}
}

// fixed is the count of whatever is asked.
type fixed int

func (n fixed) Count(context.Context, string) (int, error) { return int(n), nil }
