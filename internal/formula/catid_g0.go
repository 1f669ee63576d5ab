package formula

import (
	"reflect"

	"scenario/internal/metric"
)

// CatidG0 are the figures of catid's bench_qwen.py (threads, not streamed).
type CatidG0 struct {
	AggregateTPS metric.Number   `json:"aggregate_tps" unit:"tokens/s" speed:"true" doc:"completion tokens / wall"`
	PerUserTPS   metric.Number   `json:"per_user_tps" unit:"tokens/s" speed:"true" doc:"aggregate_tps / concurrency"`
	Wall         metric.Duration `json:"wall" speed:"true" doc:"from just before the first request was prepared and handed to the client to the return of the last"`
	Successful   int             `json:"successful" doc:"requests that answered with status 200 and state their usage"`
}

// The script is not public. That the clock runs from before the submit to the
// last finished thread, and that tokens are usage.completion_tokens, are the
// usual reading of such a script and not stated by its source.
var catidG0 = Formula{
	ID:      "catid-g0",
	Doc:     "bench_qwen.py: one wave of C equal requests; sum of completion tokens / wall",
	Mode:    "wave",
	Figures: reflect.TypeFor[CatidG0](),
	Compute: func(l Level) any {
		tokens, successful := 0.0, 0
		for _, r := range l.Requests {
			if n, ok := r.OutputTokens.Number(); ok && !r.Failed() {
				tokens += n
				successful++
			}
		}
		figures := &CatidG0{Wall: metric.Span(l.Wall), Successful: successful}
		if successful > 0 {
			figures.AggregateTPS = metric.Ratio(metric.Known(tokens), metric.Known(l.Wall.Seconds()))
			figures.PerUserTPS = metric.Ratio(figures.AggregateTPS, metric.Count(l.Concurrency))
		}
		return figures
	},
}
