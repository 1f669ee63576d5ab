package formula

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"scenario/internal/metric"
)

// request is one of a wave, with moments in milliseconds: handed to the client,
// first event with text parsed, response closed and returned.
func request(called, first, returned int64, prompt, output int) *metric.Request {
	ms := int64(time.Millisecond)
	return &metric.Request{
		OK: true, Outcome: metric.OutcomeOK,
		PromptTokens: metric.Count(prompt), OutputTokens: metric.Count(output),
		Asked: metric.Asked{PromptTokens: prompt, OutputTokens: output, Forced: true},
		At:    metric.Stamps{Called: called*ms + 1, FirstSeen: first*ms + 1, Returned: returned*ms + 1},
	}
}

func number(t *testing.T, name string, n metric.Number, want float64) {
	t.Helper()
	if got, ok := n.Number(); !ok || math.Abs(got-want) > 1e-9*want {
		t.Errorf("%s = %v (known %v), want %v", name, got, ok, want)
	}
}

func span(t *testing.T, name string, d metric.Duration, want time.Duration) {
	t.Helper()
	if got, ok := d.Duration(); !ok || got != want {
		t.Errorf("%s = %v (known %v), want %v", name, got, ok, want)
	}
}

func TestCatidG0(t *testing.T) {
	// Four requests of 1,000 tokens in a wave of 7.38 s: 4000 / 7.38 = 542.0.
	var wave []*metric.Request
	for range 4 {
		wave = append(wave, request(0, 100, 7300, 1000, 1000))
	}
	failed := request(0, 0, 9000, 0, 0)
	failed.OK, failed.Outcome, failed.OutputTokens = false, metric.OutcomeHTTPError, metric.Number{}
	f := catidG0.Compute(Level{Concurrency: 4, Requests: append(wave, failed), Wall: 7380 * time.Millisecond}).(*CatidG0)
	number(t, "aggregate_tps", f.AggregateTPS, 4000/7.38)
	number(t, "per_user_tps", f.PerUserTPS, 1000/7.38)
	if f.Successful != 4 {
		t.Errorf("successful = %d, want 4", f.Successful)
	}
	none := catidG0.Compute(Level{Concurrency: 1, Requests: []*metric.Request{failed}, Wall: time.Second}).(*CatidG0)
	if _, ok := none.AggregateTPS.Number(); ok {
		t.Error("a wave without a reply has a speed")
	}
}

func TestCatidG1(t *testing.T) {
	// Worked by hand: three successful ones, a short one and one without usage.
	//   ttft  400, 600, 1000 ms: mean 666.666…, p50 600, p95 600 + 0.9·400 = 960
	//   e2e  5400, 5600, 6100 ms: p50 5600, p95 5600 + 0.9·500 = 6050
	//   tpot (e2e − ttft)/1023: 5000, 5000, 5100 ms → mean 15100/3/1023 = 4.920169… ms
	//   wall 6.2 s: output 3·1024/6.2, input the same, total twice that
	short := request(0, 300, 2000, 1024, 41)
	short.OK, short.Outcome = false, metric.OutcomeLengthMismatch
	untold := request(0, 300, 5000, 1024, 1024)
	untold.OutputTokens = metric.Number{}
	f := catidG1.Compute(Level{Concurrency: 4, Wall: 6200 * time.Millisecond, Requests: []*metric.Request{
		request(0, 400, 5400, 1024, 1024), request(0, 600, 5600, 1024, 1024), request(100, 1100, 6200, 1024, 1024), short, untold,
	}}).(*CatidG1)
	number(t, "output_tokens_per_s", f.OutputTPS, 3*1024/6.2)
	number(t, "input_tokens_per_s", f.InputTPS, 3*1024/6.2)
	number(t, "total_tokens_per_s", f.TotalTPS, 6*1024/6.2)
	span(t, "ttft_mean", f.TTFTMean, 666666666)
	span(t, "ttft_p50", f.TTFTP50, 600*time.Millisecond)
	span(t, "ttft_p95", f.TTFTP95, 960*time.Millisecond)
	span(t, "tpot_mean", f.TPOTMean, 4920169)
	span(t, "e2e_p50", f.E2EP50, 5600*time.Millisecond)
	span(t, "e2e_p95", f.E2EP95, 6050*time.Millisecond)
	span(t, "wall", f.Wall, 6200*time.Millisecond)
	if f.Successful != 3 {
		t.Errorf("successful = %d, want 3", f.Successful)
	}
}

func TestCatidG1OfOneToken(t *testing.T) {
	// max(n − 1, 1): one token has a time per token in this method.
	f := catidG1.Compute(Level{Concurrency: 1, Wall: time.Second, Requests: []*metric.Request{request(0, 400, 450, 8, 1)}}).(*CatidG1)
	span(t, "tpot_mean", f.TPOTMean, 50*time.Millisecond)
	span(t, "ttft_p95", f.TTFTP95, 400*time.Millisecond)
}

func TestFormulasWithoutARequest(t *testing.T) {
	for _, f := range All() {
		data, err := json.Marshal(f.Compute(Level{Concurrency: 1, Wall: time.Second}))
		if err != nil || !json.Valid(data) {
			t.Errorf("%s: %s, %v", f.ID, data, err)
		}
		if found, ok := Find(f.ID); !ok || found.Variable() == f.ID {
			t.Errorf("%s is not found, or its variable is no name", f.ID)
		}
	}
}
