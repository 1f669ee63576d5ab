package fixedtoken

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"scenario/internal/chat"
	"scenario/internal/engine"
	"scenario/internal/prose"
)

// texts are prompts of plain English, brought to a length that the target's
// tokenizer decides.
type texts struct {
	key    string // of the run and the phase
	api    chat.API
	tokens int
	fit    *prose.Fit // nil until it has been fitted
}

// What stands before and after the text of every prompt.
const (
	beforeText = "Story:"
	afterText  = "\n\nContinue the story in the same style."
)

// tolerance is how many tokens a text may miss its length by: 1 %.
func (t *texts) tolerance() int { return max(2, t.tokens/100) }

func (t *texts) prompt(at engine.Place) prompt {
	digest := seed(t.key, at.Prompt())
	n := t.tokens
	if at.Purpose == engine.Probe {
		n = min(n, t.fit.Overhead+probePrompt)
	}
	text := beforeText + t.fit.Text([16]byte(digest[:16]), n-t.fit.Overhead) + afterText
	p := prompt{fields: engine.TextPrompt(t.api, text), tokens: n, tolerance: t.tolerance(), hash: hashText(text)}
	p.head = p.hash
	return p
}

func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// textWorkload is a workload whose texts must be fitted first.
type textWorkload struct {
	*workload
	texts *texts
}

// Fit implements engine.Fitter.
func (w *textWorkload) Fit(ctx context.Context, counter engine.Counter) (*engine.PromptFit, error) {
	whole := wholePrompt{w.texts.api, counter}
	fit, err := prose.Calibrate(ctx, whole)
	if err != nil {
		return nil, err
	}
	counted, err := fit.Check(ctx, whole, w.texts.tokens, w.texts.tolerance())
	if err != nil {
		return nil, err
	}
	w.texts.fit = fit
	return &engine.PromptFit{Tokens: w.texts.tokens, Tolerance: w.texts.tolerance(), Counted: counted, Around: fit.Overhead}, nil
}

// wholePrompt counts a text with all that stands around it.
type wholePrompt struct {
	api     chat.API
	counter engine.Counter
}

// Count implements prose.Counter.
func (w wholePrompt) Count(ctx context.Context, text string) (int, error) {
	return w.counter.Count(ctx, engine.TextPrompt(w.api, beforeText+text+afterText))
}
