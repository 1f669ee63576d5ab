package metric

import (
	"fmt"
	"strings"
	"testing"
)

// prose is n words without a pattern.
func prose(n int) string {
	words := strings.Fields("the server keeps a queue of prompts and answers each of them when a slot is free so long ones wait behind short ones unless it can split them")
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d ", words[(i*i+3*i)%len(words)], i%7)
	}
	return b.String()
}

func doubled(text string) string {
	var b strings.Builder
	for _, w := range strings.Fields(text) {
		b.WriteString(w + " " + w + " ")
	}
	return b.String()
}

func everySecondDoubled(text string) string {
	var b strings.Builder
	for i, w := range strings.Fields(text) {
		b.WriteString(w + " ")
		if i%2 == 1 {
			b.WriteString(w + " ")
		}
	}
	return b.String()
}

func TestDegenerate(t *testing.T) {
	loop := strings.Repeat("the key is silver and the user wants help again ", 20)
	one := strings.Repeat("Theme: ", 150)
	for name, c := range map[string]struct {
		text                    string
		natural, forced, echoed string
	}{
		"a wall":                        {strings.Repeat("!", 256), DegenerateWall, DegenerateWall, DegenerateWall},
		"a wall of another script":      {strings.Repeat("的", 64), DegenerateWall, DegenerateWall, DegenerateWall},
		"a wall in lines":               {strings.Repeat("! \n", 64), DegenerateWall, DegenerateWall, DegenerateWall},
		"a wall after good words":       {prose(30) + strings.Repeat("0", 210), DegenerateWall, DegenerateWall, DegenerateWall},
		"a wall over most of it":        {"Good. " + strings.Repeat("!", 60), DegenerateWall, DegenerateWall, DegenerateWall},
		"a wall over half of it":        {prose(10) + strings.Repeat("!", 70), DegenerateWall, DegenerateWall, DegenerateWall},
		"every word twice":              {doubled(prose(80)), DegenerateDoubled, DegenerateDoubled, ""},
		"every second word twice":       {everySecondDoubled(prose(100)), DegenerateDoubled, DegenerateDoubled, ""},
		"broken characters":             {strings.Repeat("ab\uFFFD", 40), DegenerateBroken, "", ""},
		"a loop":                        {loop, DegenerateLoop, "", ""},
		"a loop of one word":            {one, DegenerateLoop, "", ""},
		"prose":                         {prose(400), "", "", ""},
		"one character":                 {"7", "", "", ""},
		"marks within reason":           {"Stop!!! Now.", "", "", ""},
		"a rule inside prose":           {prose(40) + strings.Repeat("-", 40) + prose(40), "", "", ""},
		"a wall of a short output":      {strings.Repeat("!", 16), DegenerateWall, DegenerateWall, DegenerateWall},
		"a wall behind six words":       {"That canal keeps our prairie. " + strings.Repeat("!", 58), DegenerateWall, DegenerateWall, DegenerateWall},
		"nothing":                       {"", "", "", ""},
		"white space alone":             {strings.Repeat(" \n", 200), "", "", ""},
		"a short answer said twice":     {"yes yes", "", "", ""},
		"numbers in a table":            {strings.Repeat("10 20 30\n", 3), "", "", ""},
		"a short wall, too short":       {strings.Repeat("!", 11), "", "", ""},
		"words doubled, too few to say": {doubled(prose(20)), "", "", ""},
	} {
		for regime, want := range map[Regime]string{Natural: c.natural, Forced: c.forced, Echoing: c.echoed} {
			if got := Degenerate(c.text, regime); got != want {
				t.Errorf("%s, regime %d: %q, want %q", name, regime, got, want)
			}
		}
	}
}

func FuzzDegenerate(f *testing.F) {
	f.Add("a\xff!!!")
	f.Fuzz(func(t *testing.T, text string) {
		forced := Degenerate(text, Forced)
		if natural := Degenerate(text, Natural); forced != "" && natural != forced {
			t.Errorf("forced text is %q, the same natural text %q", forced, natural)
		}
	})
}
