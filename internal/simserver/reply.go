package simserver

import (
	"bytes"
	"strings"
)

// A reply is what the engine will say, token by token, decided before it starts.
type reply struct {
	tokens []token
	finish string // "stop" or "length"
	stop   string // the stop string that ended it; empty: none
}

// A model decides what there is to say to a request: the tokens up to where it
// would stop of itself. It does not look at any of the limits.
type model struct {
	words     *lexicon
	tokenizer *tokenizer
}

// say is the answer to a question that it can solve, and prose to all else.
func (m model) say(r *request) []token {
	if answer, ok := solve(r.texts); ok {
		return m.tokenizer.speak(answer)
	}
	return m.prose(r)
}

// prose is a reply of 40 to 119 tokens that ends with a full stop.
func (m model) prose(r *request) []token {
	text := newProse(m.words, r.seed)
	var tokens []token
	for least := 40 + text.dice.IntN(54); len(tokens) < least; {
		tokens = text.sentence(tokens)
	}
	return tokens
}

// plan is the model's reply within the request's limits. One that has to be
// longer than the model's own goes on in prose.
func (s *Server) plan(r *request) reply {
	tokens := s.model.say(r)
	least := r.minTokens
	if r.ignoreEOS {
		least = r.maxTokens
	}
	for text := newProse(s.lexicon, mix(r.seed)); len(tokens) < least; {
		tokens = text.sentence(tokens)
	}
	planned := reply{tokens: tokens, finish: "stop"}
	if len(tokens) >= r.maxTokens {
		planned = reply{tokens: tokens[:r.maxTokens], finish: "length"}
	}
	if s.cfg.faults.reply != nil {
		s.cfg.faults.reply(planned.tokens)
	}
	planned.cutAt(r.stop, r.minTokens)
	return planned
}

// cutAt ends the reply before the first stop string that is complete after the
// first least tokens. The token that completes it still counts.
func (p *reply) cutAt(stops []string, least int) {
	if len(stops) == 0 {
		return
	}
	var text []byte
	for i, t := range p.tokens {
		before := len(text)
		text = append(text, t.text...)
		if i < least {
			continue
		}
		cut := len(text)
		for _, stop := range stops {
			from := max(0, before-len(stop)+1)
			if at := bytes.Index(text[from:], []byte(stop)); at >= 0 && (p.stop == "" || from+at < cut) {
				cut, p.stop = from+at, stop
			}
		}
		if p.stop != "" {
			p.finish, p.tokens = "stop", p.tokens[:i+1]
			trim(p.tokens, len(text)-cut)
			return
		}
	}
}

// trim takes the last n bytes of text from tokens.
func trim(tokens []token, n int) {
	for i := len(tokens) - 1; n > 0; i-- {
		keep := max(0, len(tokens[i].text)-n)
		n -= len(tokens[i].text) - keep
		tokens[i].text = tokens[i].text[:keep]
	}
}

// text is the whole reply.
func (p *reply) text() string {
	var b strings.Builder
	for _, t := range p.tokens {
		b.WriteString(t.text)
	}
	return b.String()
}
