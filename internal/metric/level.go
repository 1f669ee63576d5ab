package metric

import (
	"slices"
	"time"
)

// Level holds the figures of one level: one concurrency of a phase. Latencies
// and token counts are over the good requests (ok); failed and mismatched ones
// enter none of them.
type Level struct {
	Concurrency int      `json:"concurrency,omitempty" plan:"true" doc:"requests, or conversations, kept in flight; not at a rate"`
	Rate        float64  `json:"rate,omitempty" plan:"true" unit:"1/s" doc:"requests, or conversations, started per second, in load.mode: rate alone"`
	Requests    Requests `json:"requests,omitzero" doc:"all measured requests, failed ones too"`

	Issued     int    `json:"issued" doc:"measured requests that were sent"`
	CutCount   int    `json:"cut_count" doc:"requests that were in flight at the end of the load and were cancelled (drain: cancel); they are not among requests"`
	OKCount    int    `json:"ok_count" doc:"requests that came back whole, with the right counts and, where one is expected, the right answer"`
	ErrorRatio Number `json:"error_ratio" doc:"transport failures / issued"`

	TTFT     Durations `json:"ttft" speed:"true" doc:"time to first token, per request"`
	TTFC     Durations `json:"ttfc" speed:"true" doc:"time to first content token, per request"`
	E2E      Durations `json:"e2e" speed:"true" doc:"end-to-end latency, per request"`
	TPOT     Durations `json:"tpot" speed:"true" doc:"time per output token after the first event, per request"`
	ITL      Durations `json:"itl" speed:"true" doc:"inter-token latency, per token; unknown unless every event carries one token"`
	Gap      Durations `json:"gap" speed:"true" doc:"time between two token events, per event"`
	Stall    Durations `json:"stall" speed:"true" doc:"longest gap of a request, per request"`
	StartLag Durations `json:"start_lag" doc:"from due to written: the client's own delay, per request"`

	UserTPS         Numbers  `json:"user_tps" unit:"tokens/s" speed:"true" doc:"decode speed that one user sees: 1 / tpot, per request"`
	OutputTPS       Number   `json:"output_tps" pool:"median" unit:"tokens/s" speed:"true" doc:"output tokens of good requests / (last token event - first write)"`
	OutputTPSSteady Number   `json:"output_tps_steady" pool:"median" unit:"tokens/s" speed:"true" doc:"output tokens that arrived in the steady part / its length; unknown where fewer than 3 requests per slot ended in it"`
	OutputTPSShare  Number   `json:"output_tps_share" pool:"median" unit:"tokens/s" speed:"true" doc:"output_tps / concurrency"`
	InputTPS        Number   `json:"input_tps" pool:"median" unit:"tokens/s" speed:"true" doc:"prompt tokens of good requests, less the cached ones where they are reported, over the same time"`
	TotalTPS        Number   `json:"total_tps" pool:"median" unit:"tokens/s" speed:"true" doc:"input_tps + output_tps"`
	RequestRate     Number   `json:"request_rate" pool:"median" unit:"1/s" speed:"true" doc:"good requests over the same time"`
	Goodput         Number   `json:"goodput" pool:"median" unit:"1/s" speed:"true" doc:"requests that kept all of the phase's limits over the same time; unknown without limits"`
	TokensPerEvent  Number   `json:"tokens_per_event" doc:"output tokens / token events, over good streamed requests"`
	InflightMean    Number   `json:"inflight_mean" pool:"median" doc:"requests in flight, averaged from the moment the level was full to its last write, or to the end of its window; where no request followed the first ones, from the first write to the end of the last response"`
	Steady          Duration `json:"steady" pool:"median" speed:"true" doc:"length of the steady part: from the moment that each slot has brought a token (at a rate: from the end of the first request) to the last start, or the end of the window"`
	Window          Duration `json:"window" pool:"median" speed:"true" doc:"first write to last token event: the time that rates are over"`

	PromptTokens    Numbers `json:"prompt_tokens" unit:"tokens" doc:"prompt length by usage, per request"`
	OutputTokens    Numbers `json:"output_tokens" unit:"tokens" doc:"output length by usage, per request"`
	ReasoningTokens Numbers `json:"reasoning_tokens" unit:"tokens" doc:"thinking tokens by usage, per request"`
	CachedRatio     Number  `json:"cached_ratio" doc:"cached / prompt tokens, over good requests"`

	SLOAttainmentRatio Number `json:"slo_attainment_ratio" speed:"true" doc:"requests that kept all of the phase's limits / issued, failed ones and those cut short too; unknown without limits"`

	Server Server `json:"server" doc:"the server's own counters and gauges during the load"`

	Minutes []Minute `json:"minutes,omitempty" doc:"the figures of each whole minute of a load by the clock of 3 minutes or more"`

	Efficiency Number `json:"efficiency" speed:"true" doc:"output_tps / (concurrency x output_tps of the accepted level C=1); unknown without that level, and where the KV cache bounds the level"`
	Elasticity Number `json:"elasticity" speed:"true" doc:"d ln output_tps / d ln concurrency from the next lower accepted level: 1 where twice the load brings twice the throughput; unknown at the first level, and where the KV cache bounds the level"`

	Client Client `json:"client" doc:"this program's own part in the figures"`

	DegenerateRatio      Number `json:"degenerate_ratio" doc:"degenerate replies / good ones"`
	AnswerRightRatio     Number `json:"answer_right_ratio" doc:"whole replies that gave the answer that a file of prompts expects / those to prompts with one"`
	DuplicateOutputRatio Number `json:"duplicate_output_ratio" doc:"replies whose text also answers a different prompt / good ones"`

	CanaryPassRatio Number `json:"canary_pass_ratio" pool:"mean" doc:"requests with known answers that came back right / sent, before and after the load; at C=1 those of the calibration"`

	partial []string
	offered Offered
	steady  span
}

// Partial says which figures are unknown because too few of the good requests have
// what they are made of.
func (l *Level) Partial() []string { return l.partial }

// Requests are the requests of a level, in the order of their sending.
type Requests []*Request

// IsZero keeps requests out of a level's JSON: they have a file of their own.
func (Requests) IsZero() bool { return true }

// Level works out the figures of a level that was offered so. The requests are in
// order of their sending; the level keeps them.
func (o Offered) Level(requests []*Request) *Level {
	l := &Level{Concurrency: o.Concurrency, Rate: o.Rate, Requests: requests, Issued: len(requests), CutCount: len(o.Cut), offered: o}
	good := l.good()
	failed := count(requests, (*Request).Failed)
	l.OKCount = len(good)
	l.ErrorRatio = Ratio(Count(failed), Count(len(requests)))
	l.latencies(good)
	l.counts(good)
	sent := l.sent()
	l.InflightMean = l.inflight(sent)
	l.rates(good, sent)
	l.measureSteady(sent, good)
	l.perMinute(good)
	l.watchClient()
	l.DegenerateRatio = Ratio(Count(count(good, func(r *Request) bool { return r.Degenerate })), Count(len(good)))
	l.DuplicateOutputRatio = duplicateOutputs(good)
	judged := slices.DeleteFunc(slices.Clone(l.Requests), func(r *Request) bool { _, known := r.AnswerRight.Number(); return !known })
	l.AnswerRightRatio = Ratio(total(judged, func(r *Request) Number { return r.AnswerRight }), Count(len(judged)))
	return l
}

func (l *Level) counts(good []*Request) {
	each := func(of func(*Request) Number) Numbers {
		values := make([]float64, 0, len(good))
		for _, r := range good {
			if n, ok := of(r).Number(); ok {
				values = append(values, n)
			}
		}
		return NewNumbers(values)
	}
	l.PromptTokens = each(func(r *Request) Number { return r.PromptTokens })
	l.OutputTokens = each(func(r *Request) Number { return r.OutputTokens })
	l.ReasoningTokens = each(func(r *Request) Number { return r.ReasoningTokens })

	reported := ReportsCached(good)
	l.CachedRatio = Ratio(total(good, func(r *Request) Number { return r.Cached(reported) }), total(good, func(r *Request) Number { return r.PromptTokens }))

	streamed := slices.DeleteFunc(slices.Clone(good), func(r *Request) bool { return r.Events == 0 })
	l.TokensPerEvent = Ratio(
		total(streamed, func(r *Request) Number { return r.OutputTokens }),
		total(streamed, func(r *Request) Number { return Count(r.Events) }))
}

// rates divides by the time from the first write to the last token event of the
// measured requests; where some were cut off, to the moment that they were, since
// their output does not count. A single unknown count makes a rate unknown.
func (l *Level) rates(good, sent []*Request) {
	if len(sent) == 0 || len(good) == 0 {
		return
	}
	first, last := sent[0].At.Written, int64(0)
	for _, r := range sent {
		last = max(last, r.end())
	}
	for _, r := range l.offered.Cut {
		last = max(last, r.At.Closed)
	}
	if last <= first {
		return
	}
	l.Window = Span(time.Duration(last - first))
	seconds := Known(time.Duration(last - first).Seconds())
	l.RequestRate = Ratio(Count(len(good)), seconds)
	l.OutputTPS = Ratio(total(good, func(r *Request) Number { return r.OutputTokens }), seconds)
	reported := ReportsCached(good)
	l.InputTPS = Ratio(total(good, func(r *Request) Number { return r.computed(reported) }), seconds)
	if l.Concurrency > 0 {
		l.OutputTPSShare = Ratio(l.OutputTPS, Count(l.Concurrency))
	}
	l.TotalTPS = sum(l.InputTPS, l.OutputTPS)
}

// duplicateOutputs is the share of replies with text that also came for a
// different prompt.
func duplicateOutputs(good []*Request) Number {
	prompts := make(map[string]map[string]bool)
	for _, r := range good {
		if text := r.Text(); text != "" {
			if prompts[text] == nil {
				prompts[text] = make(map[string]bool)
			}
			prompts[text][r.Asked.PromptHash] = true
		}
	}
	duplicates := count(good, func(r *Request) bool { return len(prompts[r.Text()]) > 1 })
	return Ratio(Count(duplicates), Count(len(good)))
}

// total is the sum of a count over requests, unknown if any is.
func total(requests []*Request, of func(*Request) Number) Number {
	sum := 0.0
	for _, r := range requests {
		n, ok := of(r).Number()
		if !ok {
			return Number{}
		}
		sum += n
	}
	return Known(sum)
}

func sum(a, b Number) Number {
	if !a.known || !b.known {
		return Number{}
	}
	return Known(a.value + b.value)
}

func count(requests []*Request, is func(*Request) bool) int {
	n := 0
	for _, r := range requests {
		if is(r) {
			n++
		}
	}
	return n
}

// Release lets go of the requests, and of all samples per event: what is left
// are the figures that reports print. A run of many long levels would otherwise
// keep every event it has seen.
func (l *Level) Release() {
	for _, r := range l.Requests {
		r.Gaps = nil
	}
	l.Requests, l.offered.Cut = nil, nil
	l.Gap.summarise()
	l.ITL.summarise()
}
