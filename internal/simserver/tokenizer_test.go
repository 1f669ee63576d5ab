package simserver

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokenizerSplitsTextIntoWordsAndPieces(t *testing.T) {
	tokens := newTokenizer()
	for text, want := range map[string][]string{
		"":                            nil,
		"The north depot":             {"The", " north", " depot"},
		"the lantern, the Lantern":    {"the", " lantern", ",", " the", " Lantern"},
		" x X xy Xy XY":               {" x", " X", " xy", " Xy", " X", "Y"},
		"ORCHID-7391":                 {"OR", "CH", "ID", "-", "739", "1"},
		"Record 00417: 42":            {"Record", " ", "004", "17", ":", " ", "42"},
		"two  words":                  {"two", " ", " word", "s"},
		strings.Repeat(" ", 31) + ".": {strings.Repeat(" ", 16), strings.Repeat(" ", 8), "    ", "  ", " ", "."},
		"a\n\nb\n":                    {"a", "\n\n", "b", "\n"},
		"zqxelCaseABc":                {"zqx", "el", "Ca", "se", "AB", "c"},
		"é":                           {"\xc3", "\xa9"},
	} {
		var pieces []string
		for _, id := range tokens.encode(nil, text) {
			pieces = append(pieces, tokens.decode([]int32{id}))
		}
		if diff := cmp.Diff(want, pieces); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestEveryIDDecodesToItsOwnPiece(t *testing.T) {
	tokens := newTokenizer()
	pieces, words := map[string]int32{}, map[string]int32{} // a word may also be a piece of letters
	for id := firstByte; int(id) < tokens.size(); id++ {
		piece, seen := tokens.decode([]int32{id}), pieces
		if id >= firstWord {
			seen = words
		}
		if other, ok := seen[piece]; ok {
			t.Errorf("%q is both %d and %d", piece, other, id)
		}
		seen[piece] = id
		if piece == "" {
			t.Errorf("%d stands for nothing", id)
		}
	}
	if tokens.size() > Healthy().Vocabulary {
		t.Errorf("%d ids do not fit a vocabulary of %d", tokens.size(), Healthy().Vocabulary)
	}
	if text := tokens.decode([]int32{turnStart, roleUser, int32(tokens.size()), 31999}); text != "" {
		t.Errorf("ids without text decode to %q", text)
	}
}

func TestEnglishCostsAFewMoreTokensThanWords(t *testing.T) {
	const text = `The committee met on Tuesday to discuss the new schedule for the library. Most of the
members agreed that opening earlier in the morning would help students, but some of them were
worried about the cost. After an hour of debate they decided to try it for three months and then
look at the numbers again. The head librarian said she was pleased with the decision and thanked
everyone for coming.`
	words := strings.Fields(text)
	tokens := newTokenizer().encode(nil, strings.Join(words, " "))
	if ratio := float64(len(tokens)) / float64(len(words)); ratio < 1.2 || ratio > 1.5 {
		t.Errorf("%.2f tokens a word", ratio)
	}
}

func FuzzTokensGiveBackTheirText(f *testing.F) {
	for _, seed := range []string{"", "The lantern. 12 345 6789", "a  B\n\n\n\tcD éß🙂", "\xff\x00", "<|im_start|>"} {
		f.Add(seed)
	}
	tokens := newTokenizer()
	f.Fuzz(func(t *testing.T, text string) {
		ids := tokens.encode(nil, text)
		if back := tokens.decode(ids); back != text {
			t.Errorf("%q came back as %q", text, back)
		}
		for _, id := range ids {
			if id < firstByte || int(id) >= tokens.size() {
				t.Errorf("%q has the id %d", text, id)
			}
		}
	})
}
