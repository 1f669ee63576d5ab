package engine

import (
	"fmt"
	"slices"
	"strings"

	"scenario/internal/metric"
)

// sameHead is how much of two outputs, in characters, is compared; shorter
// outputs are compared whole, and those under sameLeast not at all.
const (
	sameHead  = 256
	sameLeast = 32
)

func textGuards() []Guard {
	return []Guard{
		{
			ID:     "lost-text",
			Doc:    "usage counts at least 32 output tokens, and less than half a character per token arrived in content, reasoning and tool arguments together",
			Effect: Void,
			check: func(e *evidence) finding {
				r, n := first(e.whole(), func(r *metric.Request) bool { return r.LostText })
				if n == 0 {
					return silent()
				}
				tokens, _ := r.OutputTokens.Number()
				return fires(fmt.Sprintf("%d of %d replies lost text: %d characters for %.0f output tokens", n, e.found.Issued, len([]rune(r.Text())), tokens))
			},
		},
		{
			ID:     "same-outputs",
			Doc:    "distinct prompts got one and the same text (its first 256 characters); a model that is forced on from prompts without meaning may fall into one text for some of them",
			Effect: Reject,
			Thresholds: []Threshold{
				{"max_share", 0.05, "largest share of the distinct prompts that may share a text"},
				{"max_forced_share", 0.50, "the same where lengths are forced"},
			},
			check: sameOutputs,
		},
		{
			ID: "degenerate",
			Doc: "a text shows a hard sign of wrongly computed tokens: one character over and over, every word doubled, or (not where the length is forced) broken characters or a loop. " +
				"Where lengths are forced a model may fall into such a text by itself: a few of them reject the level only if most of their prompts, sent again alone, come back sound",
			Effect: Reject,
			Thresholds: []Threshold{
				{"max_ratio", 0.02, "largest share of degenerate replies"},
				{"max_forced_ratio", 0.20, "largest share where lengths are forced, before prompts are sent again alone"},
			},
			After: []string{"same-outputs", "lost-text"},
			check: degenerate,
		},
	}
}

func sameOutputs(e *evidence) finding {
	prompts := map[string][]string{}
	distinct := map[string]bool{}
	for _, r := range e.whole() {
		distinct[r.Asked.PromptHash] = true
		text := []rune(r.Text())
		if len(text) < sameLeast {
			continue
		}
		head := string(text[:min(len(text), sameHead)])
		if !slices.Contains(prompts[head], r.Asked.PromptHash) {
			prompts[head] = append(prompts[head], r.Asked.PromptHash)
		}
	}
	share := "max_share"
	if isForced(e.found.Requests) {
		share = "max_forced_share"
	}
	most, text := 0, ""
	for head, hashes := range prompts {
		if len(hashes) > most || len(hashes) == most && head < text {
			most, text = len(hashes), head
		}
	}
	// Two of many may agree by chance (short loops); two of two may not.
	few := most < 2 || most == 2 && len(distinct) > 3
	if few || float64(most) <= e.threshold(share)*float64(len(distinct)) {
		return silent()
	}
	return fires(fmt.Sprintf("%d of %d different prompts got one text: %s", most, len(distinct), excerpt(text)))
}

// isForced reports whether the requests force their lengths.
func isForced(requests []*metric.Request) bool {
	return slices.ContainsFunc(requests, func(r *metric.Request) bool { return r.Asked.Forced })
}

// needsReplay reports whether some replies are degenerate, but so few that their
// prompts must be sent again, alone, before the guard can tell why.
func needsReplay(requests []*metric.Request, maxForced float64) bool {
	bad, n := 0, 0
	for _, r := range requests {
		if r.Failed() {
			continue
		}
		n++
		if r.Degenerate && r.Asked.Forced {
			bad++
		}
	}
	return bad > 0 && bad < n && float64(bad) <= maxForced*float64(n)
}

func degenerate(e *evidence) finding {
	whole := e.whole()
	forced := isForced(whole)
	r, n := first(whole, func(r *metric.Request) bool { return r.Degenerate })
	if n == 0 {
		return silent()
	}
	message := fmt.Sprintf("%d of %d outputs are degenerate (%s), first: %s", n, len(whole), strings.ReplaceAll(r.DegenerateKind, "_", " "), excerpt(r.Text()))
	limit := e.threshold("max_ratio")
	if forced {
		limit = e.threshold("max_forced_ratio")
	}
	if float64(n) > limit*float64(len(whole)) {
		return fires(message)
	}
	if forced && e.resent > 0 && 2*e.sound > e.resent {
		return fires(fmt.Sprintf("%s; %d of %d of these prompts came back sound when sent again alone", message, e.sound, e.resent))
	}
	return silent()
}

// excerpt is the start of a text, for a message.
func excerpt(text string) string {
	const most = 48
	runes := []rune(text)
	if len(runes) > most {
		return fmt.Sprintf("%q…", string(runes[:most]))
	}
	return fmt.Sprintf("%q", text)
}

// listed is the keys of a set, sorted, for a message.
func listed(set map[string]bool) string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
