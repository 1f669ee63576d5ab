package engine

import (
	"fmt"
	"slices"
	"strings"

	"scenario/internal/metric"
)

func textGuards() []Guard {
	return []Guard{
		{
			ID:     "lost-text",
			Doc:    "usage counts at least 32 output tokens, and less than half a character per token arrived in content, reasoning and tool arguments together; or at least 8, and nothing arrived; or nothing arrived in most of an endpoint's shorter replies",
			Effect: Void,
			check:  textLost,
		},
		{
			ID: "same-outputs",
			Doc: "distinct prompts got one and the same text (its first 256 characters), on one endpoint; " +
				"a model that is forced on from prompts without meaning may fall into one text for some of them",
			Effect: Reject,
			Thresholds: []Threshold{
				share("max_share", 0.05, "largest share of the distinct prompts that may share a text; where lengths are forced, more is a warning"),
				share("max_forced_share", 0.25, "the same where lengths are forced"),
			},
			check: sameOutputs,
		},
		{
			ID: "degenerate",
			Doc: "a text shows a hard sign of wrongly computed tokens: one character over and over, every word doubled, or (not where the length is forced) broken characters or a loop. " +
				"Where lengths are forced a model may fall into such a text by itself: a few of them reject the level if most of their prompts, sent again alone, come back sound",
			Effect: Reject,
			Thresholds: []Threshold{
				share("max_loop_ratio", 0.02, "largest share of loops, of an endpoint's replies that ended by themselves"),
				share("max_forced_ratio", 0.20, "largest share of degenerate replies, of an endpoint's, where lengths are forced: below it prompts are sent again alone"),
			},
			After: []string{"same-outputs"},
			check: degenerate,
		},
	}
}

func textLost(e *evidence) finding {
	whole := e.whole()
	if r, n := first(whole, func(r *metric.Request) bool { return r.LostText }); n > 0 {
		tokens, _ := r.OutputTokens.Number()
		return fires(fmt.Sprintf("%d of %d replies lost text: %d characters for %.0f output tokens", n, e.found.Issued, len([]rune(r.Text())), tokens))
	}
	for _, replies := range byEndpoint(whole) {
		_, short := first(replies, isShort)
		_, empty := first(replies, func(r *metric.Request) bool { return isShort(r) && r.NoText })
		// A token or two may have no text, as the one that ends a turn has none: a
		// few such replies among longer ones are a model's own.
		if 2*empty > short && (empty > 2 || 2*empty > len(replies)) {
			return fires(fmt.Sprintf("%d of %d replies of fewer than %d output tokens have no text at all", empty, short, noTextTokens))
		}
	}
	return silent()
}

// isShort reports whether a reply has tokens to show, and too few to judge it alone.
// One that is long, and hides all but a few, says nothing: servers count the marks
// around the thinking on either side.
func isShort(r *metric.Request) bool {
	tokens, _ := r.OutputTokens.Number()
	return tokens < noTextTokens && visible(r) >= 1
}

// sameHead is how much of two outputs, in characters, is compared; shorter
// outputs are compared whole, and those under sameLeast not at all.
const (
	sameHead  = 256
	sameLeast = 32
)

func sameOutputs(e *evidence) finding {
	worst := finding{}
	for _, replies := range byEndpoint(e.whole()) {
		most, distinct, text := sharedText(replies)
		// Two of many may agree by chance (short loops); two of two may not.
		if most < 2 || most == 2 && distinct > 3 {
			continue
		}
		share := float64(most) / float64(distinct)
		message := fmt.Sprintf("%d of %d different prompts got one text: %s", most, distinct, excerpt(text))
		switch forced := isForced(replies) || e.level.Profile.Data != nil; {
		case !forced && share > e.threshold("max_share"), share > e.threshold("max_forced_share"):
			return fires(message)
		case forced && share > e.threshold("max_share"):
			worst = warns(message + "; taken for the model's own, since lengths are forced or prompts are yours")
		}
	}
	return worst
}

// sharedText is the text that the most distinct prompts got, how many they are,
// and of how many.
func sharedText(replies []*metric.Request) (most, distinct int, text string) {
	prompts := map[string][]string{}
	all := map[string]bool{}
	for _, r := range replies {
		all[r.Asked.PromptHash] = true
		runes := []rune(r.Text())
		if len(runes) < sameLeast {
			continue
		}
		head := string(runes[:min(len(runes), sameHead)])
		if !slices.Contains(prompts[head], r.Asked.PromptHash) {
			prompts[head] = append(prompts[head], r.Asked.PromptHash)
		}
	}
	for head, hashes := range prompts {
		if len(hashes) > most || len(hashes) == most && head < text {
			most, text = len(hashes), head
		}
	}
	return most, len(all), text
}

// isForced reports whether the requests force their lengths.
func isForced(requests []*metric.Request) bool {
	return slices.ContainsFunc(requests, func(r *metric.Request) bool { return r.Asked.Forced })
}

// isDegenerate leaves out the texts that got lost on the way: those have a guard
// of their own.
func isDegenerate(r *metric.Request) bool { return r.Degenerate && !r.LostText && !r.Failed() }

func degenerate(e *evidence) finding {
	whole := e.whole()
	r, n := first(whole, isDegenerate)
	if n == 0 {
		return silent()
	}
	message := fmt.Sprintf("%d of %d outputs are degenerate (%s), first: %s", n, len(whole), strings.ReplaceAll(r.DegenerateKind, "_", " "), excerpt(r.Text()))
	if endpoint, over := overLimit(e, whole); over {
		if endpoint != "" {
			message += endpoint
		}
		return fires(message)
	}
	if !isForced(whole) {
		return warns(message)
	}
	lost := len(e.unsent)
	again := fmt.Sprintf("%s; sent again alone, %d of %d of these prompts came back sound", message, e.sound, e.resent+lost)
	if lost > 0 {
		again += fmt.Sprintf(", and %d failed, first: %s", lost, e.unsent[0])
	}
	switch {
	case e.resent == 0 && lost == 0:
		return undecidable(message + "; their prompts could not be sent again, to see whether that is the model's own")
	case 2*e.sound > e.resent+lost:
		return fires(again)
	case 2*(e.sound+lost) > e.resent+lost:
		return undecidable(again + ": whether that is the model's own could not be seen")
	}
	return warns(again + ": taken for the model's own")
}

// overLimit reports whether an endpoint has more degenerate replies than can be
// the model's own, and names it where there are several.
func overLimit(e *evidence, whole []*metric.Request) (endpoint string, over bool) {
	groups := byEndpoint(whole)
	for _, replies := range groups {
		_, bad := first(replies, isDegenerate)
		_, loops := first(replies, func(r *metric.Request) bool { return isDegenerate(r) && r.DegenerateKind == metric.DegenerateLoop })
		n := len(replies)
		forced := isForced(replies) && greedy(e.phase.Spec)
		if forced && metric.Exceeds(bad, e.threshold("max_forced_ratio"), n) ||
			!forced && (bad > loops || metric.Exceeds(loops, e.threshold("max_loop_ratio"), n)) {
			if len(groups) > 1 {
				endpoint = fmt.Sprintf("; %d of %d at endpoint %d", bad, n, replies[0].Endpoint)
			}
			return endpoint, true
		}
	}
	return "", false
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
