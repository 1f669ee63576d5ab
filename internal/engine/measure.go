package engine

import (
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
)

// lostTextTokens is the least output for which too little text is a sign that
// the stream does not carry what usage counts, and lostTextShare the characters
// that a token must have brought on average.
const (
	lostTextTokens = 32
	lostTextShare  = 0.5
	// noTextTokens is the least output for which no text at all is such a sign in a
	// single reply.
	noTextTokens = 8
)

// bufferedWithin is how near to the last event an event counts as come at once.
const bufferedWithin = 5 * time.Millisecond

// measure turns a reply into a measured request: what the client saw, without
// any judgement of a kind. The stamps of the reply and of moments are of one clock.
func measure(reply *chat.Reply, moments metric.Stamps) *metric.Request {
	r := &metric.Request{
		Outcome:           outcome(reply.Failure),
		OK:                reply.Failure == chat.NoFailure,
		Error:             reply.Error,
		Code:              reply.Code,
		Attempts:          reply.Attempts,
		Reconnects:        reply.Reconnects,
		FinishReason:      finishReason(reply.FinishReason),
		PromptTokens:      metric.Count(reply.Usage.PromptTokens),
		OutputTokens:      metric.Count(reply.Usage.OutputTokens),
		CachedTokens:      metric.Count(reply.Usage.CachedTokens),
		ReasoningTokens:   metric.Count(reply.Usage.ReasoningTokens),
		Events:            len(reply.Events),
		Content:           reply.Content,
		Reasoning:         reply.Reasoning,
		ReasoningField:    reply.ReasoningField,
		Model:             reply.Model,
		SystemFingerprint: reply.SystemFingerprint,
		Notes:             reply.Notes,
		ClientFault:       reply.Failure == chat.ClientError,
		KernelReads:       reply.KernelReads,
		OtherReads:        reply.OtherReads,
		At:                moments,
	}
	if reply.Usage.PromptTokens >= 0 && reply.Usage.CachedTokens > reply.Usage.PromptTokens {
		r.CachedTokens, r.CachedTooMany = metric.Number{}, true
		r.Notes = append(r.Notes, "usage counts more cached tokens than the prompt has: they are not believed")
	}
	if reply.Status != 0 {
		r.Status = metric.Count(reply.Status)
	}
	r.At.Written = int64(reply.Written)
	r.At.Closed = int64(reply.Closed)
	r.At.FirstSeen = int64(reply.FirstParsed)
	if reply.Written != 0 {
		r.StartLag = metric.Span(time.Duration(int64(reply.Written) - moments.Due))
	}
	events(r, reply)
	return r
}

// countRetries makes a measured request that needed several attempts a failed
// one: a retry lets the run go on, it does not make the request good.
func countRetries(r *metric.Request, reply *chat.Reply) {
	if reply.Attempts > 1 && r.OK {
		r.OK, r.Outcome, r.Error = false, outcome(reply.FirstFailure), reply.FirstError
	}
}

// events works out the latencies. A request that is not good has none.
func events(r *metric.Request, reply *chat.Reply) {
	if n := len(reply.Events); n > 0 {
		r.At.FirstToken, r.At.LastToken = int64(reply.Events[0].At), int64(reply.Events[n-1].At)
	}
	if reply.Written == 0 || reply.Failure != chat.NoFailure {
		return
	}
	lostText(reply, r)
	if len(reply.Events) == 0 {
		r.E2E = metric.Span(reply.Closed.Sub(reply.Written))
		return
	}
	first, last := reply.Events[0], reply.Events[len(reply.Events)-1]
	r.TTFT = metric.Span(first.At.Sub(reply.Written))
	r.E2E = metric.Span(last.At.Sub(reply.Written))
	for _, e := range reply.Events {
		if e.Kind&chat.ContentEvent != 0 {
			r.TTFC = metric.Span(e.At.Sub(reply.Written))
			break
		}
	}
	r.Gaps = make([]float64, 0, len(reply.Events)-1)
	longest := time.Duration(0)
	late := 0
	for i, e := range reply.Events {
		if last.At.Sub(e.At) <= bufferedWithin {
			late++
		}
		if i > 0 {
			gap := e.At.Sub(reply.Events[i-1].At)
			longest = max(longest, gap)
			r.Gaps = append(r.Gaps, float64(gap))
		}
	}
	if len(r.Gaps) > 0 {
		r.Stall = metric.Span(longest)
	}
	r.LateEvents = late
	r.TokensPerEvent = metric.Ratio(r.OutputTokens, metric.Count(len(reply.Events)))
	r.TPOT = tpot(reply, first, last, r.LostText)
}

// burstTokens is how many tokens after the first must come at once for their time
// to be the network's and not the server's.
const burstTokens = 8

// tpot is (last − first) / tokens after the first event: N − 1, or N less what
// the first event is known to carry. It is unknown when there are none, when one
// event carries everything or all of them came at once, and when the stream does
// not carry the tokens that usage counts.
func tpot(reply *chat.Reply, first, last chat.Event, lost bool) metric.Duration {
	after := reply.Usage.OutputTokens - 1
	if first.Tokens > 0 {
		after = reply.Usage.OutputTokens - int(first.Tokens)
	}
	hidden := reply.Usage.ReasoningTokens > 0 && reply.Reasoning == ""
	if after < 1 || len(reply.Events) < 2 || lost || hidden {
		return metric.Duration{}
	}
	passed := last.At.Sub(first.At)
	if passed == 0 || passed <= bufferedWithin && after >= burstTokens {
		return metric.Duration{}
	}
	return metric.Span(passed / time.Duration(after))
}

// lostText notes whether far less text arrived than the tokens that usage counts
// would make; tokens that the server hides are left out.
func lostText(reply *chat.Reply, r *metric.Request) {
	tokens := visible(r)
	characters := len([]rune(reply.Content)) + len([]rune(reply.Reasoning))
	for _, call := range reply.ToolCalls {
		characters += len([]rune(call.Name)) + len([]rune(call.Arguments))
	}
	r.NoText = tokens > 0 && characters == 0
	r.LostText = tokens >= lostTextTokens && float64(characters) < lostTextShare*tokens ||
		tokens >= noTextTokens && characters == 0
}

// visible is how many tokens the stream should carry by usage: those that the
// server counts as thinking and hides are left out. Unknown counts are zero.
func visible(r *metric.Request) float64 {
	tokens, _ := r.OutputTokens.Number()
	if hidden, _ := r.ReasoningTokens.Number(); r.Reasoning == "" {
		tokens -= hidden
	}
	return tokens
}

// outcome is the name of a transport failure.
func outcome(f chat.Failure) string {
	switch f {
	case chat.NoFailure:
		return metric.OutcomeOK
	case chat.HTTPError:
		return metric.OutcomeHTTPError
	case chat.ConnectError, chat.ClientError:
		return metric.OutcomeConnectError
	case chat.Timeout:
		return metric.OutcomeTimeout
	}
	return metric.OutcomeStreamBroken
}

// finishReason is the server's reason within the closed set that checks know.
func finishReason(sent string) string {
	switch sent {
	case "":
		return "none"
	case "stop", "length", "tool_calls", "function_call", "content_filter", "abort", "error":
		return sent
	}
	return "other"
}
