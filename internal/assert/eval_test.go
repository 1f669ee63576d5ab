package assert

import (
	"reflect"
	"sync"
	"testing"
)

// compiled is a check that must compile.
func compiled(t *testing.T, source string) *Check {
	t.Helper()
	check, errs := Compile(source, sampleScope(), Measured)
	if errs != nil {
		t.Fatalf("%s: %v", source, errs)
	}
	return check
}

// In the sample level steady is true, truncated false and output_tps unknown;
// request 1 of four is not ok and has no output tokens, turn 1 of three is nil.
func TestEval(t *testing.T) {
	level := sampleValues()
	empty := &sampleLevel{Wall: 1}
	baseline := Table{"steady": 1, "ttft.p95": 2e8, "ttft.p97": 3e8, "output_tps": 100, "wall": 5e9, "server.kv_usage_max": 0.5}
	env := Env{level, &sampleFormula{optional{100, true}}, baseline, nil}
	bare := Env{empty, nil, nil, nil}

	for _, c := range []struct {
		env    Env
		source string
		want   Result
	}{
		// Unknown is not a value.
		{env, "output_tps > 0", Undecided},
		{env, "not (output_tps > 0)", Undecided},
		{env, "output_tps > 0 or true", Undecided},
		{env, "true or output_tps > 0", Holds},
		{env, "output_tps > 0 or false", Undecided},
		{env, "false or output_tps > 0", Undecided},
		{env, "output_tps > 0 and false", Undecided},
		{env, "false and output_tps > 0", Fails},
		{env, "true and output_tps > 0", Undecided},
		{env, "(output_tps > 0) == (output_tps > 0)", Undecided},
		{env, "output_tps == output_tps", Undecided},
		{env, "output_tps != output_tps", Undecided},
		{env, "output_tps in [1, 2]", Undecided},
		{env, "ok_count in [output_tps, 3]", Undecided},
		{env, "ok_count in [3, output_tps]", Holds},
		{env, "ok_count not in [3, output_tps]", Fails},
		{env, "within(output_tps, output_tps, 0.05)", Undecided},
		{env, "min(ok_count, output_tps) < 100", Undecided},
		{env, "output_tps * 0 == 0", Undecided},
		{env, "1 < 2 < output_tps", Undecided},
		{env, "ok_count < 2 < output_tps", Fails},
		{env, "ms(output_tps) > ms(0)", Undecided},
		{env, `len("") == 0 and steady`, Holds},

		// known is the one way to ask.
		{env, "known(output_tps)", Fails},
		{env, "not known(output_tps) or output_tps > 5", Holds},
		{env, "known(ok_count)", Holds},
		{env, "known(ttft) and known(ttft.p50) and not known(ttft.p95) and not known(p(ttft, 97))", Holds},
		{env, "known(ttft.n) and known(tpot.n) and not known(tpot) and not known(tpot.max)", Holds},
		{env, "known(server) and known(server.running_max) and not known(server.kv_usage_max)", Holds},
		{bare, "known(server) or known(server.running_max) or known(ttft) or known(ttft.n)", Fails},
		{env, "not known(baseline.cached_ratio) and known(baseline.output_tps) and steady", Holds},
		{env, "known(baseline.ttft) and known(baseline.ttft.p95) and known(p(baseline.ttft, 97)) and not known(baseline.ttft.p50) and steady", Holds},
		{env, "not known(baseline.requests) and not known(baseline.model) and not known(baseline.tpot) and not known(baseline.server) and steady", Holds},
		{env, "any(turns, not known(.pass)) and any(turns, not known(.replies))", Holds},
		{bare, "not known(baseline.steady) and known(requests) and len(requests) >= 0", Holds},

		// Arithmetic that has no answer.
		{env, "ok_count / (ok_count - 3) > 0", Undecided},
		{env, "ok_count % (ok_count - 3) == 0", Undecided},
		{env, "(ok_count - 3) / (ok_count - 3) == 1", Undecided},
		{env, "not ((ok_count - 3) / (ok_count - 3) < 1)", Undecided},
		{env, "ok_count * 1e308 * 10 > 0", Undecided},
		{env, "wall * 1e300 < s(1)", Undecided},
		{env, "s(1e308) > wall", Undecided},
		{env, "within(1e308 * ok_count / 3, -1e308 * ok_count / 3, 0.1)", Undecided},
		{env, "sum(requests, 1e308 + .index) > 0", Undecided},
		{bare, "tpot.min < s(1)", Undecided}, // NaN

		// Numbers and durations.
		{env, "ok_count == 3 and ok_count != 4 and -ok_count == -3 and +ok_count == 3", Holds},
		{env, "7 % ok_count == 1 and -7 % ok_count == -1 and 7.5 % ok_count == 1.5", Holds},
		{env, "wall == s(90) and wall == ms(90000) and wall == us(9e7) and wall / s(1) == 90", Holds},
		{env, "wall * 2 == 2 * wall and wall / 2 == s(45) and wall - s(80) == s(10) and -wall < ms(0)", Holds},
		{env, "abs(ms(5) - wall) > s(89) and min(wall, s(1), s(2)) == s(1) and max(wall, s(1)) == wall", Holds},
		{env, "s(80) < wall < s(100) and 1 <= ok_count < 4 >= ok_count", Holds},
		{env, "s(80) < wall < s(90)", Fails},
		{env, "within(ok_count, 2, 0.5) and within(2, ok_count, 0.34) and within(-2, -ok_count, 0.34)", Holds},
		{env, "within(ok_count, 2, 0.49)", Fails},
		{env, "within(ok_count, -3, 0.5)", Fails},
		{env, "within(wall, baseline.wall * 18, 0)", Holds},
		{env, "0.1 + 0.2 == 0.3 or ok_count == 0", Fails}, // floats are compared exactly

		// Distributions.
		{env, "ttft.p50 == ms(650) and ttft.mean == ms(650) and ttft.min == ms(100) and ttft.max == ms(1200) and ttft.n == 12", Holds},
		{env, "ttft.p90 < s(100)", Undecided},
		{env, "p(ttft, 50) == ttft.p50", Holds},
		{env, "user_tps.max == 40 and not known(user_tps.p50)", Holds},
		{env, "tpot.n == 0", Holds},
		{bare, "ttft.n == 0", Undecided}, // no distribution at all
		{env, "baseline.ttft.p95 == ms(200) and p(baseline.ttft, 97) == ms(300) and steady", Holds},
		{env, "formulas.catid_g0.aggregate_tps >= baseline.output_tps", Holds},
		{env, "formulas.catid_g0.aggregate_tps >= baseline.formulas.catid_g0.aggregate_tps", Undecided},
		{env, "baseline.steady == steady", Holds},
		{env, "baseline.model == model", Undecided},

		// Text.
		{env, `model == "qwen" and model != "x" and model in ["a", "qwen"] and model not in ["a", "b"]`, Holds},
		{env, `model startsWith "q" and model endsWith "n" and model contains "we" and model matches "^q.*n$" and model not contains "x"`, Holds},
		{env, `scaling_class == "flat" and len(model) == 4`, Holds},
		{bare, `scaling_class == "flat"`, Undecided},

		// A decided answer stands; else one unknown element is enough.
		{env, "all(requests, .output_tokens > 0)", Undecided},
		{env, "all(requests, .output_tokens == 100)", Fails},
		{env, "any(requests, .output_tokens == 64)", Holds},
		{env, "any(requests, .output_tokens == 65)", Undecided},
		{env, "none(requests, .output_tokens == 64)", Fails},
		{env, "none(requests, .output_tokens == 65)", Undecided},
		{env, "one(requests, .output_tokens == 64)", Undecided},
		{env, "count(requests, .output_tokens == 64) == 2", Undecided},
		{env, "len(filter(requests, .output_tokens == 64)) == 2", Undecided},
		{env, "sum(requests, .output_tokens) > 0", Undecided},
		{env, "mean(requests, .output_tokens) > 0", Undecided},
		{env, "all(turns, .pass)", Fails},
		{env, "any(turns, .pass)", Holds},
		{env, "one(turns, .pass)", Undecided},
		{env, "all(filter(turns, known(.pass)), .pass or .task == \"transact\")", Holds},

		// Over an empty list everything is unknown, but for its length.
		{bare, "all(requests, .ok)", Undecided},
		{bare, "any(requests, .ok)", Undecided},
		{bare, "none(requests, .ok)", Undecided},
		{bare, "one(requests, .ok)", Undecided},
		{bare, "count(requests, .ok) == 0", Undecided},
		{bare, "sum(requests, .prompt_tokens) == 0", Undecided},
		{bare, "mean(requests, .ttft) == s(0)", Undecided},
		{bare, "len(filter(requests, .ok)) == 0", Undecided},
		{bare, "len(requests) == 0", Holds},
		{env, "len(baseline.requests) == 0 and steady", Undecided}, // no list at all
		{env, "len(filter(requests, .index > 9)) == 0", Holds},
		{env, "all(filter(requests, .index > 9), .ok)", Undecided},

		// Lists.
		{env, "count(requests, .ok) == 3 and sum(requests, .index) == 6 and mean(requests, .prompt_tokens) == 10", Holds},
		{env, "sum(requests, .ttft) == ms(5390) and mean(requests, .ttft) == us(1347500)", Holds},
		{env, "one(requests, .outcome == \"timeout\") and none(requests, .outcome == \"http_error\")", Holds},
		{env, "one(requests, .ok)", Fails},
		{env, "mean(filter(requests, .ok), .output_tokens) == 76", Holds},
		{env, "len(filter(filter(requests, .ok), .index > 1)) == 2", Holds},
		{env, "any(turns, all(.replies, .ok)) and any(turns, any(.replies, not .ok))", Holds},
		{env, "any(turns, len(.replies) == concurrency / 2)", Holds},
		{env, "any(turns, .ttft.max == ms(100))", Holds},
		{env, "any(requests, .ttft > 2 * mean(filter(requests, .ok), .ttft))", Holds},
		{env, "count(requests, .index == count(turns, known(.pass) and .pass)) == 1", Holds},
		{env, "all(turns, known(.pass) and not .pass or count(requests, .ok) == 3 and not known(.pass) or all(.replies, .index <= count(filter(turns, known(.task)), .pass)))", Holds},
	} {
		check := compiled(t, c.source)
		if got := explain(t, check, c.env, c.source); got != c.want {
			t.Errorf("%s: %s, want %s", c.source, got, c.want)
		}
	}
}

func TestEvalOfPlannedExpressions(t *testing.T) {
	for _, c := range []struct {
		source string
		env    Env
		want   Result
	}{
		{"concurrency <= 8", Env{sampleValues(), nil, nil, nil}, Holds},
		{"concurrency <= 8", Env{nil, nil, nil, nil}, Undecided},
		{"length > 4096", Env{sampleValues(), nil, nil, nil}, Fails},
		{"known(length) and length > 4", Env{&sampleLevel{}, nil, nil, nil}, Fails},
		{"known(baseline.output_tps)", Env{nil, nil, Table{"output_tps": 5}, nil}, Holds},
		{"known(baseline.output_tps)", Env{nil, nil, Table{}, nil}, Fails},
		{"known(baseline.ttft.p95)", Env{nil, nil, sampleValues(), nil}, Fails},
	} {
		check, errs := Compile(c.source, sampleScope(), Planned)
		if errs != nil {
			t.Fatalf("%s: %v", c.source, errs)
		}
		if got := check.Eval(c.env); got != c.want {
			t.Errorf("%s: %s, want %s", c.source, got, c.want)
		}
	}
}

// eager is a distribution that has an answer to everything.
type eager struct{ samples }

func (eager) Quantile(float64) (float64, bool) { return 1, true }
func (eager) Mean() (float64, bool)            { return 1, true }
func (eager) Max() (float64, bool)             { return 0, false }

// Too few samples are too few, whatever the distribution says.
func TestEvalCountsSamples(t *testing.T) {
	type level struct {
		TTFT eager `json:"ttft" doc:"start to first token event"`
	}
	scope := NewScope(Root{Type: reflect.TypeFor[level]()})
	for n, want := range map[int]string{0: "", 1: "mean ", 4: "mean ", 5: "mean p50 ", 58: "mean p50 p90 ", 59: "mean p50 p90 p95 ", 299: "mean p50 p90 p95 p99 "} {
		got := ""
		for _, figure := range []string{"mean", "p50", "p90", "p95", "p99"} {
			check, errs := Compile("ttft."+figure+" < s(1)", scope, Measured)
			if errs != nil {
				t.Fatal(errs)
			}
			if check.Eval(Env{&level{eager{samples{make(values, n)}}}}) == Holds {
				got += figure + " "
			}
		}
		if got != want {
			t.Errorf("of %d samples: %sare known, want %s", n, got, want)
		}
	}
	check, errs := Compile("ttft.max < s(1)", scope, Measured)
	if errs != nil {
		t.Fatal(errs)
	}
	for n, want := range map[int]string{0: "ttft.max was not measured: no samples, it needs 1", 9: "ttft.max was not measured"} {
		if got := check.Explain(Env{&level{eager{samples{make(values, n)}}}}).Reason; got != want {
			t.Errorf("of %d samples: %q, want %q", n, got, want)
		}
	}
}

func TestEvalPanicsOnAnotherScopesValues(t *testing.T) {
	check := compiled(t, "steady")
	for name, env := range map[string]Env{
		"too few": {sampleValues()},
		"a value": {sampleLevel{}, nil, nil, nil},
		"another": {&sampleServer{}, nil, nil, nil},
		"a map":   {map[string]float64{}, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			check.Eval(env)
		})
	}
	if got := check.Eval(Env{(*sampleLevel)(nil), nil, nil, Table(nil)}); got != Undecided {
		t.Errorf("over nil pointers: %s", got)
	}
}

// One check serves many goroutines.
func TestEvalConcurrently(t *testing.T) {
	check := compiled(t, "all(requests, .ttft <= 5 * mean(requests, .ttft)) and len(filter(requests, .ok)) == 3")
	env := Env{sampleValues(), nil, nil, nil}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if check.Eval(env) != Holds || check.Explain(env).Result != Holds {
					t.Error("does not hold")
				}
			}
		})
	}
	wg.Wait()
}

// Lists inside of conditions take time in proportion to their length, not to its
// square: what does not depend on the element is worked out once.
func TestEvalOfInvariantListsIsLinear(t *testing.T) {
	level := manyRequests(50_000)
	for _, source := range []string{
		"all(requests, .ttft <= 3 * mean(requests, .ttft))",
		"all(requests, .ok == (len(filter(requests, .ok)) == len(requests)))",
		"all(requests, .ok and any(requests, .ok and all(requests, .ok and one(requests, .index == 0))))",
	} {
		if got := compiled(t, source).Eval(Env{level, nil, nil, nil}); got != Holds {
			t.Errorf("%s: %s", source, got)
		}
	}
}
