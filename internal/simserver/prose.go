package simserver

import (
	"math/rand/v2"
	"strings"
)

// A token is one step of a reply: the id that the engine computes and the text
// that it adds.
type token struct {
	id   int32
	text string
}

// The forms of a word, in the order of their ids.
const (
	bare = iota
	spaced
	bareTitle
	spacedTitle
)

// A wordClass is the words of one list, as a range of the tokenizer's words.
type wordClass struct{ first, count int }

// A lexicon is the vocabulary that the model speaks in.
type lexicon struct {
	words []string // the tokenizer's

	determiners, adjectives, nouns, verbs, adverbs, prepositions, conjunctions wordClass
}

func newLexicon(t *tokenizer) *lexicon {
	x := &lexicon{words: t.words}
	next := 0
	for _, list := range []struct {
		class *wordClass
		words string
	}{
		{&x.determiners, determiners},
		{&x.adjectives, adjectives},
		{&x.nouns, nouns},
		{&x.verbs, verbs},
		{&x.adverbs, adverbs},
		{&x.prepositions, prepositions},
		{&x.conjunctions, conjunctions},
	} {
		count := len(strings.Fields(list.words))
		*list.class = wordClass{first: next, count: count}
		next += count
	}
	return x
}

// prose is an endless text of plausible sentences, all of it decided by a seed.
// The chance that a stretch of eight words comes twice in 4,096 is below one in
// a million: each is one of more than 2^40.
type prose struct {
	words *lexicon
	dice  *rand.Rand
}

func newProse(words *lexicon, seed uint64) prose {
	return prose{words: words, dice: rand.New(rand.NewPCG(seed, mix(seed)))}
}

// sentence appends one sentence of 5 to 27 tokens. After other tokens it begins
// with a space.
func (p prose) sentence(to []token) []token {
	start := len(to)
	to = p.clause(to)
	if p.chance(3) {
		to = append(to, punctuation(","))
		to = p.word(to, p.words.conjunctions)
		to = p.clause(to)
	}
	form := spacedTitle
	if start == 0 {
		form = bareTitle
	}
	to[start] = p.inForm(to[start], form)
	return append(to, punctuation("."))
}

func (p prose) clause(to []token) []token {
	to = p.thing(to)
	if p.chance(4) {
		to = p.word(to, p.words.adverbs)
	}
	to = p.word(to, p.words.verbs)
	to = p.thing(to)
	if p.chance(2) {
		to = p.word(to, p.words.prepositions)
		to = p.thing(to)
	}
	return to
}

func (p prose) thing(to []token) []token {
	to = p.word(to, p.words.determiners)
	if p.chance(2) {
		to = p.word(to, p.words.adjectives)
	}
	return p.word(to, p.words.nouns)
}

// chance is true once in n times.
func (p prose) chance(n int) bool { return p.dice.IntN(n) == 0 }

func (p prose) word(to []token, class wordClass) []token {
	index := 4*(class.first+p.dice.IntN(class.count)) + spaced
	return append(to, token{id: firstWord + int32(index), text: p.words.words[index]})
}

// inForm is the same word in another form.
func (p prose) inForm(t token, form int) token {
	index := int(t.id-firstWord)/4*4 + form
	return token{id: firstWord + int32(index), text: p.words.words[index]}
}

// punctuation is the token of a single ASCII character.
func punctuation(mark string) token {
	return token{id: firstByte + int32(mark[0]), text: mark}
}
