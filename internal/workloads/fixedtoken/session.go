package fixedtoken

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"scenario/internal/chat"
	"scenario/internal/engine"
	"scenario/internal/metric"
)

// session is one request, and what its reply is held to.
type session struct {
	request *chat.Request
	asked   metric.Asked
	regime  metric.Regime
	answer  *answer // that the reply must give; nil: any will do
}

// Session implements engine.Workload.
func (w *workload) Session(at engine.Place, compose *engine.Composer) (engine.Session, error) {
	p := w.source.prompt(at)
	output := int(w.OutputTokens)
	if p.limit > 0 {
		output = min(output, p.limit)
	}
	if at.MaxOutput > 0 {
		output = min(output, at.MaxOutput)
	}
	if at.Purpose == engine.Probe {
		output = min(output, probeOutput)
	}
	var extra []chat.Field
	if w.MinTokens {
		extra = append(extra, chat.Field{Name: "min_tokens", Value: output})
	}
	if w.forced {
		extra = append(extra, chat.Field{Name: "ignore_eos", Value: true})
	}
	request, err := compose.Request(at.Endpoint, p.fields, output, extra...)
	if err != nil {
		return nil, err
	}
	s := &session{request: request, regime: metric.Natural}
	s.asked = metric.Asked{
		PromptTokens: p.tokens, PromptTolerance: p.tolerance, OutputTokens: output, Forced: w.forced,
		PromptHash: p.hash, HeadHash: p.head,
	}
	if at.Purpose == engine.Measured {
		s.answer = p.answer
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
	case promptKnown && s.asked.PromptTokens > 0 && math.Abs(prompt-float64(s.asked.PromptTokens)) > float64(s.asked.PromptTolerance):
		fault = fmt.Sprintf("prompt tokens: want %d, got %.0f", s.asked.PromptTokens, prompt)
		if s.asked.PromptTolerance > 0 {
			fault = fmt.Sprintf("prompt tokens: want %d ± %d, got %.0f", s.asked.PromptTokens, s.asked.PromptTolerance, prompt)
		}
	case outputKnown && s.asked.Forced && output != float64(s.asked.OutputTokens):
		fault = fmt.Sprintf("output tokens: want %d, got %.0f (finish reason %s)", s.asked.OutputTokens, output, r.FinishReason)
	case outputKnown && output > float64(s.asked.OutputTokens):
		fault = fmt.Sprintf("output tokens: at most %d, got %.0f", s.asked.OutputTokens, output)
	default:
		s.judgeAnswer(r)
		return
	}
	r.OK, r.Outcome, r.Error = false, metric.OutcomeLengthMismatch, fault
}

// judgeAnswer compares the answer with what is expected.
func (s *session) judgeAnswer(r *metric.Request) {
	if s.answer == nil {
		return
	}
	wrong := s.answer.wrong(r.Content)
	r.AnswerRight = metric.Count(1)
	if wrong != "" {
		r.AnswerRight = metric.Count(0)
		r.OK, r.Outcome, r.Error = false, metric.OutcomeWrongAnswer, wrong
	}
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
