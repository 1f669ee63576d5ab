package metric

import "slices"

// Outcomes of a request. The first four after OK are transport failures: they
// count in the error ratio. A reply of the last came back whole, and wrong.
const (
	OutcomeOK             = "ok"
	OutcomeHTTPError      = "http_error"
	OutcomeConnectError   = "connect_error"
	OutcomeTimeout        = "timeout"
	OutcomeStreamBroken   = "stream_broken"
	OutcomeLengthMismatch = "length_mismatch"
	OutcomeWrongAnswer    = "wrong_answer"
)

// OutcomeCut is that of a request which this program cancelled at the end of a
// window. Such requests are in no list that checks read.
const OutcomeCut = "cut"

// Request is one measured request. Stamps are nanoseconds on the client's clock
// and mean something only beside each other; zero is "never".
type Request struct {
	Index    int    `json:"index" doc:"position in the order of sending within the level, from 0"`
	OK       bool   `json:"ok" doc:"the reply came whole and has the counts that were asked for"`
	Outcome  string `json:"outcome" doc:"what became of the request" enum:"ok|http_error|connect_error|timeout|stream_broken|length_mismatch|budget_exhausted|wrong_answer|contract_violation"`
	Error    string `json:"error,omitempty" doc:"what went wrong, in words; empty when nothing did"`
	Status   Number `json:"status" doc:"HTTP status; unknown when no answer came"`
	Endpoint int    `json:"endpoint" doc:"which of the target's base URLs, from 0"`
	Code     string `json:"code,omitempty" doc:"the error code or type that the server named"`
	Attempts int    `json:"attempts" doc:"how often it was sent; more than 1 only with retries"`

	FinishReason    string `json:"finish_reason" doc:"why the model stopped, as the server says; none when it does not say" enum:"stop|length|tool_calls|function_call|content_filter|abort|error|other|none"`
	PromptTokens    Number `json:"prompt_tokens" unit:"tokens" doc:"length of the prompt by the server's usage"`
	OutputTokens    Number `json:"output_tokens" unit:"tokens" doc:"length of the output by the server's usage (completion_tokens)"`
	ReasoningTokens Number `json:"reasoning_tokens" unit:"tokens" doc:"tokens of the output that were thinking, by the server's usage"`
	CachedTokens    Number `json:"cached_tokens" unit:"tokens" doc:"tokens of the prompt that came from the prefix cache, by the server's usage"`

	TTFT     Duration `json:"ttft" speed:"true" doc:"time to first token: from the request's write (in rate mode from its scheduled time) to the first token event of any kind"`
	TTFC     Duration `json:"ttfc" speed:"true" doc:"time to first content token: as ttft, to the first token of the answer itself (not thinking, not a tool call)"`
	E2E      Duration `json:"e2e" speed:"true" doc:"end-to-end latency: from the same start to the last token event; without streaming, to the last byte"`
	TPOT     Duration `json:"tpot" speed:"true" doc:"time per output token after the first event: (last - first token event) / the tokens after the first event"`
	Stall    Duration `json:"stall" speed:"true" doc:"the longest gap between two token events"`
	StartLag Duration `json:"start_lag" doc:"from the moment the request was due to its write: the client's own delay"`
	Events   int      `json:"events" doc:"number of token events"`

	Content    string `json:"content" doc:"the answer's text"`
	Reasoning  string `json:"reasoning,omitempty" doc:"the thinking's text, whichever field it came in"`
	Degenerate bool   `json:"degenerate" doc:"the text is degenerate: one character, doubled words, or broken characters (see the guard degenerate)"`

	DegenerateKind    string   `json:"degenerate_kind,omitempty"`
	Model             string   `json:"model,omitempty"`
	SystemFingerprint string   `json:"system_fingerprint,omitempty"`
	ReasoningField    string   `json:"reasoning_field,omitempty"`
	Reconnects        int      `json:"reconnects,omitempty"`
	Notes             []string `json:"notes,omitempty"`
	Asked             Asked    `json:"asked"`
	At                Stamps   `json:"at"`

	// LateEvents is the number of token events within 5 ms of the last one.
	LateEvents int `json:"-"`
	// LostText is set when usage counts far more tokens than text arrived.
	LostText bool `json:"lost_text,omitempty"`
	// NoText is set when usage counts visible tokens and no text arrived at all.
	NoText bool `json:"-"`
	// CachedTooMany is set when usage counts more cached tokens than the prompt has.
	CachedTooMany bool `json:"-"`
	// AnswerRight is 1 if the answer is the one that was expected and 0 if it is not;
	// unknown: none was expected.
	AnswerRight Number `json:"-"`
	// ClientFault is set when this machine failed the request: it is out of
	// descriptors, ports or memory.
	ClientFault bool `json:"client_fault,omitempty"`
	// Held is set when the request was due and could not be sent, because as many
	// were in flight as the scenario allows.
	Held bool `json:"held,omitempty"`
	// KernelReads and OtherReads are the reads of the response by who stamped them.
	KernelReads int `json:"kernel_reads,omitempty"`
	OtherReads  int `json:"other_reads,omitempty"`
	// Gaps are the times between token events, in nanoseconds.
	Gaps []float64 `json:"-"`
	// TokensPerEvent is how many output tokens a token event carried.
	TokensPerEvent Number `json:"-"`
}

// Asked is what a request asked for, as far as the reply can be held to it.
type Asked struct {
	PromptTokens int `json:"prompt_tokens,omitempty"` // length of the prompt; 0: not known
	// PromptTolerance is how many tokens a text may miss PromptTokens by; ids miss none.
	PromptTolerance int    `json:"prompt_tolerance,omitempty"`
	OutputTokens    int    `json:"output_tokens,omitempty"` // the limit, and with Forced the exact length
	Forced          bool   `json:"forced,omitempty"`        // the output's length was forced
	PromptHash      string `json:"prompt_sha256,omitempty"` // of the whole prompt
	HeadHash        string `json:"-"`                       // of the ids that prompts must not share
}

// Stamps are a request's moments, in nanoseconds on the client's clock.
type Stamps struct {
	Due        int64 `json:"due"`         // the request was ready, or scheduled, to be sent
	Called     int64 `json:"called"`      // just before the client was called
	Written    int64 `json:"written"`     // the first byte was written
	FirstToken int64 `json:"first_token"` // the first token event arrived
	FirstSeen  int64 `json:"first_seen"`  // ... and had been parsed
	LastToken  int64 `json:"last_token"`  // the last token event arrived
	Closed     int64 `json:"closed"`      // the response ended
	Returned   int64 `json:"returned"`    // the client's call returned
}

// Failed reports whether the request failed in transport: no reply, or a broken one.
func (r *Request) Failed() bool {
	switch r.Outcome {
	case OutcomeHTTPError, OutcomeConnectError, OutcomeTimeout, OutcomeStreamBroken:
		return true
	}
	return false
}

// end is the moment the request's output was complete, and zero if it never was.
func (r *Request) end() int64 {
	if r.At.LastToken != 0 {
		return r.At.LastToken
	}
	if r.OK {
		return r.At.Closed
	}
	return 0
}

// ReportsCached reports whether the server counts cached tokens at all. Some
// leave the count out where it is zero.
func ReportsCached(requests []*Request) bool {
	return slices.ContainsFunc(requests, func(r *Request) bool { return r.CachedTokens.known })
}

// Cached is how much of the prompt came from the prefix cache; on a server that
// reports it, a count that was left out is zero.
func (r *Request) Cached(reported bool) Number {
	if reported && !r.CachedTokens.known && !r.CachedTooMany {
		return Known(0)
	}
	return r.CachedTokens
}

// computed is the part of the prompt that was not taken from the cache, as far as
// the server tells.
func (r *Request) computed(reported bool) Number {
	if !r.PromptTokens.known || r.CachedTooMany {
		return Number{}
	}
	return Known(r.PromptTokens.value - r.Cached(reported).value)
}
