package fixedtoken

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"scenario/internal/chat"
	"scenario/internal/engine"
	"scenario/internal/metric"
)

// headIDs is how many leading ids two prompts must not share to be cold.
const headIDs = 64

// A probe asks in a few tokens whether ids and forced lengths are honoured.
const (
	probePrompt = 16
	probeOutput = 8
)

// session is one request, and what its reply is held to.
type session struct {
	request *chat.Request
	asked   metric.Asked
	regime  metric.Regime
}

// Session implements engine.Workload.
func (w *workload) Session(at engine.Place, compose *engine.Composer) (engine.Session, error) {
	prompt, output := int(w.Prompt.Tokens), int(w.OutputTokens)
	if at.MaxOutput > 0 {
		output = min(output, at.MaxOutput)
	}
	if at.Purpose == engine.Probe {
		prompt, output = min(prompt, probePrompt), min(output, probeOutput)
	}
	ids := w.ids.ids(at.Prompt(), prompt)
	var extra []chat.Field
	if w.MinTokens {
		extra = append(extra, chat.Field{Name: "min_tokens", Value: output})
	}
	if w.forced {
		extra = append(extra, chat.Field{Name: "ignore_eos", Value: true})
	}
	request, err := compose.Request(at.Endpoint, []chat.Field{{Name: "prompt", Value: ids}}, output, extra...)
	if err != nil {
		return nil, err
	}
	s := &session{request: request, regime: metric.Natural}
	s.asked = metric.Asked{
		PromptTokens: prompt, OutputTokens: output, Forced: w.forced,
		PromptHash: hash(ids), HeadHash: hash(ids[:min(len(ids), headIDs)]),
	}
	switch {
	case w.Prompt.IDs == "constant":
		s.regime = metric.Echoing
	case w.forced:
		s.regime = metric.Forced
	}
	return s, nil
}

// Run implements engine.Session.
func (s *session) Run(ctx context.Context, x engine.Exchange) {
	r, ok := x.Send(ctx, s.request)
	if !ok {
		return
	}
	r.Asked = s.asked
	s.judge(r)
	x.Record(r)
}

// judge holds a whole reply to the lengths that were asked for and looks at its
// text. An unknown count is not a mismatch: what is unknown is for the guards.
func (s *session) judge(r *metric.Request) {
	if r.Failed() {
		return
	}
	r.DegenerateKind = metric.Degenerate(r.Text(), s.regime)
	r.Degenerate = r.DegenerateKind != ""
	if !r.OK {
		return
	}
	prompt, promptKnown := r.PromptTokens.Number()
	output, outputKnown := r.OutputTokens.Number()
	var fault string
	switch {
	case promptKnown && prompt != float64(s.asked.PromptTokens):
		fault = fmt.Sprintf("prompt tokens: want %d, got %.0f", s.asked.PromptTokens, prompt)
	case outputKnown && s.asked.Forced && output != float64(s.asked.OutputTokens):
		fault = fmt.Sprintf("output tokens: want %d, got %.0f (finish reason %s)", s.asked.OutputTokens, output, r.FinishReason)
	case outputKnown && output > float64(s.asked.OutputTokens):
		fault = fmt.Sprintf("output tokens: at most %d, got %.0f", s.asked.OutputTokens, output)
	default:
		return
	}
	r.OK, r.Outcome, r.Error = false, metric.OutcomeLengthMismatch, fault
}

// hash is of the ids' values, for telling prompts apart.
func hash(ids []int) string {
	h := sha256.New()
	var b [8]byte
	for _, id := range ids {
		binary.LittleEndian.PutUint64(b[:], uint64(id))
		h.Write(b[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
