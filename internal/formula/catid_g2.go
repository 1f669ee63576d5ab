package formula

import (
	"math"
	"reflect"

	"scenario/internal/metric"
)

// CatidG2 are the figures of catid's deepseek_v4_bench, column by column, and the
// two averages of waves that its reports print beside them.
type CatidG2 struct {
	OutputTPS  metric.Number   `json:"aggregate_output_tokens_per_s" unit:"tokens/s" speed:"true" doc:"completion tokens of successful requests over all waves / sum of the waves' walls: the tool's own column"`
	PromptTPS  metric.Number   `json:"aggregate_prompt_tokens_per_s" unit:"tokens/s" speed:"true" doc:"their prompt tokens / the same"`
	PerUserTPS metric.Number   `json:"aggregate_output_tokens_per_s_per_user" unit:"tokens/s" speed:"true" doc:"aggregate_output_tokens_per_s / concurrency"`
	WaveMean   metric.Number   `json:"wave_output_tokens_per_s_mean" unit:"tokens/s" speed:"true" doc:"arithmetic mean of the waves' tokens / wall: what some reports print as the mean, and not the tool's column"`
	WaveMedian metric.Number   `json:"wave_output_tokens_per_s_median" unit:"tokens/s" speed:"true" doc:"median of the same"`
	AfterMean  metric.Number   `json:"request_output_tokens_per_s_after_first_mean" unit:"tokens/s" speed:"true" doc:"mean of (completion tokens - 1) / (end - first output)"`
	AfterP50   metric.Number   `json:"request_output_tokens_per_s_after_first_p50" unit:"tokens/s" speed:"true" doc:"median of the same"`
	AfterP95   metric.Number   `json:"request_output_tokens_per_s_after_first_p95" unit:"tokens/s" speed:"true" doc:"95th percentile of the same"`
	E2EMean    metric.Number   `json:"request_output_tokens_per_s_e2e_mean" unit:"tokens/s" speed:"true" doc:"mean of completion tokens / E2E"`
	TTFTMean   metric.Duration `json:"ttft_mean" speed:"true" doc:"mean time from before the request to the arrival of the first output of any kind"`
	TTFTP50    metric.Duration `json:"ttft_p50" speed:"true" doc:"median of the same"`
	TTFTP95    metric.Duration `json:"ttft_p95" speed:"true" doc:"95th percentile of the same"`
	E2EP50     metric.Duration `json:"e2e_p50" speed:"true" doc:"median time from before the request to the end of the response"`
	E2EP95     metric.Duration `json:"e2e_p95" speed:"true" doc:"95th percentile of the same"`
	Wall       metric.Duration `json:"batch_wall_total" speed:"true" doc:"sum over waves of the time from the first request's start to the last one's end"`
	Waves      int             `json:"waves" doc:"waves of concurrency requests each"`
	Successful int             `json:"successful" doc:"requests with an output, exactly the completion tokens that were forced, and a prompt within 12 tokens of the planned length"`
}

// g2Tolerance is how far from the planned length a prompt may be counted.
const g2Tolerance = 12

// catidG2 follows the published tool: its requests are built before a wave, whose
// wall is from the first start to the last end; the next wave starts when all have
// ended. The first output is the arrival of what completes the first event with
// content, thinking or a tool call. Percentiles interpolate linearly at (n−1)·q.
var catidG2 = Formula{
	ID:      "catid-g2",
	Doc:     "deepseek_v4_bench: waves of C with a barrier; sum of completion tokens / sum of wave walls",
	Mode:    "wave",
	Figures: reflect.TypeFor[CatidG2](),
	Compute: func(l Level) any {
		figures := &CatidG2{}
		var ttft, e2e, after, rate, waves []float64
		prompts, outputs, walls := 0.0, 0.0, 0.0
		for _, wave := range l.waves() {
			tokens := 0.0
			for _, r := range wave {
				prompt, output, ok := g2Counts(r)
				if !ok {
					continue
				}
				figures.Successful++
				prompts += prompt
				tokens += output
				first, end := float64(r.At.FirstToken-r.At.Called), float64(r.At.Returned-r.At.Called)
				ttft = append(ttft, first)
				e2e = append(e2e, end)
				rate = append(rate, output/seconds(end))
				if end > first {
					after = append(after, math.Max(output-1, 0)/seconds(end-first))
				}
			}
			wall := seconds(wave.wall())
			outputs += tokens
			walls += wall
			if wall > 0 {
				waves = append(waves, tokens/wall)
			}
			figures.Waves++
		}
		figures.Wall = lasting(walls * 1e9)
		if figures.Successful == 0 {
			return figures
		}
		figures.OutputTPS = metric.Ratio(metric.Known(outputs), metric.Known(walls))
		figures.PromptTPS = metric.Ratio(metric.Known(prompts), metric.Known(walls))
		figures.PerUserTPS = metric.Ratio(figures.OutputTPS, metric.Count(l.Concurrency))
		figures.WaveMean, figures.WaveMedian = average(waves), quantile(waves, 0.50)
		figures.AfterMean, figures.AfterP50, figures.AfterP95 = average(after), quantile(after, 0.50), quantile(after, 0.95)
		figures.E2EMean = average(rate)
		figures.TTFTMean, figures.TTFTP50, figures.TTFTP95 = mean(ttft), percentile(ttft, 0.50), percentile(ttft, 0.95)
		figures.E2EP50, figures.E2EP95 = percentile(e2e, 0.50), percentile(e2e, 0.95)
		return figures
	},
}

// g2Counts are the tokens of a request, if it was successful by the method's rule.
func g2Counts(r *metric.Request) (prompt, output float64, ok bool) {
	prompt, promptKnown := r.PromptTokens.Number()
	output, outputKnown := r.OutputTokens.Number()
	switch {
	case r.Failed() || !promptKnown || !outputKnown || r.At.FirstToken == 0:
	case r.Asked.Forced && output != float64(r.Asked.OutputTokens):
	case r.Asked.PromptTokens > 0 && math.Abs(prompt-float64(r.Asked.PromptTokens)) > g2Tolerance:
	default:
		return prompt, output, true
	}
	return 0, 0, false
}
