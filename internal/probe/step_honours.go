package probe

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"scenario/internal/chat"
)

const (
	longAnswer  = "Count from one to thirty in words."
	shortAnswer = "Reply with the single word OK."
	// room is the limit of tokens in which a short answer ends by itself.
	room = 32
)

func maxTokens(ctx context.Context, s *session) Finding { return s.limited(ctx, "max_tokens") }

func maxCompletionTokens(ctx context.Context, s *session) Finding {
	return s.limited(ctx, "max_completion_tokens")
}

// limited asks for a long answer, in few tokens.
func (s *session) limited(ctx context.Context, field string) Finding {
	const few = 4
	q := question{api: chat.Chat, prompt: says(longAnswer), limit: few, limitField: field}
	if s.question == nil {
		q.api, q.prompt = chat.Completions, text(longAnswer)
	}
	r := s.send(ctx, q)
	switch n := r.Usage.OutputTokens; {
	case n > few:
		return Finding{No, fmt.Sprintf("%d tokens came, the limit was %d", n, few)}
	case len(r.Events) > 4*few: // of a reply that was given up, too
		return Finding{No, fmt.Sprintf("%d events came, the limit was %d tokens", len(r.Events), few)}
	case r.Failure != chat.NoFailure:
		return failed(r)
	case r.FinishReason != "length":
		return Finding{Unknown, fmt.Sprintf("finish reason %q", r.FinishReason)}
	}
	return Finding{Yes, ""}
}

// thinkingOff asks a model of one of the usual templates not to think.
var thinkingOff = chat.Field{Name: "chat_template_kwargs", Value: []chat.Field{{Name: "enable_thinking", Value: false}}}

// brief finds an answer that ends by itself: within a few tokens, else with the
// model's thinking switched off, else with more room. Nil: none came.
func (s *session) brief(ctx context.Context) *shortReply {
	if s.short != nil {
		return s.short
	}
	for _, try := range []struct {
		extra []chat.Field
		limit int
	}{{nil, room}, {[]chat.Field{thinkingOff}, room}, {nil, 8 * room}} {
		r := s.send(ctx, s.briefly(try.limit, try.extra))
		if r.Failure == chat.NoFailure {
			s.short = &shortReply{extra: try.extra, tokens: r.Usage.OutputTokens, ended: r.FinishReason == "stop"}
		}
		if s.short != nil && s.short.ended {
			break
		}
	}
	return s.short
}

func (s *session) briefly(limit int, extra []chat.Field) question {
	q := question{api: chat.Chat, prompt: says(shortAnswer), limit: limit, extra: extra}
	if s.question == nil {
		q.api, q.prompt = chat.Completions, text(shortAnswer)
	}
	return q
}

// more is by how many tokens a reply is made longer.
const more = 16

func ignoreEOS(ctx context.Context, s *session) Finding {
	return s.forced(ctx, func(int) chat.Field { return chat.Field{Name: "ignore_eos", Value: true} })
}

func minTokens(ctx context.Context, s *session) Finding {
	return s.forced(ctx, func(limit int) chat.Field { return chat.Field{Name: "min_tokens", Value: limit} })
}

// forced asks for a reply that would end by itself, with a field that is to make
// it as long as the limit.
func (s *session) forced(ctx context.Context, field func(limit int) chat.Field) Finding {
	before := s.brief(ctx)
	switch {
	case before == nil:
		return Finding{Unknown, "no short reply came to compare with"}
	case before.tokens < 0:
		return Finding{Unknown, "usage does not say how many tokens came"}
	case !before.ended:
		return Finding{Unknown, fmt.Sprintf("no reply ended by itself within %d tokens", 8*room)}
	}
	limit := before.tokens + more
	q := s.briefly(limit, append(before.extra[:len(before.extra):len(before.extra)], field(limit)))
	r := s.send(ctx, q)
	n := r.Usage.OutputTokens
	switch {
	case r.Failure != chat.NoFailure:
		return failed(r)
	case n < limit:
		return Finding{No, fmt.Sprintf("accepted and ignored: the reply ended after %d of %d tokens", n, limit)}
	}
	return Finding{Yes, fmt.Sprintf("%d tokens, without it %d", n, before.tokens)}
}

func temperature(ctx context.Context, s *session) Finding {
	if s.noTemperature != "" {
		return Finding{No, "refused: " + s.noTemperature}
	}
	return s.twice(ctx, question{limit: 12})
}

func seed(ctx context.Context, s *session) Finding {
	return s.twice(ctx, question{limit: 12, hot: true, extra: []chat.Field{{Name: "seed", Value: 7}}})
}

// twice sends one request twice and compares the texts.
func (s *session) twice(ctx context.Context, q question) Finding {
	q.api, q.prompt = chat.Chat, says("Write a sentence about the sea.")
	if s.question == nil {
		q.api, q.prompt = chat.Completions, text("The sea at night is")
	}
	var texts [2]string
	for i := range texts {
		r := s.send(ctx, q)
		if r.Failure != chat.NoFailure {
			return failed(r)
		}
		texts[i] = r.Reasoning + "\x00" + r.Content
	}
	if texts[0] != texts[1] {
		return Finding{No, "accepted, but two replies differ"}
	}
	return Finding{Yes, ""}
}

// leastLong is the length of the longer prompt, in tokens; a server that reuses
// its cache in large blocks gets one of several blocks.
const leastLong = 400

// longQuestion is a prompt of several hundred tokens: of ids where they are taken,
// else of words, each of which is one token at least. n is how many.
func (s *session) longQuestion() (q question, n int) {
	n = min(max(leastLong, 3*s.facts.KVBlockTokens+1), 2000)
	if context := s.facts.ContextTokens; context > 0 {
		n = min(n, context/2)
	}
	return s.ofLength(n), n
}

// ofLength is a prompt of n tokens; of n words, where ids are not taken.
func (s *session) ofLength(n int) question {
	q := question{limit: 1}
	words := strings.Repeat("sea ", n)
	switch {
	case s.report.Findings["token-ids"].Answer == Yes:
		q.api, q.prompt = chat.Completions, ids(s.idPrompt(n))
	case s.question != nil:
		q.api, q.prompt = chat.Chat, says(words)
	default:
		q.api, q.prompt = chat.Completions, text(words)
	}
	return q
}

func exactLength(ctx context.Context, s *session) Finding {
	q, n := s.longQuestion()
	r := s.send(ctx, q)
	if r.Failure != chat.NoFailure {
		return failed(r)
	}
	s.long = r
	counted, exact := r.Usage.PromptTokens, s.report.Findings["token-ids"].Answer == Yes
	switch {
	case counted < 0:
		return Finding{Unknown, "usage does not say how many tokens it has"}
	case counted < n:
		return Finding{No, fmt.Sprintf("cut: of %d tokens it took %d", n, counted)}
	case exact && counted != n:
		return Finding{No, fmt.Sprintf("%d ids count as %d prompt tokens", n, counted)}
	case !exact:
		return Finding{Yes, fmt.Sprintf("%d words count as %d tokens", n, counted)}
	}
	return Finding{Yes, fmt.Sprintf("%d ids count as %d prompt tokens", n, counted)}
}

const (
	// longestContext is the largest context that is exceeded on purpose.
	longestContext = 300_000
	// guessed is the prompt, in tokens, for a target that does not say its context.
	guessed = 16_000
	beyond  = 64
)

// overLimit sends a prompt that does not fit.
func overLimit(ctx context.Context, s *session) Finding {
	context := s.facts.ContextTokens
	n := context + beyond
	switch {
	case context > longestContext:
		return Finding{Unknown, fmt.Sprintf("not tried: the context of %d tokens is too long for a small request", context)}
	case context == 0:
		n = guessed
	}
	r := s.send(ctx, s.ofLength(n))
	counted := r.Usage.PromptTokens
	switch {
	case r.Failure == chat.HTTPError && (r.Status == http.StatusBadRequest || r.Status == http.StatusRequestEntityTooLarge || r.Status == http.StatusUnprocessableEntity):
		return Finding{Yes, shorten(r.Error)}
	case r.Failure != chat.NoFailure:
		return Finding{Unknown, r.Failure.String() + ": " + shorten(r.Error)}
	case counted >= 0 && counted < n:
		return Finding{No, fmt.Sprintf("truncates silently: of %d tokens it took %d", n, counted)}
	case context == 0:
		return Finding{Unknown, fmt.Sprintf("the target does not say its context; %d tokens are accepted", n)}
	}
	return Finding{No, fmt.Sprintf("accepted: %d tokens, the context is said to be %d", n, context)}
}
