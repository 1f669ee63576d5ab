package metric

import (
	"slices"
	"time"
)

// Level holds the figures of one level: one concurrency of a phase. Latencies
// and token counts are over the good requests (ok); failed and mismatched ones
// enter none of them.
type Level struct {
	Concurrency int      `json:"concurrency" plan:"true" doc:"requests, or conversations, kept in flight"`
	Requests    Requests `json:"requests,omitzero" doc:"all measured requests, failed ones too"`

	Issued     int    `json:"issued" doc:"measured requests that were sent"`
	OKCount    int    `json:"ok_count" doc:"requests that came back whole and with the right counts"`
	ErrorRatio Number `json:"error_ratio" doc:"transport failures / issued"`

	TTFT     Durations `json:"ttft" speed:"true" doc:"time to first token, per request"`
	TTFC     Durations `json:"ttfc" speed:"true" doc:"time to first content token, per request"`
	E2E      Durations `json:"e2e" speed:"true" doc:"end-to-end latency, per request"`
	TPOT     Durations `json:"tpot" speed:"true" doc:"time per output token after the first event, per request"`
	ITL      Durations `json:"itl" speed:"true" doc:"inter-token latency, per token; unknown unless every event carries one token"`
	Gap      Durations `json:"gap" speed:"true" doc:"time between two token events, per event"`
	Stall    Durations `json:"stall" speed:"true" doc:"longest gap of a request, per request"`
	StartLag Durations `json:"start_lag" doc:"from due to written: the client's own delay, per request"`

	UserTPS        Numbers  `json:"user_tps" unit:"tokens/s" speed:"true" doc:"decode speed that one user sees: 1 / tpot, per request"`
	OutputTPS      Number   `json:"output_tps" unit:"tokens/s" speed:"true" doc:"output tokens of good requests / (last token event - first write)"`
	OutputTPSShare Number   `json:"output_tps_share" unit:"tokens/s" speed:"true" doc:"output_tps / concurrency"`
	InputTPS       Number   `json:"input_tps" unit:"tokens/s" speed:"true" doc:"prompt tokens of good requests, less the cached ones where they are reported, over the same time"`
	TotalTPS       Number   `json:"total_tps" unit:"tokens/s" speed:"true" doc:"input_tps + output_tps"`
	RequestRate    Number   `json:"request_rate" unit:"1/s" speed:"true" doc:"good requests over the same time"`
	Goodput        Number   `json:"goodput" unit:"1/s" speed:"true" doc:"requests that kept all of the phase's limits over the same time; unknown without limits"`
	TokensPerEvent Number   `json:"tokens_per_event" doc:"output tokens / token events, over good streamed requests"`
	InflightMean   Number   `json:"inflight_mean" doc:"requests in flight, averaged from the moment the level was full to its last write; where no request followed the first ones, from the first write to the end of the last response"`
	Window         Duration `json:"window" speed:"true" doc:"first write to last token event: the time that rates are over"`

	PromptTokens    Numbers `json:"prompt_tokens" unit:"tokens" doc:"prompt length by usage, per request"`
	OutputTokens    Numbers `json:"output_tokens" unit:"tokens" doc:"output length by usage, per request"`
	ReasoningTokens Numbers `json:"reasoning_tokens" unit:"tokens" doc:"thinking tokens by usage, per request"`
	CachedRatio     Number  `json:"cached_ratio" doc:"cached / prompt tokens, over good requests"`

	SLOAttainmentRatio Number `json:"slo_attainment_ratio" speed:"true" doc:"requests that kept all of the phase's limits / issued, failed ones too; unknown without limits"`

	Client Client `json:"client" doc:"this program's own part in the figures"`

	DegenerateRatio      Number `json:"degenerate_ratio" doc:"degenerate replies / good ones"`
	DuplicateOutputRatio Number `json:"duplicate_output_ratio" doc:"replies whose text also answers a different prompt / good ones"`

	CanaryPassRatio Number `json:"canary_pass_ratio" doc:"requests with known answers that came back right / sent, before and after the load; at C=1 those of the calibration"`

	partial []string
}

// Partial says which figures are unknown because too few of the good requests have
// what they are made of.
func (l *Level) Partial() []string { return l.partial }

// Requests are the requests of a level, in the order of their sending.
type Requests []*Request

// IsZero keeps requests out of a level's JSON: they have a file of their own.
func (Requests) IsZero() bool { return true }

// NewLevel works out a level's figures. The requests are in order of their
// sending; the level keeps them.
func NewLevel(concurrency int, requests []*Request) *Level {
	l := &Level{Concurrency: concurrency, Requests: requests, Issued: len(requests)}
	good := make([]*Request, 0, len(requests))
	failed := 0
	for _, r := range requests {
		if r.OK {
			good = append(good, r)
		}
		if r.Failed() {
			failed++
		}
	}
	l.OKCount = len(good)
	l.ErrorRatio = Ratio(Count(failed), Count(len(requests)))
	l.latencies(good)
	l.counts(good)
	l.rates(good)
	l.watchClient()
	l.DegenerateRatio = Ratio(Count(count(good, func(r *Request) bool { return r.Degenerate })), Count(len(good)))
	l.DuplicateOutputRatio = duplicateOutputs(good)
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
// measured requests. A single unknown count makes a rate unknown.
func (l *Level) rates(good []*Request) {
	l.InflightMean = inflight(l.Concurrency, l.Requests)
	var first, last int64
	for _, r := range l.Requests {
		if r.At.Written == 0 {
			continue
		}
		if first == 0 || r.At.Written < first {
			first = r.At.Written
		}
		last = max(last, r.end())
	}
	if last <= first || len(good) == 0 {
		return
	}
	l.Window = Span(time.Duration(last - first))
	seconds := Known(time.Duration(last - first).Seconds())
	l.RequestRate = Ratio(Count(len(good)), seconds)
	l.OutputTPS = Ratio(total(good, func(r *Request) Number { return r.OutputTokens }), seconds)
	reported := ReportsCached(good)
	l.InputTPS = Ratio(total(good, func(r *Request) Number { return r.computed(reported) }), seconds)
	l.OutputTPSShare = Ratio(l.OutputTPS, Count(l.Concurrency))
	l.TotalTPS = sum(l.InputTPS, l.OutputTPS)
}

// inflight is the mean number of requests in flight. The time before the level is
// full and after its last request has been written says nothing of how well the
// concurrency was held, and is left out if there is a time between.
func inflight(concurrency int, requests []*Request) Number {
	var written []int64
	var closed int64
	for _, r := range requests {
		if r.At.Written != 0 {
			written = append(written, r.At.Written)
			closed = max(closed, r.At.Closed)
		}
	}
	if len(written) == 0 {
		return Number{}
	}
	slices.Sort(written)
	from, to := written[0], closed
	if full := min(concurrency, len(written)) - 1; written[len(written)-1] > written[full] {
		from, to = written[full], written[len(written)-1]
	}
	busy := int64(0)
	for _, r := range requests {
		if r.At.Written != 0 {
			busy += max(0, min(r.At.Closed, to)-max(r.At.Written, from))
		}
	}
	return Ratio(Known(float64(busy)), Known(float64(to-from)))
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
	l.Requests = nil
	l.Gap.summarise()
	l.ITL.summarise()
}
