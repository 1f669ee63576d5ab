package chat

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUsage(t *testing.T) {
	in := func(members string) string { return event(`{"choices":[],"usage":{` + members + `}}`) }
	const odd = "usage has a count that is not a number of tokens: "
	tests := []struct {
		name   string
		events []string
		want   Usage
		notes  []string
	}{
		{"whole numbers in other forms", []string{c("a"), in(`"prompt_tokens":12.0,"completion_tokens":1e2`)}, usageOf(12, 100), nil},
		{"numbers in strings", []string{c("a"), in(`"prompt_tokens":"12","completion_tokens":" 3.0 "`)}, usageOf(12, 3), nil},
		{
			"numbers that count nothing",
			[]string{c("a"), in(`"prompt_tokens":12.5,"completion_tokens":-3`)},
			unknownUsage,
			[]string{odd + "12.5", odd + "-3"},
		},
		{
			"absurd numbers and words",
			[]string{c("a"), in(`"prompt_tokens":1099511627777,"completion_tokens":"many","prompt_tokens_details":{"cached_tokens":true}`)},
			unknownUsage,
			[]string{odd + "1099511627777", odd + `"many"`, odd + "true"},
		},
		{"numbers in a string that JSON does not have", []string{c("a"), in(`"prompt_tokens":3,"completion_tokens":"NaN"`)}, usageOf(3, -1), []string{odd + `"NaN"`}},
		{"null and absent", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":null,"prompt_tokens_details":null`)}, usageOf(5, -1), nil},
		{"a null later", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":1`), event(`{"choices":[],"usage":null}`)}, usageOf(5, 1), nil},
		{"cached and reasoning tokens", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":3}`)}, Usage{5, 4, 0, 3}, nil},
		{"cached and reasoning tokens at the top", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":4,"cached_tokens":2,"reasoning_tokens":0`)}, Usage{5, 4, 2, 0}, nil},
		{"cache hits", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":4,"prompt_cache_hit_tokens":2,"prompt_cache_miss_tokens":3`)}, Usage{5, 4, 2, -1}, nil},
		{"cached tokens in timings", []string{c("a"), event(`{"choices":[],"usage":` + counts(5, 4) + `,"timings":{"cache_n":3}}`)}, Usage{5, 4, 3, -1}, nil},
		{"timings do not win over usage", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":4,"cached_tokens":2`), event(`{"choices":[],"timings":{"cache_n":3}}`)}, Usage{5, 4, 2, -1}, nil},
		{"details stated before the last usage", []string{c("a"), in(`"prompt_tokens":5,"completion_tokens":1,"cached_tokens":2`), used(5, 4)}, Usage{5, 4, 2, -1}, nil},
		{
			"zeros in every event but the last",
			[]string{
				event(`{"choices":[{"index":0,"text":"a"}],"usage":` + counts(0, 0) + `}`),
				event(`{"choices":[{"index":0,"text":"b"}],"usage":` + counts(0, 0) + `}`), used(5, 2),
			},
			usageOf(5, 2), nil,
		},
		{"zeros in the last event", []string{c("a"), used(5, 2), used(0, 0)}, usageOf(5, 2), nil},
		{"zeros only", []string{c("a"), used(0, 0)}, unknownUsage, []string{"usage counts no output tokens, although output came"}},
		{"no output counted", []string{c("a"), used(5, 0)}, usageOf(5, -1), []string{"usage counts no output tokens, although output came"}},
		{"a smaller count at the end", []string{c("a"), used(5, 9), used(5, 2)}, usageOf(5, 2), []string{"the last usage counts fewer output tokens than an earlier one"}},
		{"usage that is a number", []string{c("a"), event(`{"choices":[],"usage":7}`)}, unknownUsage, []string{"usage is not an object"}},
		{"usage inside the choice", []string{c("a"), event(`{"choices":[{"index":0,"delta":{},"usage":` + counts(5, 4) + `}]}`)}, usageOf(5, 4), nil},
		{"the last of two equal keys", []string{c("a"), in(`"prompt_tokens":1,"prompt_tokens":5,"completion_tokens":4`)}, usageOf(5, 4), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := decodeStream(t, tt.events...)
			if diff := cmp.Diff(tt.want, got.Usage); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			checkNotes(t, got.Notes, tt.notes...)
		})
	}
}
