package assert

import (
	"fmt"
	"testing"
	"time"
)

// manyRequests is a level of n requests, all of them well.
func manyRequests(n int) *sampleLevel {
	l := &sampleLevel{Requests: make([]sampleRequest, n)}
	for i := range l.Requests {
		l.Requests[i] = sampleRequest{
			Index: i, OK: true, Outcome: "ok", FinishReason: "length", PromptTokens: 1000,
			OutputTokens: optional{1000, true}, TTFT: time.Duration(i), E2E: lag{time.Second}, Degenerate: 1,
		}
	}
	return l
}

// BenchmarkChecksOverRequests decides twenty checks that read three fields of
// each of 100,000 requests.
func BenchmarkChecksOverRequests(b *testing.B) {
	var checks []*Check
	for i := range 20 {
		source := fmt.Sprintf(`all(requests, .prompt_tokens == 1000 and .output_tokens < %d and .finish_reason == "length")`, 2000+i)
		check, errs := Compile(source, sampleScope(), Measured)
		if errs != nil {
			b.Fatal(errs)
		}
		checks = append(checks, check)
	}
	env := Env{manyRequests(100_000), nil, nil, nil}
	b.ReportAllocs()
	for b.Loop() {
		for _, check := range checks {
			if got := check.Eval(env); got != Holds {
				b.Fatal(got)
			}
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	scope := sampleScope()
	b.ReportAllocs()
	for b.Loop() {
		_, errs := Compile(`all(requests, .prompt_tokens == 1000 and .output_tokens == 1000 and .finish_reason == "length")`, scope, Measured)
		if errs != nil {
			b.Fatal(errs)
		}
	}
}

// An aggregate that does not depend on the element is worked out once, so a
// condition that compares each element with all of them takes linear time.
func BenchmarkAggregateInsideCondition(b *testing.B) {
	check, errs := Compile(`all(requests, .ttft <= 2 * mean(requests, .ttft))`, sampleScope(), Measured)
	if errs != nil {
		b.Fatal(errs)
	}
	env := Env{manyRequests(100_000), nil, nil, nil}
	b.ReportAllocs()
	for b.Loop() {
		if got := check.Eval(env); got != Holds {
			b.Fatal(got)
		}
	}
}
