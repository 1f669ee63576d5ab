// Package prose writes plain English text of an exact number of tokens for a
// tokenizer that it can only ask for counts. In goes a Counter, which counts the
// tokens of a prompt as the target does; out comes a Fit, whose Text has the wanted
// length for every seed, so that no prompt must be counted again before it is sent.
//
// The text is seeded sentences of common words. It means nothing, but its words
// are drawn as a language's are: frequent ones, in an order that a model has seen.
package prose

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
)

// opening is how every text begins where nothing else makes texts differ: so many
// words of a class, of which a text has its own.
const openingWords = 12

// Fit is what is known of a tokenizer: the tokens that each word costs, and those
// that every prompt has beside its text.
type Fit struct {
	Overhead int // tokens of a prompt without text: template, instruction, marks

	words [classes][]string
	costs map[string]int
}

// Text is a text of n tokens, or of none if n is not positive. Texts of different
// seeds differ from their first words on.
func (f *Fit) Text(seed [16]byte, n int) string {
	source := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(seed[:8]), binary.LittleEndian.Uint64(seed[8:])))
	w := writer{fit: f, left: n}
	for range openingWords {
		w.word(pick(source, f.words[noun]))
	}
	w.stop()
	for w.left > 0 {
		for _, s := range shapes[source.IntN(len(shapes))] {
			switch {
			case s.fixed == ".":
				w.stop()
			case s.fixed != "":
				w.word(s.fixed)
			default:
				w.word(pick(source, f.words[s.class]))
			}
		}
	}
	return w.b.String()
}

func pick(source *rand.Rand, words []string) string { return words[source.IntN(len(words))] }

// writer writes words while there are tokens left for them.
type writer struct {
	fit  *Fit
	b    strings.Builder
	left int
}

// word writes a word; one that costs more than what is left becomes the filler,
// which costs one.
func (w *writer) word(s string) {
	cost := w.fit.costs[s]
	if cost > w.left {
		s, cost = filler, 1
	}
	if w.left < cost {
		return
	}
	w.b.WriteString(" " + s)
	w.left -= cost
}

// stop ends a sentence.
func (w *writer) stop() {
	if w.left >= w.fit.costs[stop] {
		w.b.WriteString(stop)
		w.left -= w.fit.costs[stop]
	}
}
