package engine

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
	"scenario/internal/spec"
	"scenario/internal/target"
)

// latencies are 400 samples of one length.
func latencies(d time.Duration) metric.Durations {
	return metric.NewDurations(slices.Repeat([]float64{float64(d)}, 400))
}

func TestClientBound(t *testing.T) {
	for name, c := range map[string]struct {
		client metric.Client
		shared bool // the server runs in this process
		fires  string
	}{
		"at its ease":                       {client: metric.Client{CPURatio: metric.Known(0.1), WaitRatio: metric.Known(0.1), Lag: latencies(time.Millisecond), SendLag: latencies(time.Millisecond), Cores: 2}},
		"nothing is known":                  {},
		"CPU at the bound":                  {client: metric.Client{CPURatio: metric.Known(0.8), Cores: 2}},
		"CPU over the bound":                {client: metric.Client{CPURatio: metric.Known(0.81), Cores: 2}, fires: "81 % of its 2 cores"},
		"CPU that the server may have used": {client: metric.Client{CPURatio: metric.Known(0.99), Cores: 2}, shared: true},
		"waiting at the bound":              {client: metric.Client{CPURatio: metric.Known(0.2), WaitRatio: metric.Known(0.3), Lag: latencies(6 * time.Millisecond), Cores: 2}},
		"starved":                           {client: metric.Client{CPURatio: metric.Known(0.2), WaitRatio: metric.Known(0.31), Lag: latencies(6 * time.Millisecond), Cores: 2}, fires: "starved: 31 %"},
		"starved, by its sending":           {client: metric.Client{CPURatio: metric.Known(0.2), WaitRatio: metric.Known(0.31), SendLag: latencies(6 * time.Millisecond), Cores: 2}, fires: "starved: 31 %"},
		"waiting, and not late":             {client: metric.Client{CPURatio: metric.Known(0.2), WaitRatio: metric.Known(0.9), Lag: latencies(5 * time.Millisecond), Cores: 2}},
		"waiting, but hardly running":       {client: metric.Client{CPURatio: metric.Known(0.02), WaitRatio: metric.Known(0.9), Cores: 2}},
		"lag at the bound":                  {client: metric.Client{Lag: latencies(20 * time.Millisecond)}},
		"lag over the bound":                {client: metric.Client{Lag: latencies(21 * time.Millisecond)}, fires: "handled 21ms late"},
		"lag over the bound, server inside": {client: metric.Client{Lag: latencies(21 * time.Millisecond)}, shared: true, fires: "handled 21ms late"},
		"few samples, the longest counts":   {client: metric.Client{Lag: metric.NewDurations([]float64{1, 30e6})}, fires: "handled 30ms late"},
		"sent at the bound":                 {client: metric.Client{SendLag: latencies(20 * time.Millisecond)}},
		"sent over the bound":               {client: metric.Client{SendLag: latencies(25 * time.Millisecond)}, fires: "written 25ms after they were due"},
	} {
		t.Run(name, func(t *testing.T) {
			e := scene(replies(9, nil))
			e.found.Client, e.sharesProcess = c.client, c.shared
			results := slices.DeleteFunc(watch(tune(nil), e), func(r GuardResult) bool { return r.ID != "client-bound" })
			switch {
			case c.fires == "" && len(results) > 0:
				t.Errorf("fired: %s", results[0].Message)
			case c.fires == "":
			case len(results) != 1 || results[0].Effect != Void:
				t.Errorf("got %v, want invalid", results)
			case !strings.Contains(results[0].Message, c.fires) || !strings.Contains(results[0].Message, "load generator"):
				t.Errorf("message %q does not blame the load generator and say %q", results[0].Message, c.fires)
			}
		})
	}
}

func TestFailuresOfThisMachineAreNotTheServers(t *testing.T) {
	for name, n := range map[string]int{"one of twenty": 20, "all": 1} {
		t.Run(name, func(t *testing.T) {
			e := scene(replies(20, func(i int, r *metric.Request) {
				if i%n == 0 {
					r.OK, r.Outcome, r.ClientFault = false, metric.OutcomeConnectError, true
					r.Error = "this machine, not the server: too many open files"
				}
			}))
			results := slices.DeleteFunc(watch(tune(nil), e), func(r GuardResult) bool { return r.Status != Fired || !r.Effect.Decides() })
			if len(results) != 1 || results[0].ID != "client-bound" || !strings.Contains(results[0].Message, "failed on this machine, first: this machine, not the server") {
				t.Errorf("fired: %v, want client-bound alone", results)
			}
			if slices.ContainsFunc(e.found.Requests, unanswered) {
				t.Error("the target is asked whether it is alive, although it was not asked for anything")
			}
		})
	}
	if r := notSent(Place{}, errors.New("no such field")); !r.ClientFault {
		t.Error("a request that could not be built is the server's fault")
	}
}

func TestASlowTrialSaysWhatItMeasured(t *testing.T) {
	for want, trial := range map[string]*Trial{
		"this machine cannot hold 8 streams: against a server that does nothing, events were handled 200ms late (p99), 40 % of them in time": trial(8, 200*time.Millisecond, 0.4),
		"this machine cannot hold 8 streams: against a server that does nothing, events were handled 200ms late (p99)":                       {Streams: 8, LagP99: metric.Span(200 * time.Millisecond)},
	} {
		if got := trial.tooSlow(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// trials runs the calibration of each level in turn, against trials that are good
// up to so many streams; what is not in the list are all later ones of a level.
func trials(t *testing.T, levels []int, good func(n, streams int) (*Trial, error)) (tried []int, reasons []string) {
	t.Helper()
	phase := &PhasePlan{Spec: &spec.Phase{}}
	for _, c := range levels {
		phase.Levels = append(phase.Levels, &LevelPlan{Concurrency: c})
	}
	r := &Runner{Plan: &Plan{Phases: []*PhasePlan{phase}}, result: &Result{}, facts: &target.Facts{}}
	r.Calibrate = func(_ context.Context, streams int) (*Trial, error) {
		tried = append(tried, streams)
		return good(len(tried), streams)
	}
	for _, l := range phase.Levels {
		reasons = append(reasons, r.calibrate(t.Context(), l))
	}
	return tried, reasons
}

func trial(streams int, lag time.Duration, held float64) *Trial {
	return &Trial{Streams: streams, LagP99: metric.Span(lag), Held: metric.Known(held)}
}

func TestTrials(t *testing.T) {
	quick := func(_, streams int) (*Trial, error) { return trial(streams, time.Millisecond, 1), nil }
	for name, c := range map[string]struct {
		good  func(n, streams int) (*Trial, error)
		tried []int
		void  []bool
	}{
		"one of the largest level is enough": {quick, []int{64}, []bool{false, false, false}},
		"a bad one may be chance": {
			func(n, streams int) (*Trial, error) {
				if n < 3 {
					return trial(streams, time.Second, 1), nil
				}
				return quick(n, streams)
			},
			[]int{64, 64, 64},
			[]bool{false, false, false},
		},
		"a machine that can hold the smaller levels": {
			func(n, streams int) (*Trial, error) {
				if streams > 8 {
					return trial(streams, time.Millisecond, 0.5), nil
				}
				return quick(n, streams)
			},
			[]int{64, 64, 64, 1, 8, 64, 64, 64},
			[]bool{false, false, true},
		},
		"at the bounds": {
			func(_, streams int) (*Trial, error) { return trial(streams, maxTrialLag, minHeld), nil },
			[]int{64},
			[]bool{false, false, false},
		},
		"none can be made": {
			func(int, int) (*Trial, error) { return nil, errors.New("no port") },
			[]int{64, 1, 64, 8, 64},
			[]bool{false, false, false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tried, reasons := trials(t, []int{1, 8, 64}, c.good)
			if !slices.Equal(tried, c.tried) {
				t.Errorf("tried %v, want %v", tried, c.tried)
			}
			for i, why := range reasons {
				if (why != "") != c.void[i] {
					t.Errorf("level %d: %q", i, why)
				}
				if why != "" && !strings.Contains(why, "this machine cannot hold 64 streams") {
					t.Errorf("level %d blames something else: %q", i, why)
				}
			}
		})
	}
}

func TestWhatTheProgramUsed(t *testing.T) {
	var c metric.Client
	before := lookAtSelf()
	before.cpu -= time.Second
	before.at = before.at.Add(-10 * time.Second)
	before.since(new(chat.Lag), &c)
	if v, ok := c.CPURatio.Number(); before.cpu != -time.Second && (!ok || v*float64(c.Cores) < 0.09 || v*float64(c.Cores) > 0.2) {
		t.Errorf("cpu_ratio %v of %d cores, want about a tenth of a core", v, c.Cores)
	}
	if _, known := c.Lag.Quantile(0.5); known {
		t.Error("a lag is known, although nothing was handled")
	}
	unknown := self{at: before.at, cpu: before.cpu}
	var other metric.Client
	unknown.since(new(chat.Lag), &other)
	if _, ok := other.WaitRatio.Number(); ok {
		t.Error("a wait_ratio is known, although the time before is not")
	}
}

func TestLongestPauseIsOfTheLastCollections(t *testing.T) {
	if longestPause(0) != 0 {
		t.Error("no collection has a pause")
	}
	debug.FreeOSMemory() // collects
	if longestPause(1) <= 0 || longestPause(1<<40) < longestPause(1) {
		t.Errorf("last %v, all %v", longestPause(1), longestPause(1<<40))
	}
}
