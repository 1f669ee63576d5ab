package assert

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExplain compares the explanations of checks over the sample level.
func TestExplain(t *testing.T) {
	env := Env{sampleValues(), nil, Table{"ttft.p95": 2e8, "steady": 1}, nil}
	var b strings.Builder
	for _, source := range []string{
		"steady",
		"ttft.p95 < ms(500)",
		"ttft.mean < ms(650) and ttft.n > 5",
		"tpot.p50 < ms(5)",
		"tpot.max < ms(5)",
		"p(user_tps, 10) > 3",
		"user_tps.max / user_tps.min < 1",
		"cached_ratio == 1",
		"output_tps > 5",
		"baseline.output_tps < output_tps",
		"ttft.p50 <= 2 * baseline.ttft.p95",
		"known(output_tps) and output_tps > 4",
		"server.kv_usage_max < 1 or server.running_max < 5",
		"wall < s(60) or wall < s(70)",
		`scaling_class == "linear" or model == "x"`,
		"ok_count / (ok_count - 3) > 1",
		"ok_count * 1e308 * 10 > 0",
		"all(requests, .ok)",
		"all(requests, .ok and .output_tokens == 64)",
		"all(requests, .output_tokens > 0)",
		`any(requests, .outcome == "http_error")`,
		"none(requests, .degenerate)",
		"one(requests, .ok)",
		"one(requests, .index == 7)",
		"not one(requests, .index == 2)",
		"not any(requests, not .ok)",
		"not all(requests, .index < 4)",
		"not none(requests, .index > 4)",
		"count(requests, not .ok) == 0",
		"0 < count(requests, not .ok) < 1",
		"count(requests, not .ok) < 1",
		"1 > count(requests, not .ok)",
		"count(requests, .ok) == 4",
		"count(requests, .ok) >= 4",
		"4 <= count(requests, .ok)",
		"not (count(requests, .ok) < 4)",
		"count(requests, .degenerate) == 0",
		"sum(requests, .prompt_tokens) > 50",
		"sum(requests, .output_tokens) > 50",
		"mean(requests, .ttft) < s(1)",
		"count(requests, .ttft < s(1)) == 4",
		"len(requests) == 5",
		"len(filter(requests, .degenerate)) == 5",
		"all(filter(requests, .ok), .output_tokens == 100)",
		"all(filter(requests, .index > 9), .ok)",
		"all(turns, .pass)",
		"all(filter(turns, known(.pass)), all(.replies, .ok))",
		"all(filter(turns, known(.pass)), .ttft.p50 < s(1))",
		"all(requests, .ttft <= 2 * mean(requests, .ttft))",
		"all(requests, .index < count(requests, .output_tokens > 0))",
		`all(requests, .error == "")`,
		"all(requests, .ok) or ok_count > 2",
		"(all(requests, .ok) or ok_count > 2) and all(requests, .index < 3)",
		"(all(requests, .ok) or ok_count > 2) and wall < s(1)",
		"all(requests, .ok) or all(requests, .output_tokens > 0)",
	} {
		check := compiled(t, source)
		explain(t, check, env, source)
		x := check.Explain(env)
		fmt.Fprintf(&b, "%s\n  %s", source, x.Result)
		if x.Reason != "" {
			fmt.Fprintf(&b, ": %s", x.Reason)
		}
		fmt.Fprintf(&b, "\n%s", reads("    ", x.Reads))
		for _, o := range x.Offenders {
			fmt.Fprintf(&b, "  %s[%d]\n%s", o.List, o.Index, reads("    ", o.Reads))
		}
		b.WriteByte('\n')
	}
	golden(t, "explain.golden", b.String())
}

func reads(indent string, list []Read) string {
	var b strings.Builder
	for _, r := range list {
		value := r.Text
		if !r.Known {
			value = "unknown"
		}
		speed := ""
		if r.Speed {
			speed = "  (speed)"
		}
		fmt.Fprintf(&b, "%s%s = %s%s\n", indent, r.Path, value, speed)
	}
	return b.String()
}

func TestExplainShowsTheFirstThree(t *testing.T) {
	level := manyRequests(10)
	for i := range level.Requests {
		level.Requests[i].OK = i%2 == 0
	}
	x := compiled(t, "all(requests, .ok)").Explain(Env{level, nil, nil, nil})
	want := Explanation{Result: Fails, Reads: []Read{{Path: "requests", Text: "10 elements", Known: true}}}
	for _, i := range []int{1, 3, 5} {
		want.Offenders = append(want.Offenders, Offender{List: "requests", Index: i, Reads: []Read{{Path: ".ok", Text: "false", Known: true}}})
	}
	if diff := cmp.Diff(want, x); diff != "" {
		t.Errorf("explanation differs (-want +got):\n%s", diff)
	}
}

// Texts come from servers: they are cut, and cannot steer a terminal.
func TestExplainQuotesText(t *testing.T) {
	level := &sampleLevel{Model: "\x1b[2J" + strings.Repeat("é", 200)}
	x := compiled(t, `model == ""`).Explain(Env{level, nil, nil, nil})
	want := []Read{{Path: "model", Text: `"\x1b[2J` + strings.Repeat("é", 76) + `…"`, Known: true}}
	if diff := cmp.Diff(want, x.Reads); diff != "" {
		t.Errorf("reads differ (-want +got):\n%s", diff)
	}
}
