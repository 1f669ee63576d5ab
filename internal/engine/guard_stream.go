package engine

import (
	"fmt"
	"time"

	"scenario/internal/metric"
)

// A stream is judged for buffering only if it is long enough to tell.
const (
	bufferedTokens  = 32
	bufferedEvents  = 8
	bufferedLatency = 100 * time.Millisecond
)

func streamGuards() []Guard {
	return []Guard{
		{
			ID:     "buffered-stream",
			Doc:    "of a streamed reply of at least 32 output tokens, 8 token events and 100 ms, most events came within 5 ms of the last: something between server and client holds the stream back. Judged per endpoint",
			Effect: Void,
			Thresholds: []Threshold{
				share("max_ratio", 0.8, "largest share of a reply's events within 5 ms of the last"),
				share("max_share", 0.05, "largest share of an endpoint's replies that are so"),
			},
			check: buffered,
		},
		notSteady(),
	}
}

func buffered(e *evidence) finding {
	for _, replies := range byEndpoint(e.whole()) {
		judged, held := 0, 0
		for _, r := range replies {
			tokens, _ := r.OutputTokens.Number()
			latency, _ := r.E2E.Duration()
			if tokens < bufferedTokens || r.Events < bufferedEvents || latency <= bufferedLatency {
				continue
			}
			judged++
			if metric.Exceeds(r.LateEvents, e.threshold("max_ratio"), r.Events) {
				held++
			}
		}
		if metric.Exceeds(held, e.threshold("max_share"), judged) {
			return fires(fmt.Sprintf("%d of %d streams came in one burst at the end: TTFT and TPOT mean nothing", held, judged))
		}
	}
	return silent()
}

func tagGuards() []Guard {
	return []Guard{
		serverCapped(),
		{
			ID:         "short-output",
			Doc:        "forced outputs of fewer than 256 tokens",
			Effect:     Warn,
			Thresholds: []Threshold{{Name: "min_tokens", Default: 256, Max: 1 << 24, Doc: "shortest forced output that is not remarked on"}},
			check:      shortOutput,
		},
		{
			ID:     "constant-prompt",
			Doc:    "every prompt is the same, as the scenario declares",
			Effect: Tag,
			check: func(e *evidence) finding {
				return remark(e.level.Profile.ConstantPrompt, "one prompt for all: prefill may come from the cache, and routing and speculation are not those of real traffic")
			},
		},
		{
			ID:     "natural-length",
			Doc:    "output lengths are the model's own",
			Effect: Tag,
			check: func(e *evidence) finding {
				return remark(!e.level.Profile.Forced, "outputs end where the model ends them: token rates depend on its answers")
			},
		},
		{
			ID:     "multi-token-events",
			Doc:    "events carry more than 1.05 tokens on average",
			Effect: Tag,
			check: func(e *evidence) finding {
				perEvent, ok := e.found.TokensPerEvent.Number()
				return remark(ok && perEvent > metric.OneTokenPerEvent, fmt.Sprintf("events carry %.1f tokens: the time between them is a gap, not an inter-token latency", perEvent))
			},
		},
		{
			ID:     "read-stamps",
			Doc:    "arrivals were stamped after the read and not by the kernel (TLS, a proxy, another system than Linux, or a wall clock that was set): under load they are late by client.lag",
			Effect: Tag,
			check: func(e *evidence) finding {
				byKernel, ok := e.found.Client.KernelRatio.Number()
				return remark(ok && byKernel < 0.99, fmt.Sprintf("%.0f %% of the reads were stamped after they returned, not by the kernel", 100*(1-byKernel)))
			},
		},
		kvBound(),
	}
}

// remark is a finding for a reader.
func remark(holds bool, message string) finding {
	if !holds {
		return silent()
	}
	return fires(message)
}

func shortOutput(e *evidence) finding {
	p := e.level.Profile
	short := p.Forced && float64(p.OutputTokens) < e.threshold("min_tokens")
	return remark(short, fmt.Sprintf("outputs of %d tokens hide decode cost", p.OutputTokens))
}
