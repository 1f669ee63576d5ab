package formula

import (
	"math"
	"testing"
	"time"

	"scenario/internal/metric"
)

// output is a request of a wave of 1,024 forced tokens that took so many seconds,
// its first output after one of them.
func output(index int, start, took float64) *metric.Request {
	at := func(s float64) int64 { return int64(math.Round(s*1e9)) + 1 }
	r := request(0, 0, 0, 1024, 1024)
	r.Index = index
	r.At = metric.Stamps{Called: at(start), FirstToken: at(start + 1), Returned: at(start + took)}
	return r
}

func TestCatidG2OfPublishedWaves(t *testing.T) {
	// Three waves that the method's report gives as 45.31, 64.72 and 78.17 tok/s at
	// C = 1: each had 1,024 tokens, so their walls were 1024/45.31 = 22.600,
	// 1024/64.72 = 15.822 and 1024/78.17 = 13.100 s. The tool's column is
	// 3072 / 51.522 = 59.63; the report prints the arithmetic mean, 62.73, and the
	// median, 64.72. Between the waves passes time that belongs to none. Likewise
	// for the other concurrencies.
	for _, published := range []struct {
		concurrency          int
		waves                []float64
		column, mean, median float64
	}{
		{1, []float64{45.31, 64.72, 78.17}, 59.63, 62.73, 64.72},
		{2, []float64{91.05, 107.46, 116.33}, 103.86, 104.95, 107.46},
		{4, []float64{157.66, 131.41, 146.27}, 144.31, 145.11, 146.27},
		{8, []float64{222.99, 219.43, 203.41}, 214.93, 215.28, 219.43},
	} {
		var requests []*metric.Request
		start := 0.0
		for w, rate := range published.waves {
			took := 1024 * float64(published.concurrency) / rate
			for slot := range published.concurrency {
				requests = append(requests, output(w*published.concurrency+slot, start, took))
			}
			start += took + 2
		}
		f := catidG2.Compute(Level{Concurrency: published.concurrency, Requests: requests, Wall: time.Hour}).(*CatidG2)
		near(t, "aggregate_output_tokens_per_s", f.OutputTPS, published.column)
		near(t, "aggregate_output_tokens_per_s_per_user", f.PerUserTPS, published.column/float64(published.concurrency))
		near(t, "wave mean", f.WaveMean, published.mean)
		near(t, "wave median", f.WaveMedian, published.median)
		if f.Waves != 3 || f.Successful != 3*published.concurrency {
			t.Errorf("%d waves, %d successful", f.Waves, f.Successful)
		}
	}
}

// near compares with a number that was published with two decimals.
func near(t *testing.T, name string, n metric.Number, want float64) {
	t.Helper()
	if got, known := n.Number(); !known || math.Abs(got-want) > 0.0051 {
		t.Errorf("%s = %.4f (known %v), want %.2f", name, got, known, want)
	}
}

func TestCatidG2(t *testing.T) {
	// Worked by hand, one wave of four in 10 s. Two are successful: 1024 tokens in 9
	// and in 10 s, the first output after 1 s. The third is one token short, the
	// fourth's prompt is 13 tokens off: neither counts, both are in the wall.
	//   output 2048/10, prompt (1024 + 1036)/10
	//   after first: 1023/8 = 127.875 and 1023/9 = 113.666…: mean 120.770833…
	//   e2e rate: 1024/9 = 113.777… and 102.4: mean 108.088…
	//   e2e 9 and 10 s: p50 9.5, p95 9.95
	short, long := output(2, 0, 10), output(3, 0, 4)
	short.OutputTokens = metric.Count(1023)
	long.PromptTokens = metric.Count(1037)
	second := output(1, 0, 10)
	second.PromptTokens = metric.Count(1036)
	f := catidG2.Compute(Level{Concurrency: 4, Requests: []*metric.Request{output(0, 0, 9), second, short, long}}).(*CatidG2)
	number(t, "aggregate_output_tokens_per_s", f.OutputTPS, 204.8)
	number(t, "aggregate_prompt_tokens_per_s", f.PromptTPS, 206)
	number(t, "after first", f.AfterMean, (127.875+1023.0/9)/2)
	number(t, "after first p95", f.AfterP95, 1023.0/9+0.95*(127.875-1023.0/9))
	number(t, "e2e rate", f.E2EMean, (1024.0/9+102.4)/2)
	span(t, "ttft_p50", f.TTFTP50, time.Second)
	span(t, "e2e_p50", f.E2EP50, 9500*time.Millisecond)
	span(t, "e2e_p95", f.E2EP95, 9950*time.Millisecond)
	span(t, "batch_wall_total", f.Wall, 10*time.Second)
	if f.Successful != 2 || f.Waves != 1 {
		t.Errorf("%d successful in %d waves, want 2 in 1", f.Successful, f.Waves)
	}
}

func TestCatidG3f(t *testing.T) {
	// Worked by hand: two requests of 1,024 tokens, first text after 0.5 and 1 s, last
	// after 10.73 and 11.23 s, so ITL is 10 ms in both, and one that failed. The wall
	// is 11.3 s, which the tool sees at 11.5.
	//   aggregate 2048/11.5 = 178.086…, over the true wall 2048/11.3 = 181.238…
	//   ttft p50 750 ms, p90 950, p99 995; latency p50 10.98 s, p99 11.225
	ms := int64(time.Millisecond)
	of := func(first, last int64) *metric.Request {
		r := request(0, 0, 11300, 8192, 1024)
		r.At.FirstToken, r.At.LastToken = first*ms+1, last*ms+1
		return r
	}
	failed := of(100, 200)
	failed.OK, failed.Outcome = false, metric.OutcomeStreamBroken
	f := catidG3f.Compute(Level{Concurrency: 2, Wall: 11300 * time.Millisecond, Requests: []*metric.Request{of(500, 10730), of(1000, 11230), failed}}).(*CatidG3f)
	number(t, "aggregate_tps", f.AggregateTPS, 2048/11.5)
	number(t, "aggregate_tps_unrounded", f.AggregateRaw, 2048/11.3)
	number(t, "per_request_avg_tps", f.PerRequest, 1024/11.5)
	number(t, "user_tps_p50", f.UserP50, 100)
	span(t, "ttft_p50", f.TTFTP50, 750*time.Millisecond)
	span(t, "ttft_p90", f.TTFTP90, 950*time.Millisecond)
	span(t, "ttft_p99", f.TTFTP99, 995*time.Millisecond)
	span(t, "itl_p50", f.ITLP50, 10*time.Millisecond)
	span(t, "latency_p50", f.LatencyP50, 10980*time.Millisecond)
	span(t, "latency_p99", f.LatencyP99, 11225*time.Millisecond)
	span(t, "wall", f.Wall, 11500*time.Millisecond)
	if f.Completed != 2 || f.Requests != 3 || f.Errors != 1 {
		t.Errorf("%d completed of %d, %d errors", f.Completed, f.Requests, f.Errors)
	}
}

func TestCatidG3fCountsEventsWithoutUsage(t *testing.T) {
	r := request(0, 100, 1000, 0, 0)
	r.OutputTokens, r.Events = metric.Number{}, 50
	f := catidG3f.Compute(Level{Concurrency: 1, Wall: time.Second, Requests: []*metric.Request{r}}).(*CatidG3f)
	number(t, "aggregate_tps", f.AggregateTPS, 50)
}
