package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"scenario/internal/engine"
	"scenario/internal/metric"
	"scenario/internal/simserver"
)

// sent is a line of requests.jsonl, its stamps as times from the first due moment.
type sent struct {
	Concurrency int
	Rate        float64
	Outcome     string
	Held        bool
	TTFT, E2E   *float64
	At          metric.Stamps
}

func (s sent) due(origin int64) time.Duration     { return time.Duration(s.At.Due - origin) }
func (s sent) written(origin int64) time.Duration { return time.Duration(s.At.Written - origin) }

// linesOf are the requests that a run stored, in the order of their writes.
func linesOf(t *testing.T, store *memory) (list []sent, origin int64) {
	t.Helper()
	for _, line := range store.lines {
		var s sent
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b sent) int { return int(a.At.Due - b.At.Due) })
	if len(list) > 0 {
		origin = list[0].At.Due
	}
	return list, origin
}

// loaded runs one phase of short requests with a load, on a simulated server or a
// handler, and returns its only level, what it stored, and the result.
func loaded(t *testing.T, w world, phase string) (*engine.LevelResult, []sent, *engine.Result) {
	t.Helper()
	store := &memory{}
	w.store = store
	if w.handler == nil && w.server.Model == "" {
		w.server = simserver.Healthy()
	}
	r := w.run(t, plan(t, header+phase, engine.PlanOptions{}))
	lines, _ := linesOf(t, store)
	return r.Phases[0].Levels[0], lines, r
}

const windowPhase = `
  - name: soak
    kind: fixed-token
    concurrency: 4
    workload: {prompt: {ids: random, tokens: 64}, output_tokens: 256}
    warmup: off
    load: {mode: window, duration: 20s%s}
    checks: {correct: [ok_count == issued, "all(requests, .output_tokens == 256)"]}
`

func TestWindowKeepsItsConcurrencyToItsEndAndFinishesWhatIsInFlight(t *testing.T) {
	l, lines, r := loaded(t, world{}, fmt.Sprintf(windowPhase, ""))
	if l.State != engine.Accepted || r.Verdict.Decision != engine.Go {
		t.Fatalf("the level is %s: %s", l.State, l.Why())
	}
	origin := lines[0].At.Due
	last, after := lines[len(lines)-1].written(origin), 0
	for _, s := range lines {
		if time.Duration(s.At.Closed-origin) > 20*time.Second {
			after++
		}
	}
	if last >= 20*time.Second || last < 18*time.Second || after != 4 {
		t.Errorf("the last request was written after %v, and %d ended after the window: want 4", last, after)
	}
	f := l.Figures
	if f.Issued != len(lines) || f.E2E.Count() != len(lines) || f.CutCount != 0 || l.Planned != 0 {
		t.Errorf("issued %d, e2e of %d, cut %d, planned %d; %d were sent", f.Issued, f.E2E.Count(), f.CutCount, l.Planned, len(lines))
	}
	if held, _ := f.InflightMean.Number(); held < 3.99 || held > 4 {
		t.Errorf("%v were in flight on average", held)
	}
	whole, _ := f.OutputTPS.Number()
	steady, ok := f.OutputTPSSteady.Number()
	if !ok || steady < whole || steady > 1.1*whole {
		t.Errorf("output_tps %v, output_tps_steady %v: the whole has the ends in it", whole, steady)
	}
}

func TestWindowThatCancelsCountsWhatWasCutOffAsSlower(t *testing.T) {
	finished, _, _ := loaded(t, world{}, fmt.Sprintf(windowPhase, ""))
	l, lines, _ := loaded(t, world{}, fmt.Sprintf(windowPhase, ", drain: cancel"))
	if l.State != engine.Accepted {
		t.Fatalf("the level is %s: %s", l.State, l.Why())
	}
	f := l.Figures
	cut := 0
	for _, s := range lines {
		if s.Outcome == metric.OutcomeCut {
			cut++
			if end := time.Duration(s.At.Closed - lines[0].At.Due); end != 20*time.Second {
				t.Errorf("a request was cut off after %v, the window has 20s", end)
			}
		}
	}
	if cut != 4 || f.CutCount != 4 || f.Issued != len(lines)-4 || f.OKCount != f.Issued {
		t.Errorf("%d of %d lines are of requests cut off; cut_count %d, issued %d, ok_count %d", cut, len(lines), f.CutCount, f.Issued, f.OKCount)
	}
	if f.TTFT.Count() != len(lines) || f.E2E.Count() != len(lines) || f.TPOT.Count() != f.Issued {
		t.Errorf("ttft has %d samples, e2e %d, tpot %d; of %d requests 4 were cut off", f.TTFT.Count(), f.E2E.Count(), f.TPOT.Count(), len(lines))
	}
	if _, known := f.E2E.Max(); known {
		t.Error("the longest latency is known, though some were cut off")
	}
	if _, known := f.E2E.Quantile(0.5); !known {
		t.Error("the median latency is not known")
	}
	want, _ := finished.Figures.OutputTPSSteady.Number()
	if got, ok := f.OutputTPSSteady.Number(); !ok || math.Abs(got-want) > 0.02*want {
		t.Errorf("output_tps_steady is %v, and %v where requests are finished", got, want)
	}
}

func TestAPercentileAmongWhatWasCutOffIsUndecided(t *testing.T) {
	phase := strings.Replace(fmt.Sprintf(windowPhase, ", drain: cancel"), `"all(requests, .output_tokens == 256)"]}`, `"all(requests, .output_tokens == 256)"], slo: [e2e.p95 < s(5)]}`, 1)
	l, _, _ := loaded(t, world{}, phase)
	if l.State != engine.UndecidedLevel || !strings.Contains(l.Why(), "e2e.p95 was not measured: it falls among the 4 of 72 samples") {
		t.Errorf("the level is %s: %s", l.State, l.Why())
	}
}

func TestRampStartsTheSlotsOneAfterTheOther(t *testing.T) {
	for _, phase := range []string{
		fmt.Sprintf(windowPhase, ", ramp: 8s"),
		strings.Replace(fmt.Sprintf(windowPhase, ""), "mode: window, duration: 20s", "requests: 40, ramp: 8s", 1),
	} {
		l, lines, _ := loaded(t, world{}, phase)
		if l.State != engine.Accepted {
			t.Fatalf("the level is %s: %s", l.State, l.Why())
		}
		var starts []time.Duration
		for _, s := range lines {
			if at := s.written(lines[0].At.Due); at%(2*time.Second) == 0 && at < 8*time.Second {
				starts = append(starts, at)
			}
		}
		if want := []time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second}; !slices.Equal(starts, want) {
			t.Errorf("slots began at %v, want %v", starts, want)
		}
	}
}

func TestHangingRequestsAreNotCutOffButTimedOut(t *testing.T) {
	l, _, r := loaded(t, world{handler: &faulty{reply: func(w http.ResponseWriter, r *http.Request, n, _ int, a ask) {
		if n == 12 {
			<-r.Context().Done()
			return
		}
		good(w, a)
	}}}, fmt.Sprintf(windowPhase, ", drain: cancel"))
	if l.State != engine.Rejected || r.Verdict.ExitCode != engine.ExitRejected || l.Outcomes[metric.OutcomeTimeout] != 1 || l.Found().CutCount != 3 {
		t.Errorf("the level is %s (%s), outcomes %v, cut %d", l.State, l.Why(), l.Outcomes, l.Found().CutCount)
	}
}

func TestNothingMeasuredIsNothingAccepted(t *testing.T) {
	slow := world{handler: &faulty{reply: func(w http.ResponseWriter, r *http.Request, n, _ int, a ask) {
		if n > 1 {
			select {
			case <-time.After(time.Minute):
			case <-r.Context().Done():
			}
		}
		good(w, a)
	}}}
	phase := strings.Replace(fmt.Sprintf(windowPhase, ", drain: cancel"), `, "all(requests, .output_tokens == 256)"`, "", 1)
	l, _, r := loaded(t, slow, phase)
	if l.State != engine.IncompleteLevel || r.Verdict.ExitCode != engine.ExitInvalid || !strings.Contains(l.Reason, "nothing was measured") {
		t.Errorf("the level is %s: %s", l.State, l.Why())
	}
}

const ratePhase = `
  - name: open
    kind: fixed-token
    workload: {prompt: {ids: random, tokens: 16}, output_tokens: 8}
    warmup: off
    load: {mode: rate, %s}
    checks: {correct: [ok_count == issued]}
`

func TestConstantArrivalsAreExact(t *testing.T) {
	l, lines, _ := loaded(t, world{}, fmt.Sprintf(ratePhase, "rates: [4], arrivals: constant, duration: 10s"))
	if l.State != engine.Accepted || l.Rate != 4 || l.Concurrency != 0 || l.Planned != 40 || l.Figures.Issued != 40 {
		t.Fatalf("the level is %s (%s): %+v", l.State, l.Why(), l)
	}
	for i, s := range lines {
		at := time.Duration(i) * 250 * time.Millisecond
		if s.due(lines[0].At.Due) != at || s.written(lines[0].At.Due) != at {
			t.Errorf("request %d was due at %v and written at %v, want %v", i, s.due(lines[0].At.Due), s.written(lines[0].At.Due), at)
		}
	}
	if late, _ := l.Figures.StartLag.Max(); late != 0 {
		t.Errorf("requests began up to %v late", time.Duration(late))
	}
}

func TestPoissonArrivalsAreTheSeedsOwn(t *testing.T) {
	dues := func(load, phase string) []time.Duration {
		l, lines, _ := loaded(t, world{}, strings.Replace(fmt.Sprintf(ratePhase, load), "name: open", "name: "+phase, 1))
		if l.State != engine.Accepted {
			t.Fatalf("the level is %s: %s", l.State, l.Why())
		}
		var list []time.Duration
		for _, s := range lines {
			list = append(list, s.due(lines[0].At.Due))
		}
		return list
	}
	first := dues("rates: [20], requests: 400", "open")
	if again := dues("rates: [20], requests: 400", "open"); !slices.Equal(first, again) {
		t.Error("the same seed gave other arrivals")
	}
	if other := dues("rates: [20], requests: 400", "other"); slices.Equal(first, other) {
		t.Error("another phase has the same arrivals")
	}
	if longer := dues("rates: [20], requests: 500", "open"); !slices.Equal(first, longer[:400]) {
		t.Error("a longer load begins otherwise")
	}
	// 400 exponential gaps of 50 ms: their mean is within 5 standard errors of it,
	// and about e⁻¹ of them are longer.
	mean := first[399].Seconds() / 399
	long := 0
	for i := 1; i < 400; i++ {
		if first[i]-first[i-1] > 50*time.Millisecond {
			long++
		}
	}
	if mean < 0.0375 || mean > 0.0625 || long < 100 || long > 195 {
		t.Errorf("mean gap %v s, %d of 399 longer than 50 ms", mean, long)
	}
	// The numbers are this program's own: no other version may change them.
	if want := []time.Duration{0, 31_085_945, 55_407_540, 96_791_513}; !slices.Equal(first[:4], want) {
		t.Errorf("the arrivals are %d", first[:4])
	}
}

// serial answers each request after half a second, however many there are.
func serial() *faulty {
	return &faulty{reply: func(w http.ResponseWriter, _ *http.Request, _, _ int, a ask) {
		time.Sleep(500 * time.Millisecond)
		good(w, ask{Prompt: a.Prompt, MaxTokens: a.MaxTokens})
	}}
}

func TestALateStartIsInTheLatencyAndVoidsTheRate(t *testing.T) {
	phase := strings.Replace(fmt.Sprintf(ratePhase, "rates: [10], arrivals: constant, requests: 8, max_in_flight: 1"), "output_tokens: 8", "output_tokens: 1", 1)
	l, lines, r := loaded(t, world{handler: serial()}, phase)
	if l.State != engine.InvalidLevel || !slices.Equal(fired(r), []string{"concurrency-not-held"}) {
		t.Fatalf("the level is %s, guards %v: %s", l.State, fired(r), l.Why())
	}
	if !strings.Contains(l.Why(), "7 of 8 requests could not start when they were due, because max_in_flight (1) were in flight") {
		t.Error(l.Why())
	}
	// Each takes 504 ms (its token, and 4 ms until the server ends it), from its
	// write; request i is due at 100 ms · i and written at 504 ms · i.
	for i, s := range lines {
		if want := 0.5 + 0.404*float64(i); s.E2E == nil || math.Abs(*s.E2E-want) > 1e-6 || s.Held != (i > 0) {
			t.Errorf("request %d: e2e %v, want %v; held %v", i, *s.E2E, want, s.Held)
		}
	}
}

func TestAStallAtARateIsSeenByAllThatCameMeanwhile(t *testing.T) {
	began := time.Time{}
	stalling := &faulty{reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
		if n == 2 {
			began = time.Now()
		}
		if since := time.Since(began); n > 1 && since >= 5*time.Second && since < 10*time.Second {
			time.Sleep(10*time.Second - since)
		}
		good(w, a)
	}}
	phase := fmt.Sprintf(ratePhase, "rates: [10], arrivals: constant, duration: 15s")
	l, _, _ := loaded(t, world{handler: stalling}, phase)
	if l.State != engine.Accepted {
		t.Fatalf("the level is %s: %s", l.State, l.Why())
	}
	// 50 of 150 requests came during the stall, and waited 2.5 s on average.
	slow, _ := l.Figures.TTFT.Quantile(0.9)
	most, _ := l.Figures.TTFT.Max()
	mean, _ := l.Figures.TTFT.Mean()
	if time.Duration(most) != 5*time.Second || time.Duration(slow) < 3*time.Second || math.Abs(time.Duration(mean).Seconds()-0.85) > 0.01 {
		t.Errorf("ttft max %v, p90 %v, mean %v", time.Duration(most), time.Duration(slow), time.Duration(mean))
	}
}

func TestOverloadAtARateEndsWithItsDuration(t *testing.T) {
	l, lines, r := loaded(t, world{handler: serial()}, fmt.Sprintf(ratePhase, "rates: [10], duration: 10s, arrivals: constant, max_in_flight: 2"))
	if l.State != engine.InvalidLevel || !slices.Equal(fired(r), []string{"concurrency-not-held"}) || !strings.Contains(l.Why(), "were never sent") {
		t.Errorf("the level is %s: %s", l.State, l.Why())
	}
	if last := lines[len(lines)-1].written(lines[0].At.Due); last > 10*time.Second {
		t.Errorf("a request was written after %v", last)
	}
}

func TestRateLevelsAreNamedByTheirRate(t *testing.T) {
	r := healthy(t, strings.Replace(fmt.Sprintf(ratePhase, "rates: [0.5, 4], requests: 20"), "checks: {correct: [ok_count == issued]}", "gate: rate <= 1\n    checks: {correct: [ok_count == issued, {expr: ok_count == 20, when: rate > 1}], slo: [ttft.p50 < us(1)]}", 1))
	if r.Verdict.ExitCode != engine.ExitMissed || len(r.Verdict.Reasons) != 1 || !strings.HasPrefix(r.Verdict.Reasons[0], "open 0.5/s missed: ") {
		t.Errorf("verdict %v", r.Verdict)
	}
}

func TestMaxDurationLeavesALevelIncomplete(t *testing.T) {
	phase := strings.Replace(wide, "requests: 40", "requests: 40, max_duration: 1s", 1)
	l, _, r := loaded(t, world{handler: &faulty{reply: func(w http.ResponseWriter, _ *http.Request, _, _ int, a ask) { good(w, a) }}}, phase)
	if l.State != engine.IncompleteLevel || r.Verdict.ExitCode != engine.ExitInvalid || !strings.HasPrefix(l.Reason, "max_duration of 1s reached after 24 of 40 requests") {
		t.Errorf("the level is %s: %s; verdict %v", l.State, l.Reason, r.Verdict)
	}
	l, _, r = loaded(t, world{handler: &faulty{reply: func(w http.ResponseWriter, _ *http.Request, _, _ int, a ask) { wall(w, a) }}}, phase)
	if l.State != engine.Rejected || r.Verdict.ExitCode != engine.ExitRejected || !slices.Equal(fired(r), []string{"same-outputs"}) || len(l.Notes) == 0 {
		t.Errorf("of a broken server the level is %s: %s; guards %v, notes %v", l.State, l.Why(), fired(r), l.Notes)
	}
}

func TestTheDeadlineOfARunLeavesTheRestIncomplete(t *testing.T) {
	phases := strings.Replace(strings.Replace(wide, "concurrency: 8", "concurrency: [4, 8]", 1), "warmup: off", "warmup: off\n    canaries: off", 1)
	phases += strings.Replace(wide, "name: decode", "name: second", 1)
	w := world{server: simserver.Healthy(), deadline: 2 * time.Second}
	r := w.run(t, plan(t, header+phases, engine.PlanOptions{}))
	if got := states(r); !slices.Equal(got, []string{"decode incomplete", "decode skipped", "second skipped"}) || r.Verdict.ExitCode != engine.ExitInvalid || r.Run.Interrupted {
		t.Errorf("states %v, verdict %v", got, r.Verdict)
	}
	for _, reason := range r.Verdict.Reasons {
		if !strings.Contains(reason, "the run's deadline of 2s was reached") {
			t.Errorf("a reason is %q", reason)
		}
	}
	w.began = 3 * time.Second
	r = w.run(t, plan(t, header+phases, engine.PlanOptions{}))
	if got := states(r); !slices.Equal(got, []string{"decode skipped", "decode skipped", "second skipped"}) || r.Verdict.ExitCode != engine.ExitInvalid || r.Target != nil {
		t.Errorf("begun after its deadline: states %v, verdict %v", got, r.Verdict)
	}
	hang := &faulty{reply: func(_ http.ResponseWriter, r *http.Request, _, _ int, _ ask) { <-r.Context().Done() }}
	r = world{handler: hang, deadline: 5 * time.Second, wait: time.Minute}.run(t, plan(t, header+phases, engine.PlanOptions{}))
	if r.Verdict.ExitCode != engine.ExitUnusable || !strings.Contains(r.Verdict.Reasons[0], "deadline of 5s was reached before the target had given a completion") {
		t.Errorf("of a target that hangs: %v", r.Verdict)
	}
}

func TestAnInterruptedWindowIsIncomplete(t *testing.T) {
	r := world{server: simserver.Healthy(), cancelled: func(cancel context.CancelFunc, store *memory) {
		store.onLine = func(n int) {
			if n == 10 {
				cancel()
			}
		}
	}}.run(t, plan(t, header+fmt.Sprintf(windowPhase, ", drain: cancel"), engine.PlanOptions{}))
	l := r.Phases[0].Levels[0]
	if l.State != engine.IncompleteLevel || !strings.HasPrefix(l.Reason, "interrupted after 1") || r.Verdict.ExitCode != engine.ExitInterrupted {
		t.Errorf("the level is %s: %s; verdict %v", l.State, l.Reason, r.Verdict)
	}
}

func TestALongWindowHasFiguresPerMinute(t *testing.T) {
	phase := strings.Replace(fmt.Sprintf(windowPhase, ""), "duration: 20s", "duration: 3m", 1)
	phase = strings.Replace(phase, "checks: {correct: [ok_count == issued,", "checks: {valid: [\"all(minutes, .output_tps > 0.95 * output_tps_steady)\"], correct: [len(minutes) == 3,", 1)
	l, _, _ := loaded(t, world{}, phase)
	if l.State != engine.Accepted || len(l.Figures.Minutes) != 3 {
		t.Errorf("the level is %s: %s; %d minutes", l.State, l.Why(), len(l.Figures.Minutes))
	}
}

func TestAWindowDoesNotHammerAServerThatRefuses(t *testing.T) {
	l, lines, r := loaded(t, world{handler: &faulty{reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
		if n > 20 {
			http.Error(w, `{"error":{"message":"busy"}}`, http.StatusServiceUnavailable)
			return
		}
		good(w, a)
	}}}, fmt.Sprintf(windowPhase, ""))
	if l.State != engine.Rejected || !slices.Equal(fired(r), []string{"errors"}) || len(lines) > 80 || len(l.Notes) == 0 || !strings.Contains(strings.Join(l.Notes, "\n"), "the last 50 all failed") {
		t.Errorf("the level is %s after %d requests: %s; notes %v", l.State, len(lines), l.Why(), l.Notes)
	}
}

func TestAMixOfRefusalsDoesNotEndAWindow(t *testing.T) {
	l, lines, _ := loaded(t, world{handler: &faulty{reply: func(w http.ResponseWriter, _ *http.Request, n, _ int, a ask) {
		if n%3 == 0 {
			http.Error(w, `{"error":{"message":"busy"}}`, http.StatusServiceUnavailable)
			return
		}
		good(w, a)
	}}}, strings.Replace(fmt.Sprintf(windowPhase, ""), "warmup: off", "warmup: off\n    error_budget: 0.5", 1))
	if l.State == engine.IncompleteLevel || time.Duration(lines[len(lines)-1].At.Due-lines[0].At.Due) < 15*time.Second {
		t.Errorf("the level is %s: %s", l.State, l.Why())
	}
}

func TestTheLastStretchBeforeAStartIsNapped(t *testing.T) {
	var naps []time.Duration
	w := world{nap: func(d time.Duration) {
		naps = append(naps, d)
		time.Sleep(d / 2) // woken early, once
		if len(naps)%2 == 0 {
			time.Sleep(d)
		}
	}}
	l, lines, _ := loaded(t, w, fmt.Sprintf(ratePhase, "rates: [4], arrivals: constant, duration: 5s"))
	if l.State != engine.Accepted || len(lines) != 20 || len(naps) != 38 || naps[0] != 2*time.Millisecond || naps[1] != time.Millisecond {
		t.Errorf("the level is %s (%s), %d requests, naps %v", l.State, l.Why(), len(lines), naps)
	}
	for i, s := range lines {
		if late := s.written(lines[0].At.Due) - time.Duration(i)*250*time.Millisecond; late < 0 || late > time.Millisecond {
			t.Errorf("request %d was written %v late", i, late)
		}
	}
}
