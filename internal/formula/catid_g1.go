package formula

import (
	"reflect"

	"scenario/internal/metric"
)

// CatidG1 are the figures of catid's bench_serving.py, column by column.
type CatidG1 struct {
	OutputTPS  metric.Number   `json:"output_tokens_per_s" unit:"tokens/s" speed:"true" doc:"completion tokens of successful requests / wall"`
	InputTPS   metric.Number   `json:"input_tokens_per_s" unit:"tokens/s" speed:"true" doc:"prompt tokens of successful requests / wall"`
	TotalTPS   metric.Number   `json:"total_tokens_per_s" unit:"tokens/s" speed:"true" doc:"both / wall"`
	TTFTMean   metric.Duration `json:"ttft_mean" speed:"true" doc:"mean time from before the request to the parsing of the first event with text"`
	TTFTP50    metric.Duration `json:"ttft_p50" speed:"true" doc:"median of the same"`
	TTFTP95    metric.Duration `json:"ttft_p95" speed:"true" doc:"95th percentile of the same"`
	TPOTMean   metric.Duration `json:"tpot_mean" speed:"true" doc:"mean of (E2E - TTFT) / max(completion tokens - 1, 1)"`
	E2EP50     metric.Duration `json:"e2e_p50" speed:"true" doc:"median time from before the request to the end of the response"`
	E2EP95     metric.Duration `json:"e2e_p95" speed:"true" doc:"95th percentile of the same"`
	Wall       metric.Duration `json:"wall" speed:"true" doc:"from just before the first request was prepared and handed to the client to the return of the last"`
	Successful int             `json:"successful" doc:"requests with status 200, a first token and exactly the lengths that were asked for"`
}

// catidG1 follows the published script: request start just before the POST, first
// token when the first event with non-empty text has been parsed, end when the
// response has been closed; percentiles interpolate linearly at (n−1)·q, at any n.
var catidG1 = Formula{
	ID:      "catid-g1",
	Doc:     "bench_serving.py: one wave of C distinct requests; sums over successful requests / wall of the wave",
	Mode:    "wave",
	Figures: reflect.TypeFor[CatidG1](),
	Compute: func(l Level) any {
		var ttft, e2e, tpot []float64
		prompts, outputs := 0.0, 0.0
		for _, r := range l.Requests {
			prompt, promptKnown := r.PromptTokens.Number()
			output, outputKnown := r.OutputTokens.Number()
			exact := promptKnown && outputKnown && prompt == float64(r.Asked.PromptTokens) && output == float64(r.Asked.OutputTokens)
			if !r.OK || !exact || r.At.FirstSeen == 0 {
				continue
			}
			prompts += prompt
			outputs += output
			first, end := float64(r.At.FirstSeen-r.At.Called), float64(r.At.Returned-r.At.Called)
			ttft = append(ttft, first)
			e2e = append(e2e, end)
			tpot = append(tpot, (end-first)/max(output-1, 1))
		}
		figures := &CatidG1{Wall: metric.Span(l.Wall), Successful: len(ttft)}
		if len(ttft) == 0 {
			return figures
		}
		wall := metric.Known(l.Wall.Seconds())
		figures.OutputTPS = metric.Ratio(metric.Known(outputs), wall)
		figures.InputTPS = metric.Ratio(metric.Known(prompts), wall)
		figures.TotalTPS = metric.Ratio(metric.Known(prompts+outputs), wall)
		figures.TTFTMean, figures.TTFTP50, figures.TTFTP95 = mean(ttft), percentile(ttft, 0.50), percentile(ttft, 0.95)
		figures.TPOTMean = mean(tpot)
		figures.E2EP50, figures.E2EP95 = percentile(e2e, 0.50), percentile(e2e, 0.95)
		return figures
	},
}
