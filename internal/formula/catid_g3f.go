package formula

import (
	"math"
	"reflect"
	"time"

	"scenario/internal/metric"
)

// CatidG3f are the figures of llm-inference-bench 0.4.29 in its finite-request mode.
type CatidG3f struct {
	AggregateTPS metric.Number   `json:"aggregate_tps" unit:"tokens/s" speed:"true" doc:"output tokens of completed requests / wall, which the tool sees in steps of 0.25 s"`
	AggregateRaw metric.Number   `json:"aggregate_tps_unrounded" unit:"tokens/s" speed:"true" doc:"the same over the true wall"`
	PerRequest   metric.Number   `json:"per_request_avg_tps" unit:"tokens/s" speed:"true" doc:"aggregate_tps / concurrency"`
	UserP50      metric.Number   `json:"user_tps_p50" unit:"tokens/s" speed:"true" doc:"median of 1 / ITL: not the same as per_request_avg_tps"`
	TTFTMean     metric.Duration `json:"ttft_avg" speed:"true" doc:"mean time from before the request to the first text or thinking"`
	TTFTP50      metric.Duration `json:"ttft_p50" speed:"true" doc:"median of the same"`
	TTFTP90      metric.Duration `json:"ttft_p90" speed:"true" doc:"90th percentile of the same"`
	TTFTP99      metric.Duration `json:"ttft_p99" speed:"true" doc:"99th percentile of the same"`
	ITLMean      metric.Duration `json:"itl_avg" speed:"true" doc:"mean of (last - first text) / (output tokens - 1)"`
	ITLP50       metric.Duration `json:"itl_p50" speed:"true" doc:"median of the same"`
	ITLP99       metric.Duration `json:"itl_p99" speed:"true" doc:"99th percentile of the same"`
	LatencyP50   metric.Duration `json:"latency_p50" speed:"true" doc:"median time from before the request to the last text, of completed requests"`
	LatencyP99   metric.Duration `json:"latency_p99" speed:"true" doc:"99th percentile of the same"`
	Wall         metric.Duration `json:"wall" speed:"true" doc:"from just before the first request to the return of the last, rounded up to steps of 0.25 s"`
	Completed    int             `json:"completed_requests" doc:"requests whose stream ended as it should"`
	Requests     int             `json:"request_count" doc:"requests sent"`
	Errors       int             `json:"num_errors" doc:"requests that failed"`
}

// g3Poll is how often the published tool looks whether its workers are done.
const g3Poll = 250 * time.Millisecond

// catidG3f follows the published tool: a closed loop of C workers, latencies from
// just before the POST, percentiles by linear interpolation at (n−1)·q over values
// above zero; output tokens by usage, else the number of events. What a scrape of
// the server's metrics adds to the tool's wall is not imitated.
var catidG3f = Formula{
	ID:      "catid-g3f",
	Doc:     "llm-inference-bench 0.4.29, finite requests: C workers in a closed loop; output tokens of completed requests / wall",
	Mode:    "closed",
	Figures: reflect.TypeFor[CatidG3f](),
	Compute: func(l Level) any {
		figures := &CatidG3f{Requests: len(l.Requests)}
		var ttft, itl, latency, user []float64
		tokens := 0.0
		for _, r := range l.Requests {
			if r.Failed() {
				figures.Errors++
				continue
			}
			figures.Completed++
			output, known := r.OutputTokens.Number()
			if !known {
				output = float64(r.Events)
			}
			tokens += output
			if r.At.FirstToken == 0 {
				continue
			}
			ttft = positive(ttft, float64(r.At.FirstToken-r.At.Called))
			latency = positive(latency, float64(r.At.LastToken-r.At.Called))
			if between := float64(r.At.LastToken-r.At.FirstToken) / (output - 1); output > 1 && between > 0 {
				itl = append(itl, between)
				user = append(user, 1/seconds(between))
			}
		}
		wall := time.Duration(math.Ceil(float64(l.Wall)/float64(g3Poll))) * g3Poll
		figures.Wall = metric.Span(wall)
		if figures.Completed == 0 {
			return figures
		}
		figures.AggregateTPS = metric.Ratio(metric.Known(tokens), metric.Known(wall.Seconds()))
		figures.AggregateRaw = metric.Ratio(metric.Known(tokens), metric.Known(l.Wall.Seconds()))
		figures.PerRequest = metric.Ratio(figures.AggregateTPS, metric.Count(l.Concurrency))
		figures.UserP50 = quantile(user, 0.50)
		figures.TTFTMean, figures.TTFTP50 = mean(ttft), percentile(ttft, 0.50)
		figures.TTFTP90, figures.TTFTP99 = percentile(ttft, 0.90), percentile(ttft, 0.99)
		figures.ITLMean, figures.ITLP50, figures.ITLP99 = mean(itl), percentile(itl, 0.50), percentile(itl, 0.99)
		figures.LatencyP50, figures.LatencyP99 = percentile(latency, 0.50), percentile(latency, 0.99)
		return figures
	},
}

// positive appends a value above zero: the method drops the others.
func positive(values []float64, v float64) []float64 {
	if v > 0 {
		return append(values, v)
	}
	return values
}
