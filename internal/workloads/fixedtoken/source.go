package fixedtoken

import (
	"scenario/internal/chat"
	"scenario/internal/engine"
)

// source makes the prompts of a phase.
type source interface {
	prompt(at engine.Place) prompt
}

// prompt is what one request sends, and what its reply is held to.
type prompt struct {
	fields    []chat.Field
	tokens    int // planned length; 0: not known
	tolerance int // how many of them may be missed
	hash      string
	head      string  // hash of what prompts must not share to be cold
	answer    *answer // nil: any will do
	limit     int     // of output tokens; 0: the workload's
}

// A probe asks in a few tokens whether ids and forced lengths are honoured.
const (
	probePrompt = 16
	probeOutput = 8
)

// headIDs is how many leading ids two prompts must not share to be cold.
const headIDs = 64

// idPrompts are prompts of token ids, of exactly so many tokens.
type idPrompts struct {
	ids    generator
	tokens int
}

func (p idPrompts) prompt(at engine.Place) prompt {
	n := p.tokens
	if at.Purpose == engine.Probe {
		n = min(n, probePrompt)
	}
	ids := p.ids.ids(at.Prompt(), n)
	return prompt{
		fields: []chat.Field{{Name: "prompt", Value: ids}},
		tokens: n,
		hash:   hash(ids), head: hash(ids[:min(len(ids), headIDs)]),
	}
}
