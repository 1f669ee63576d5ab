package metric

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const ms = int64(time.Millisecond)

// good is a request that was written, gave its first and last token and closed
// at these milliseconds.
func good(index int, written, first, last, closed int64, tokens int) *Request {
	r := &Request{
		Index: index, OK: true, Outcome: OutcomeOK, Events: tokens,
		PromptTokens: Count(10), OutputTokens: Count(tokens), TokensPerEvent: Known(1),
		TTFT: Span(time.Duration((first - written) * ms)), E2E: Span(time.Duration((last - written) * ms)),
		At: Stamps{Written: written*ms + 1, FirstToken: first*ms + 1, LastToken: last*ms + 1, Closed: closed*ms + 1},
	}
	if tokens > 1 {
		r.TPOT = Span(time.Duration((last - first) * ms / int64(tokens-1)))
	}
	return r
}

func failed(index int, outcome string, written, closed int64) *Request {
	return &Request{Index: index, Outcome: outcome, At: Stamps{Written: written*ms + 1, Closed: closed*ms + 1}}
}

func value(t *testing.T, n Number) float64 {
	t.Helper()
	v, ok := n.Number()
	if !ok {
		t.Fatal("the number is unknown")
	}
	return v
}

func TestThroughputIsTokensOverTheWholeWindow(t *testing.T) {
	// The stream of the second request closes long after its last token: that
	// time is not part of the window. Sums of per-request speeds, and windows that
	// leave out the first request's TTFT, give other numbers.
	l := NewLevel(2, []*Request{good(0, 0, 100, 1000, 1000, 100), good(1, 500, 600, 2000, 2600, 100)})
	for name, c := range map[string]struct {
		got  Number
		want float64
	}{
		"output_tps":       {l.OutputTPS, 100},
		"output_tps_share": {l.OutputTPSShare, 50},
		"input_tps":        {l.InputTPS, 10},
		"total_tps":        {l.TotalTPS, 110},
		"request_rate":     {l.RequestRate, 1},
		"tokens_per_event": {l.TokensPerEvent, 1},
		"error_ratio":      {l.ErrorRatio, 0},
	} {
		if got := value(t, c.got); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s = %v, want %v", name, got, c.want)
		}
	}
	if d, _ := l.Window.Duration(); d != 2*time.Second {
		t.Errorf("window = %v, want 2s", d)
	}
}

func TestFailedRequestsEnterNoLatency(t *testing.T) {
	var requests []*Request
	for i := range 8 {
		requests = append(requests, good(i, 0, 100, 1000, 1000, 10))
	}
	for i := range 92 {
		requests = append(requests, failed(8+i, OutcomeHTTPError, 0, 5))
	}
	l := NewLevel(100, requests)
	if p50, ok := l.E2E.Quantile(0.5); !ok || p50 != float64(time.Second) {
		t.Errorf("e2e.p50 = %v (known %v), want 1s: the 5 ms of error pages are in it", time.Duration(p50), ok)
	}
	if l.OKCount != 8 || l.Issued != 100 || value(t, l.ErrorRatio) != 0.92 {
		t.Errorf("ok %d of %d, error ratio %v; want 8, 100, 0.92", l.OKCount, l.Issued, l.ErrorRatio)
	}
	if got := value(t, l.OutputTPS); got != 80 {
		t.Errorf("output_tps = %v, want 80: the tokens of good requests over their window", got)
	}
}

func TestAMismatchIsNoErrorAndNoLatency(t *testing.T) {
	short := good(1, 0, 100, 400, 400, 4)
	short.OK, short.Outcome = false, OutcomeLengthMismatch
	l := NewLevel(2, []*Request{good(0, 0, 100, 1000, 1000, 10), short})
	if value(t, l.ErrorRatio) != 0 || l.OKCount != 1 || l.E2E.Count() != 1 {
		t.Errorf("error ratio %v, ok %d, e2e samples %d; want 0, 1, 1", l.ErrorRatio, l.OKCount, l.E2E.Count())
	}
	if got := value(t, l.OutputTPS); got != 10 {
		t.Errorf("output_tps = %v, want 10 (ten tokens in one second)", got)
	}
}

func TestUnknownCountsMakeRatesUnknown(t *testing.T) {
	silent := good(1, 0, 100, 1000, 1000, 10)
	silent.OutputTokens, silent.TokensPerEvent = Number{}, Number{}
	told := good(0, 0, 100, 1000, 1000, 10)
	l := NewLevel(2, []*Request{told, silent})
	for name, n := range map[string]Number{
		"output_tps": l.OutputTPS, "total_tps": l.TotalTPS, "output_tps_share": l.OutputTPSShare,
		"tokens_per_event": l.TokensPerEvent,
	} {
		if v, ok := n.Number(); ok {
			t.Errorf("%s = %v with a count that was not stated", name, v)
		}
	}
	if l.ITL.Count() != 0 {
		t.Error("itl has samples though it is not known how many tokens an event carries")
	}
}

func TestCachedTokensThatAreLeftOutAreZeroOnlyIfTheServerReportsThem(t *testing.T) {
	told, silent := good(0, 0, 100, 1000, 1000, 10), good(1, 0, 100, 1000, 1000, 10)
	told.CachedTokens = Count(5)
	if got := value(t, NewLevel(2, []*Request{told, silent}).CachedRatio); got != 0.25 {
		t.Errorf("cached_ratio = %v, want 0.25", got)
	}
	if v, ok := NewLevel(1, []*Request{silent}).CachedRatio.Number(); ok {
		t.Errorf("cached_ratio = %v on a server that reports none", v)
	}
}

func TestNothingGoodLeavesNoFigure(t *testing.T) {
	l := NewLevel(2, []*Request{failed(0, OutcomeTimeout, 0, 100), failed(1, OutcomeConnectError, 0, 1)})
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var figures map[string]any
	if err := json.Unmarshal(data, &figures); err != nil {
		t.Fatalf("the figures do not parse: %v\n%s", err, data)
	}
	for _, name := range []string{"output_tps", "request_rate", "cached_ratio", "degenerate_ratio", "window"} {
		if v, ok := figures[name]; !ok || v != nil {
			t.Errorf("%s = %v (present %v), want null", name, v, ok)
		}
	}
	if n := figures["ttft"].(map[string]any)["n"]; n != 0.0 {
		t.Errorf("ttft.n = %v, want 0", n)
	}
	if strings.Contains(string(data), "requests") {
		t.Error("the requests are in the level's JSON: they have a file of their own")
	}
}

func TestGapsAreITLOnlyWithOneTokenPerEvent(t *testing.T) {
	one, several := good(0, 0, 100, 300, 300, 3), good(1, 0, 100, 300, 300, 17)
	one.Gaps = []float64{100e6, 100e6}
	several.Events, several.TokensPerEvent, several.Gaps = 5, Known(17.0/5), []float64{50e6, 50e6, 50e6, 50e6}
	if l := NewLevel(1, []*Request{one}); l.ITL.Count() != 2 || l.Gap.Count() != 2 {
		t.Errorf("itl %d, gap %d samples; want 2 and 2", l.ITL.Count(), l.Gap.Count())
	}
	if l := NewLevel(2, []*Request{one, several}); l.ITL.Count() != 0 || l.Gap.Count() != 6 {
		t.Errorf("itl %d, gap %d samples; want 0 and 6", l.ITL.Count(), l.Gap.Count())
	}
}

func TestLatenciesOfTooFewRequestsAreUnknown(t *testing.T) {
	requests := func(n, without int) []*Request {
		var list []*Request
		for i := range n {
			r := good(i, 0, 100, 300, 300, 3)
			r.Content, r.Stall, r.Gaps = "a b c", Span(100*time.Millisecond), []float64{100e6, 100e6}
			r.TTFC = r.TTFT
			if i < without {
				r.TTFT, r.TTFC, r.TPOT, r.Stall, r.Gaps = Duration{}, Duration{}, Duration{}, Duration{}, nil
			}
			list = append(list, r)
		}
		return list
	}
	whole, most, few := NewLevel(1, requests(100, 0)), NewLevel(1, requests(100, 1)), NewLevel(1, requests(100, 2))
	for name, of := range map[string]func(*Level) int{
		"ttft":     func(l *Level) int { return l.TTFT.Count() },
		"ttfc":     func(l *Level) int { return l.TTFC.Count() },
		"tpot":     func(l *Level) int { return l.TPOT.Count() },
		"user_tps": func(l *Level) int { return l.UserTPS.Count() },
		"stall":    func(l *Level) int { return l.Stall.Count() },
		"itl":      func(l *Level) int { return l.ITL.Count() / 2 },
		"gap":      func(l *Level) int { return l.Gap.Count() / 2 },
	} {
		if of(whole) != 100 || of(most) != 99 || of(few) != 0 {
			t.Errorf("%s: %d, %d, %d samples; want 100, 99 and none", name, of(whole), of(most), of(few))
		}
	}
	if few.E2E.Count() != 100 {
		t.Errorf("e2e: %d samples, want all", few.E2E.Count())
	}
	if len(most.Partial()) != 0 || len(few.Partial()) != 4 || few.Partial()[0] != "ttft is unknown: only 98 of 100 good requests that should have it do" {
		t.Errorf("partial: %q and %q", most.Partial(), few.Partial())
	}
	// Replies of one token have no decode speed, replies without an answer no ttfc.
	short := requests(100, 0)
	for _, r := range short[:50] {
		r.OutputTokens, r.TPOT, r.Stall, r.Gaps, r.TTFC, r.Content = Count(1), Duration{}, Duration{}, nil, Duration{}, ""
	}
	if l := NewLevel(1, short); l.TPOT.Count() != 50 || l.TTFC.Count() != 50 || len(l.Partial()) != 0 {
		t.Errorf("tpot %d, ttfc %d, %q", l.TPOT.Count(), l.TTFC.Count(), l.Partial())
	}
}

func TestEventsWithoutTokensAreNoITL(t *testing.T) {
	empty, hidden := good(0, 0, 100, 300, 300, 3), good(1, 0, 100, 300, 300, 3)
	empty.Gaps, hidden.Gaps = []float64{100e6, 100e6}, []float64{100e6, 100e6}
	empty.TokensPerEvent = Known(0.94)
	hidden.ReasoningTokens = Count(40)
	for _, r := range []*Request{empty, hidden} {
		if l := NewLevel(1, []*Request{r}); l.ITL.Count() != 0 || l.Gap.Count() != 2 {
			t.Errorf("itl %d, gap %d samples; want none and 2", l.ITL.Count(), l.Gap.Count())
		}
	}
}

func TestCachedTokensThatCannotBeAreUnknown(t *testing.T) {
	plain, wrong := good(0, 0, 100, 300, 300, 3), good(1, 0, 100, 300, 300, 3)
	plain.CachedTokens, wrong.CachedTooMany = Count(5), true
	l := NewLevel(2, []*Request{plain, wrong})
	if _, ok := l.CachedRatio.Number(); ok {
		t.Error("cached_ratio is known")
	}
	if _, ok := l.InputTPS.Number(); ok {
		t.Error("input_tps is known")
	}
}

func TestInflightIsHeldTimeOnly(t *testing.T) {
	// Two slots, four requests of unequal length: the drain at the end, when no
	// request is left to send, does not count against the level.
	l := NewLevel(2, []*Request{
		good(0, 0, 10, 100, 100, 5), good(1, 0, 10, 200, 200, 5),
		good(2, 100, 110, 200, 200, 5), good(3, 200, 210, 900, 900, 5),
	})
	if got := value(t, l.InflightMean); got != 2 {
		t.Errorf("inflight_mean = %v, want 2", got)
	}
	wave := NewLevel(2, []*Request{good(0, 0, 10, 100, 100, 5), good(1, 0, 10, 50, 50, 5)})
	if got := value(t, wave.InflightMean); got != 1.5 {
		t.Errorf("inflight_mean of a wave = %v, want 1.5", got)
	}
}

func TestDuplicateOutputsOfDifferentPrompts(t *testing.T) {
	request := func(i int, prompt, text string) *Request {
		r := good(i, 0, 10, 20, 20, 2)
		r.Asked.PromptHash, r.Content = prompt, text
		return r
	}
	l := NewLevel(1, []*Request{
		request(0, "a", "same"), request(1, "b", "same"), // two prompts, one text
		request(2, "c", "own"), request(3, "c", "own"), // one prompt twice
	})
	if got := value(t, l.DuplicateOutputRatio); got != 0.5 {
		t.Errorf("duplicate_output_ratio = %v, want 0.5", got)
	}
}

func TestLevelVariablesAreDocumented(t *testing.T) {
	data, err := json.Marshal(NewLevel(1, []*Request{good(0, 0, 1, 2, 3, 2)}))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := `{"n":1,"mean":0.001,"min":0.001,"p50":null,"p90":null,"p95":null,"p99":null,"max":0.001}`
	if diff := cmp.Diff(want, string(got["ttft"])); diff != "" {
		t.Errorf("ttft in JSON (-want +got):\n%s", diff)
	}
}
