package simserver

import (
	"bytes"
	"compress/flate"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProseLooksHealthyHoweverLong(t *testing.T) {
	lexicon := newLexicon(newTokenizer())
	starts := map[string]bool{}
	for seed := range uint64(50) {
		text, tokens := newProse(lexicon, seed), []token(nil)
		for len(tokens) < 4096 {
			tokens = text.sentence(tokens)
		}
		written := (&reply{tokens: tokens}).text()
		words := strings.Fields(written)
		seen := map[string]bool{}
		for i := range len(words) - 8 {
			stretch := strings.Join(words[i:i+8], " ")
			if seen[stretch] {
				t.Errorf("seed %d says %q twice", seed, stretch)
			}
			seen[stretch] = true
			if words[i] == words[i+1] {
				t.Errorf("seed %d says %q twice in a row", seed, words[i])
			}
		}
		if ratio := deflateRatio(t, written[:4000]); ratio > 3 {
			t.Errorf("seed %d compresses %.1f times", seed, ratio)
		}
		starts[strings.Join(words[:6], " ")] = true
	}
	if len(starts) != 50 {
		t.Errorf("50 seeds give %d beginnings", len(starts))
	}
}

func deflateRatio(t *testing.T, text string) float64 {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return float64(len(text)) / float64(packed.Len())
}

func TestProseIsReadBackAsTheTokensItWasSpokenIn(t *testing.T) {
	tokens := newTokenizer()
	text, said := newProse(newLexicon(tokens), 7), []token(nil)
	var want []int32
	for range 100 {
		said = text.sentence(said)
	}
	for _, word := range said {
		want = append(want, word.id)
	}
	if diff := cmp.Diff(want, tokens.encode(nil, (&reply{tokens: said}).text())); diff != "" {
		t.Error(diff)
	}
}

func TestReplyKeepsToItsLimits(t *testing.T) {
	s := New(Healthy())
	natural := map[int]bool{}
	for seed := range uint64(100) {
		free := s.plan(&request{seed: seed, maxTokens: 1000})
		n := len(free.tokens)
		if n < 40 || n > 119 || free.finish != "stop" || free.tokens[n-1].text != "." {
			t.Fatalf("a natural reply has %d tokens, finish %q and the end %q", n, free.finish, free.tokens[n-1].text)
		}
		natural[n] = true
		for _, c := range []struct {
			name    string
			request request
			least   int
			most    int
			finish  string
		}{
			{"forced", request{maxTokens: 500, ignoreEOS: true}, 500, 500, "length"},
			{"cut", request{maxTokens: 30}, 30, 30, "length"},
			{"cut at the natural end", request{maxTokens: n}, n, n, "length"},
			{"one token", request{maxTokens: 1}, 1, 1, "length"},
			{"at least", request{maxTokens: 1000, minTokens: 300}, 300, 326, "stop"},
			{"at least all", request{maxTokens: 300, minTokens: 300}, 300, 300, "length"},
			{"at least few", request{maxTokens: 1000, minTokens: 5}, n, n, "stop"},
		} {
			c.request.seed = seed
			got := s.plan(&c.request)
			if len(got.tokens) < c.least || len(got.tokens) > c.most || got.finish != c.finish {
				t.Errorf("%s: %d tokens and %q, want %d to %d and %q",
					c.name, len(got.tokens), got.finish, c.least, c.most, c.finish)
			}
			if both := min(n, len(got.tokens)); !cmp.Equal(got.tokens[:both], free.tokens[:both], cmp.AllowUnexported(token{})) {
				t.Errorf("%s: begins otherwise than the natural reply", c.name)
			}
		}
	}
	if len(natural) < 40 {
		t.Errorf("100 seeds give only %d lengths", len(natural))
	}
}

func TestStopStringEndsTheReplyBeforeIt(t *testing.T) {
	said := func() *reply {
		r := &reply{finish: "length"}
		for _, word := range []string{"One", " two", ",", " two", " three", "."} {
			r.tokens = append(r.tokens, token{text: word})
		}
		return r
	}
	for _, c := range []struct {
		name   string
		stops  []string
		least  int
		text   string
		tokens int
		stop   string
	}{
		{"none", nil, 0, "One two, two three.", 6, ""},
		{"not said", []string{"four"}, 0, "One two, two three.", 6, ""},
		{"a token", []string{" two"}, 0, "One", 2, " two"},
		{"inside a token", []string{"w"}, 0, "One t", 2, "w"},
		{"over tokens", []string{"wo, tw"}, 0, "One t", 4, "wo, tw"},
		{"at once", []string{"One"}, 0, "", 1, "One"},
		{"the end", []string{"."}, 0, "One two, two three", 6, "."},
		{"the first of several", []string{"three", ",", "One two,"}, 0, "", 3, "One two,"},
		{"not within the least", []string{" two"}, 2, "One two,", 4, " two"},
		{"not begun within the least and not complete", []string{"two,"}, 2, "One ", 3, "two,"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := said()
			got.cutAt(c.stops, c.least)
			finish := "stop"
			if c.stop == "" {
				finish = "length"
			}
			want := fmt.Sprint(c.text, "|", c.tokens, c.stop, finish)
			if have := fmt.Sprint(got.text(), "|", len(got.tokens), got.stop, got.finish); have != want {
				t.Errorf("got %q, want %q", have, want)
			}
		})
	}
}
