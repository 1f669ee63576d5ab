package chat

import (
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// maxCount is the largest token count that is believed.
const maxCount = 1 << 40

// unknownUsage is the usage of a reply that states none.
var unknownUsage = Usage{-1, -1, -1, -1}

// usage gathers the counts that a reply states. A later statement replaces an
// earlier one, count by count; counts are never added up, since servers that
// state them in every event state running totals.
type usage struct {
	stated  Usage
	zero    bool // an object of zeros came: a placeholder, unless nothing else comes
	timings int  // cached tokens of a timings object, for want of any in usage
}

func newUsage() usage {
	return usage{stated: unknownUsage, timings: -1}
}

// add reads one usage object. It returns the output tokens it counts, or -1, and
// whether it is more than a placeholder.
func (u *usage) add(v gjson.Result, notes *notes) (output int, real bool) {
	if v.Type == gjson.Null {
		return -1, false
	}
	if !v.IsObject() {
		notes.add("usage is not an object")
		return -1, false
	}
	now := readUsage(v, notes)
	if now.PromptTokens <= 0 && now.OutputTokens <= 0 {
		u.zero = u.zero || now.PromptTokens == 0 || now.OutputTokens == 0
		return -1, false
	}
	if now.OutputTokens >= 0 && now.OutputTokens < u.stated.OutputTokens {
		notes.add("the last usage counts fewer output tokens than an earlier one")
	}
	keep(&u.stated.PromptTokens, now.PromptTokens)
	keep(&u.stated.OutputTokens, now.OutputTokens)
	keep(&u.stated.CachedTokens, now.CachedTokens)
	keep(&u.stated.ReasoningTokens, now.ReasoningTokens)
	return now.OutputTokens, true
}

// keep replaces a count by a newer one that was stated.
func keep(count *int, now int) {
	if now >= 0 {
		*count = now
	}
}

// addTimings reads what llama.cpp says beside usage.
func (u *usage) addTimings(v gjson.Result, notes *notes) {
	if v.IsObject() {
		cached := v.Get("cache_n")
		keep(&u.timings, count(&cached, notes))
	}
}

// final is what the reply counts. wrote says that output arrived: a count of
// zero is then not believed.
func (u *usage) final(wrote bool, notes *notes) Usage {
	sum := u.stated
	if u.zero && sum.PromptTokens < 0 && sum.OutputTokens < 0 {
		sum.PromptTokens, sum.OutputTokens = 0, 0
	}
	if sum.CachedTokens < 0 {
		sum.CachedTokens = u.timings
	}
	if wrote && sum.OutputTokens == 0 {
		notes.add("usage counts no output tokens, although output came")
		sum.OutputTokens = -1
		if sum.PromptTokens == 0 {
			sum.PromptTokens = -1
		}
	}
	return sum
}

func readUsage(v gjson.Result, notes *notes) Usage {
	var prompt, output, prompts, outputs, cachedTop, cacheHit, reasoningTop gjson.Result
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "prompt_tokens":
			prompt = value
		case "completion_tokens":
			output = value
		case "prompt_tokens_details":
			prompts = value
		case "completion_tokens_details":
			outputs = value
		case "cached_tokens":
			cachedTop = value
		case "prompt_cache_hit_tokens":
			cacheHit = value
		case "reasoning_tokens":
			reasoningTop = value
		}
		return true
	})
	cached, reasoning := prompts.Get("cached_tokens"), outputs.Get("reasoning_tokens")
	return Usage{
		PromptTokens:    count(&prompt, notes),
		OutputTokens:    count(&output, notes),
		CachedTokens:    count(firstStated(&cached, &cachedTop, &cacheHit), notes),
		ReasoningTokens: count(firstStated(&reasoning, &reasoningTop), notes),
	}
}

// firstStated is the first that is not null, else the last.
func firstStated(values ...*gjson.Result) *gjson.Result {
	for _, v := range values {
		if v.Type != gjson.Null {
			return v
		}
	}
	return values[len(values)-1]
}

// count reads a token count. What is absent or null is -1; what is not a whole
// number is -1 and noted.
func count(v *gjson.Result, notes *notes) int {
	n, ok := wholeNumber(*v)
	if !ok && v.Type != gjson.Null {
		notes.add("usage has a count that is not a number of tokens: " + OneLine(v.Raw, 40))
	}
	return n
}

// wholeNumber reads a number that is whole and not negative, in any way of
// writing it (12, 12.0, 1e2, "12"); it is -1 where there is none.
func wholeNumber(v gjson.Result) (n int, ok bool) {
	if v.Type == gjson.String {
		if inner := strings.TrimSpace(v.Str); gjson.Valid(inner) {
			v = gjson.Parse(inner)
		}
	}
	if v.Type != gjson.Number || v.Num < 0 || v.Num > maxCount || v.Num != math.Trunc(v.Num) {
		return -1, false
	}
	return int(v.Num), true
}
