package probe

import (
	"context"
	"fmt"
	"strings"

	"scenario/internal/chat"
)

// stream is a streamed reply that was good: of the chat, else of a completion.
func (s *session) stream() *chat.Reply {
	if s.question != nil {
		return s.question
	}
	return s.completion
}

func usageInStream(_ context.Context, s *session) Finding {
	u := s.stream().Usage
	switch {
	case u.PromptTokens < 0 && u.OutputTokens < 0:
		return Finding{No, "stream_options.include_usage brings none"}
	case u.PromptTokens < 0 || u.OutputTokens < 0:
		return Finding{No, fmt.Sprintf("prompt tokens %s, output tokens %s", stated(u.PromptTokens), stated(u.OutputTokens))}
	}
	return Finding{Yes, ""}
}

func stated(n int) string {
	if n < 0 {
		return "not stated"
	}
	return fmt.Sprint(n)
}

func cachedTokens(ctx context.Context, s *session) Finding {
	if s.long == nil {
		return Finding{Unknown, "no longer prompt was answered"}
	}
	q, _ := s.longQuestion() // once more
	last := s.send(ctx, q)
	switch cached := last.Usage.CachedTokens; {
	case last.Failure != chat.NoFailure:
		return failed(last)
	case cached < 0:
		return Finding{No, "usage does not state them"}
	case cached == 0:
		return Finding{Yes, "stated, and 0: a repeated prompt is not reused"}
	default:
		return Finding{Yes, fmt.Sprintf("%d of %d when repeated", cached, last.Usage.PromptTokens)}
	}
}

func reasoning(_ context.Context, s *session) Finding {
	r := s.question
	switch {
	case r == nil:
		return Finding{Unknown, "no chat"}
	case r.ReasoningField != "":
		return Finding{Yes, r.ReasoningField}
	case strings.Contains(r.Content, "think>"):
		return Finding{No, "the reasoning leaks into content: the server has no parser for it"}
	}
	return Finding{Unknown, "content alone: the model did not think, or it is hidden"}
}

// tokensPerEvent looks at the longer of the streams.
func tokensPerEvent(_ context.Context, s *session) Finding {
	r := s.stream()
	if c := s.completion; c != nil && c.Usage.OutputTokens > r.Usage.OutputTokens {
		r = c
	}
	n := r.Usage.OutputTokens
	switch {
	case n <= 0 || len(r.Events) == 0:
		return Finding{Unknown, "usage does not say how many tokens came"}
	case n < 4:
		return Finding{Unknown, fmt.Sprintf("no stream was longer than %d tokens", n)}
	}
	ratio := float64(n) / float64(len(r.Events))
	detail := fmt.Sprintf("%.2g: %d tokens in %d events", ratio, n, len(r.Events))
	// Markup, an end of turn and the first pieces of a parsed text have no event.
	if n-len(r.Events) > 2+n/4 {
		return Finding{No, detail}
	}
	return Finding{Yes, detail}
}

func counters(_ context.Context, s *session) Finding {
	if s.facts.Metrics == "" {
		return Finding{No, "no metrics page with names that are known here"}
	}
	return Finding{Yes, fmt.Sprintf("%s: %d names", s.facts.Metrics, len(s.report.Metrics))}
}
