package engine

import (
	"fmt"

	"scenario/internal/metric"
)

// lengthGuards hold replies to the lengths that were asked for. Where a phase
// forces lengths and the server states none, the level is undecided.
func lengthGuards() []Guard {
	return []Guard{
		{
			ID:     "truncated-prompt",
			Doc:    "the server counted fewer prompt tokens than ids were sent, or less than 98 % of those of a text, and answered 200",
			Effect: Reject,
			check: func(e *evidence) finding {
				r, n := first(e.whole(), truncated)
				if n == 0 {
					return silent()
				}
				got, _ := r.PromptTokens.Number()
				return fires(fmt.Sprintf("%d of %d prompts were cut: the server saw %.0f of %d prompt tokens and answered 200", n, e.found.Issued, got, r.Asked.PromptTokens))
			},
		},
		{
			ID:     "early-stop",
			Doc:    "fewer output tokens than were forced, with finish reason stop: the server did not honour ignore_eos",
			Effect: Void,
			After:  []string{"truncated-prompt"},
			check: func(e *evidence) finding {
				r, n := first(e.whole(), stoppedEarly)
				if n == 0 {
					return noCounts(e)
				}
				got, _ := r.OutputTokens.Number()
				return fires(fmt.Sprintf("%d of %d replies stopped early: asked for %d output tokens, got %.0f with finish reason stop: ignore_eos was not honoured", n, e.found.Issued, r.Asked.OutputTokens, got))
			},
		},
		{
			ID:     "length-mismatch",
			Doc:    "a prompt or an output has another length than was asked for",
			Effect: Void,
			check: func(e *evidence) finding {
				r, n := first(e.whole(), func(r *metric.Request) bool {
					return mismatched(r) && !truncated(r) && !stoppedEarly(r)
				})
				if n == 0 {
					return noCounts(e)
				}
				return fires(fmt.Sprintf("%d of %d replies have other lengths than asked: %s", n, e.found.Issued, r.Error))
			},
		},
	}
}

// leastOfText is the share of a text's tokens below which it was cut, and not
// counted a little otherwise than before.
const leastOfText = 0.98

func truncated(r *metric.Request) bool {
	got, ok := r.PromptTokens.Number()
	least := float64(r.Asked.PromptTokens)
	if r.Asked.PromptTolerance > 0 {
		least = min(leastOfText*least, least-float64(r.Asked.PromptTolerance))
	}
	return ok && r.Asked.PromptTokens > 0 && got < least
}

func stoppedEarly(r *metric.Request) bool {
	got, ok := r.OutputTokens.Number()
	return ok && r.Asked.Forced && got < float64(r.Asked.OutputTokens) && r.FinishReason == "stop"
}

func mismatched(r *metric.Request) bool { return r.Outcome == metric.OutcomeLengthMismatch }

// noCounts is the finding of a level whose lengths are forced and whose replies
// state no counts: it cannot be decided.
func noCounts(e *evidence) finding {
	r, n := first(e.whole(), func(r *metric.Request) bool {
		_, prompt := r.PromptTokens.Number()
		_, output := r.OutputTokens.Number()
		return r.Asked.PromptTokens > 0 && !prompt || r.Asked.Forced && !output
	})
	if n == 0 {
		return silent()
	}
	if r.Asked.Forced {
		return undecidable(fmt.Sprintf("%d of %d replies state no usable usage: the lengths that the phase forces cannot be proven", n, e.found.Issued))
	}
	return unchecked(fmt.Sprintf("%d of %d replies state no usable usage", n, e.found.Issued))
}
