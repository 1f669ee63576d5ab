package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"scenario/internal/engine"
	"scenario/internal/metric"
	"scenario/internal/simserver"
)

func TestFiguresAreExactInVirtualTime(t *testing.T) {
	cfg := simserver.Healthy()
	r := healthy(t, `
  - name: decode
    kind: fixed-token
    concurrency: [1]
    workload: {prompt: {ids: random, tokens: 1000}, output_tokens: 101}
    warmup: off
    load: {requests: 5}
    checks:
      correct: ["all(requests, .prompt_tokens == 1000 and .output_tokens == 101 and .finish_reason == \"length\")"]
      slo: [ttft.p50 < s(1), user_tps.p50 > 1, output_tps > 1, itl.mean < s(1)]
`)
	l := r.Phases[0].Levels[0]
	if l.State != engine.Accepted {
		t.Fatalf("the level is %s: %s", l.State, l.Why())
	}
	first, step := cfg.Step(1, 1000), cfg.Step(1, 0)
	f := l.Figures
	for name, c := range map[string]struct {
		got  func() (float64, bool)
		want time.Duration
	}{
		"ttft.min": {f.TTFT.Min, first},
		"ttft.max": {f.TTFT.Max, first},
		"ttfc.max": {f.TTFC.Max, first},
		"tpot.max": {f.TPOT.Max, step},
		"itl.min":  {f.ITL.Min, step},
		"itl.max":  {f.ITL.Max, step},
		"gap.mean": {f.Gap.Mean, step},
		"e2e.max":  {f.E2E.Max, first + 100*step},
		"stall":    {f.Stall.Max, step},
		"lag":      {f.StartLag.Max, 0},
	} {
		if got, ok := c.got(); !ok || time.Duration(got) != c.want {
			t.Errorf("%s = %v (known %v), want %v", name, time.Duration(got), ok, c.want)
		}
	}
	window, _ := f.Window.Duration()
	tps, _ := f.OutputTPS.Number()
	if want := 505 / window.Seconds(); tps != want {
		t.Errorf("output_tps = %v, want %v", tps, want)
	}
	if f.ITL.Count() != 500 || f.TTFT.Count() != 5 {
		t.Errorf("itl has %d samples, ttft %d; want 500 and 5", f.ITL.Count(), f.TTFT.Count())
	}
}

func TestQueueTimeStaysInTTFT(t *testing.T) {
	cfg := simserver.Healthy()
	cfg.Slots = 16
	phases := `
  - name: decode
    kind: fixed-token
    concurrency: [16, 64]
    workload: {prompt: {ids: random, tokens: 16}, output_tokens: 256}
    warmup: off
    load: {mode: wave}
    checks: {correct: [ok_count == issued]}
`
	r := world{server: cfg}.run(t, plan(t, header+phases, engine.PlanOptions{}))
	narrow, wide := r.Phases[0].Levels[0].Figures, r.Phases[0].Levels[1].Figures
	batch := cfg.Step(16, 0) * 255
	least, _ := narrow.TTFT.Max()
	most, _ := wide.TTFT.Max()
	if time.Duration(most) < 3*batch || time.Duration(least) > batch/10 {
		t.Errorf("the longest TTFT is %v at C=16 and %v at C=64; three of four at C=64 wait for a slot, %v each time", time.Duration(least), time.Duration(most), batch)
	}
	n, _ := narrow.OutputTPS.Number()
	w, _ := wide.OutputTPS.Number()
	if w < 0.95*n || w > 1.05*n {
		t.Errorf("16 slots give %.0f tok/s at C=16 and %.0f at C=64: the same server", n, w)
	}
}

func TestVerdicts(t *testing.T) {
	level := func(extra string) string {
		return `
  - name: decode
    kind: fixed-token
    concurrency: [1, 2]
    workload: {prompt: {ids: random, tokens: 32}, output_tokens: 32}
` + extra
	}
	for name, c := range map[string]struct {
		phases string
		exit   int
		states []string
	}{
		"go": {level("    checks: {correct: [ok_count == issued]}\n"), 0, []string{"decode accepted", "decode accepted"}},
		"a wrong correct check": {
			level("    checks: {correct: [\"all(requests, .output_tokens == 31)\"]}\n"), 3, []string{"decode rejected", "decode rejected"},
		},
		"a missed slo": {
			level("    checks: {correct: [ok_count == issued], slo: [ttft.p50 < us(1)]}\n"), 1, []string{"decode missed", "decode missed"},
		},
		"a missed slo at one level": {
			level("    checks: {correct: [ok_count == issued], slo: [{expr: ttft.p50 < us(1), when: concurrency == 2}]}\n"), 1, []string{"decode accepted", "decode missed"},
		},
		"an unsound measurement": {
			level("    checks: {correct: [ok_count == issued], valid: [cached_ratio > 0.5]}\n"), 4, []string{"decode invalid", "decode invalid"},
		},
		"unknown data": {
			level("    checks: {correct: [ok_count == issued], valid: [reasoning_tokens.mean > 1]}\n"), 4, []string{"decode undecided", "decode undecided"},
		},
		"wrong and unsound: the worst wins": {
			level("    checks: {correct: [ok_count < 0], valid: [cached_ratio > 0.5]}\n"), 3, []string{"decode rejected", "decode rejected"},
		},
		"explored levels do not count": {
			level("    gate: concurrency < 2\n    checks: {correct: [ok_count == 5]}\n"), 0, []string{"decode accepted", "decode rejected"},
		},
		"fail fast": {
			level("    fail_fast: true\n    checks: {correct: [ok_count < 0]}\n"), 3, []string{"decode rejected", "decode skipped"},
		},
		"a required phase that failed": {
			level("    checks: {correct: [ok_count < 0]}\n") + "  - name: second\n    requires: [decode]\n" + strings.TrimPrefix(level("    checks: {correct: [ok_count == issued]}\n"), "\n  - name: decode\n"),
			3,
			[]string{"decode rejected", "decode rejected", "second skipped", "second skipped"},
		},
		"a required phase that was only slow": {
			level("    checks: {correct: [ok_count == issued], slo: [ttft.p50 < us(1)]}\n") + "  - name: second\n    requires: [decode]\n" + strings.TrimPrefix(level("    checks: {correct: [ok_count == issued]}\n"), "\n  - name: decode\n"),
			1,
			[]string{"decode missed", "decode missed", "second accepted", "second accepted"},
		},
		"a prompt that does not fit the context": {
			strings.Replace(level("    checks: {correct: [ok_count == issued]}\n"), "tokens: 32}", "tokens: 32760}", 1), 4, []string{"decode skipped", "decode skipped"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := healthy(t, c.phases)
			if r.Verdict.ExitCode != c.exit {
				t.Errorf("exit %d (%s), want %d: %v", r.Verdict.ExitCode, r.Verdict.Decision, c.exit, r.Verdict.Reasons)
			}
			if got := states(r); !slices.Equal(got, c.states) {
				t.Errorf("levels %v, want %v", got, c.states)
			}
			if c.exit != 0 && len(r.Verdict.Reasons) == 0 {
				t.Error("the verdict gives no reason")
			}
		})
	}
}

func TestWithheldFiguresShowNoSpeed(t *testing.T) {
	r := healthy(t, `
  - name: decode
    kind: fixed-token
    concurrency: [1]
    workload: {prompt: {ids: random, tokens: 32}, output_tokens: 32}
    checks:
      correct: [ok_count < 0, ttft.mean > s(100)]
      slo: [output_tps > 1]
`)
	l := r.Phases[0].Levels[0]
	if l.Figures != nil || l.Withheld == nil {
		t.Error("the figures of a rejected level are not withheld")
	}
	for _, c := range l.Checks {
		if c.Group == "slo" && (c.Result != "not_judged" || len(c.Values) > 0) {
			t.Errorf("the slo check is %s with values %v", c.Result, c.Values)
		}
		for _, v := range c.Values {
			if strings.HasPrefix(v.Path, "ttft") && v.Text != "withheld" {
				t.Errorf("%s = %q is printed for a rejected level", v.Path, v.Text)
			}
		}
	}
}

func TestInterruptedRunsAreValidAndIncomplete(t *testing.T) {
	for name, stop := range map[string]func(context.CancelFunc, *memory){
		"before the target is found": func(cancel context.CancelFunc, _ *memory) { cancel() },
		"during the warm-up":         func(cancel context.CancelFunc, _ *memory) { time.AfterFunc(300*time.Millisecond, cancel) },
		"during the load": func(cancel context.CancelFunc, m *memory) {
			m.onLine = func(n int) {
				if n == 3 {
					cancel()
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := &memory{}
			r := world{server: simserver.Healthy(), store: store, cancelled: stop}.run(t, plan(t, header+ladder, engine.PlanOptions{}))
			if r.Verdict.ExitCode != engine.ExitInterrupted || r.Verdict.Decision != engine.Incomplete || r.Run.Complete || !r.Run.Interrupted {
				t.Errorf("verdict %+v, complete %v", r.Verdict, r.Run.Complete)
			}
			for _, p := range r.Phases {
				for _, l := range p.Levels {
					if l.State == engine.Accepted || l.Figures != nil {
						t.Errorf("C=%d is %s with figures", l.Concurrency, l.State)
					}
				}
			}
			last := store.results[len(store.results)-1]
			if !json.Valid([]byte(last)) || !strings.Contains(last, `"complete":false`) {
				t.Errorf("the stored result is not a valid incomplete one: %.200s", last)
			}
		})
	}
}

func TestResultsOnDiskAreIncompleteUntilTheEnd(t *testing.T) {
	store := &memory{}
	world{server: simserver.Healthy(), store: store}.run(t, plan(t, header+ladder, engine.PlanOptions{}))
	for i, stored := range store.results {
		var r engine.Result
		if err := json.Unmarshal([]byte(stored), &r); err != nil {
			t.Fatalf("stored result %d: %v", i, err)
		}
		if last := i == len(store.results)-1; r.Run.Complete != last || (r.Verdict.Decision == engine.Go) != last {
			t.Errorf("stored result %d of %d: complete %v, verdict %s", i, len(store.results), r.Run.Complete, r.Verdict.Decision)
		}
	}
	if len(store.results) < 4 || len(store.lines) != 45 {
		t.Errorf("%d results and %d requests stored; want at least 4, and 45", len(store.results), len(store.lines))
	}
}

func TestUnusableTargets(t *testing.T) {
	refused := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}
	keyed := simserver.Healthy()
	keyed.APIKey = "secret-key-1"
	other := simserver.Healthy()
	other.Model = "sim-2"
	for name, c := range map[string]struct {
		w    world
		want string
	}{
		"nothing listens":    {world{server: simserver.Healthy(), dial: refused}, "cannot be reached"},
		"a key is wanted":    {world{server: keyed}, "api_key_env"},
		"another model":      {world{server: other}, `the target lists "sim-2" (did you mean "sim-2"?)`},
		"still not after it": {world{server: simserver.Healthy(), dial: refused, wait: 10 * time.Second}, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.w.run(t, plan(t, header+ladder, engine.PlanOptions{}))
			if r.Verdict.ExitCode != engine.ExitUnusable || !strings.Contains(strings.Join(r.Verdict.Reasons, "\n"), c.want) {
				t.Errorf("verdict %+v, want exit 5 and %q", r.Verdict, c.want)
			}
			if len(r.Phases) > 0 {
				t.Error("phases were run")
			}
		})
	}
}

func TestWaitingForATargetThatComesUp(t *testing.T) {
	tries, refusals := 0, 4
	w := world{server: simserver.Healthy(), wait: time.Minute, watch: watcher(func(e engine.Event) {
		if _, ok := e.(engine.Waiting); ok {
			tries++
		}
	})}
	w.dialAfter = func() error {
		if refusals > 0 {
			refusals--
			return &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		}
		return nil
	}
	r := w.run(t, plan(t, header+ladder, engine.PlanOptions{}))
	if r.Verdict.Decision != engine.Go || tries != 4 {
		t.Errorf("verdict %s after %d waits; want GO after 4", r.Verdict.Decision, tries)
	}
}

type watcher func(engine.Event)

func (w watcher) Observe(e engine.Event) { w(e) }

func TestTooFewDescriptorsAreThisMachinesFault(t *testing.T) {
	r := world{server: simserver.Healthy(), descriptors: 36}.run(t, plan(t, header+ladder, engine.PlanOptions{}))
	if got := states(r); !slices.Equal(got, []string{"decode accepted", "decode skipped"}) {
		t.Errorf("levels %v", got)
	}
	if r.Verdict.ExitCode != engine.ExitInvalid || !strings.Contains(strings.Join(r.Verdict.Reasons, " "), "this process may open 36") {
		t.Errorf("verdict %+v", r.Verdict)
	}
}

func TestALevelThatThisMachineCannotHoldIsNotSent(t *testing.T) {
	store, tried := &memory{}, []int{}
	r := world{
		server: simserver.Healthy(), store: store,
		calibrate: func(_ context.Context, streams int) (*engine.Trial, error) {
			tried = append(tried, streams)
			held := 1.0
			if streams > 1 {
				held = 0.5
			}
			return &engine.Trial{Streams: streams, LagP99: metric.Span(time.Millisecond), Held: metric.Known(held)}, nil
		},
	}.run(t, plan(t, header+ladder, engine.PlanOptions{}))
	if got := states(r); !slices.Equal(got, []string{"decode accepted", "decode invalid"}) || r.Verdict.ExitCode != engine.ExitInvalid {
		t.Fatalf("levels %v, exit %d", got, r.Verdict.ExitCode)
	}
	void := r.Phases[0].Levels[1]
	if len(void.Guards) != 1 || void.Guards[0].ID != "client-bound" || void.Guards[0].Effect != engine.Void || !strings.HasPrefix(void.Why(), "this machine cannot hold") {
		t.Errorf("the level says %q, guards %+v", void.Why(), void.Guards)
	}
	if void.Figures != nil || void.Withheld != nil || len(store.lines) != r.Phases[0].Levels[0].Planned {
		t.Errorf("%d requests were sent", len(store.lines))
	}
	if n := len(tried); n < 7 || tried[n-1] == 1 {
		t.Errorf("tried %v: want three of the largest, one of the first, three more of the largest", tried)
	}
}

func TestStoreErrorsAreReported(t *testing.T) {
	p := plan(t, header+ladder, engine.PlanOptions{When: "concurrency == 1"})
	full := errors.New("no space left on device")
	r, err := runWithStore(t, p, failingStore{full})
	if !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	if r == nil || r.Verdict.Decision != engine.Invalid || r.Verdict.ExitCode != engine.ExitInvalid {
		t.Errorf("a run whose files fail gives %+v", r.Verdict)
	}
}

type failingStore struct{ err error }

func (s failingStore) Request(engine.RequestLine) error { return s.err }
func (s failingStore) Result(*engine.Result) error      { return s.err }
