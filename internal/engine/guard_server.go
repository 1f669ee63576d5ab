package engine

import (
	"fmt"
	"strings"

	"scenario/internal/metric"
)

// The least readings of the gauges that tell of others' requests, and the share of
// them that must.
const (
	fewestReadings = 5
	strangersShare = 0.8
)

func serverGuards() []Guard {
	return []Guard{
		{
			ID:     "target-changed",
			Doc:    "the target is not the one that the run began with: its model, version or context differ from what they were before the load, or a process has started anew since the level before (as its metrics state it, or by counters that went back)",
			Effect: Void,
			After:  []string{"died"},
			check:  targetChanged,
		},
		{
			ID:     "other-traffic",
			Doc:    "during the load the server counted more prompt or output tokens than our requests account for, or at 4 of 5 readings it held more requests than we had sent",
			Effect: Void,
			Thresholds: []Threshold{
				share("max_ratio", 0.02, "largest share of tokens, beyond ours, that others may have had computed"),
				{Name: "min_tokens", Default: 16, Max: 1e9, Doc: "tokens of others that are never minded, such as those of a health check"},
			},
			After: []string{"died", "errors", "target-changed"},
			check: otherTraffic,
		},
		{
			ID:     "spec-decode-synthetic",
			Doc:    "the server speculates, and the prompts are token ids without a meaning: how many of its guesses come true, and with it the speed, is not that of real text",
			Effect: Warn,
			check:  specDecodeSynthetic,
		},
		driftGuard(),
	}
}

func targetChanged(e *evidence) finding {
	if e.server == nil {
		return silent()
	}
	changes := e.server.changed
	if e.server.restarted != "" {
		changes = append([]string{"the server was restarted: " + e.server.restarted}, changes...)
	}
	switch {
	case len(changes) > 0:
		return fires("the target is not what it was: " + strings.Join(changes, "; "))
	case e.server.unseen != "":
		return unchecked(e.server.unseen)
	}
	return silent()
}

func otherTraffic(e *evidence) finding {
	s := e.server
	if s == nil {
		return silent()
	}
	if message := s.others(e.threshold("max_ratio"), e.threshold("min_tokens")); message != "" {
		return fires(message)
	}
	generated, generatedKnown := s.did.GenerationTokens.Number()
	_, promptsKnown := s.did.PromptTokens.Number()
	ours := float64(s.ours.OutputTokens)
	switch {
	case !s.known:
		return unchecked(s.why)
	case !promptsKnown && !generatedKnown:
		return unchecked("the target's counters hold no tokens")
	case s.ours.Told == 0:
		return unchecked("no reply states its usage, with which the target's counters could be compared")
	case generatedKnown && generated < (1-e.threshold("max_ratio"))*ours-e.threshold("min_tokens"):
		return unchecked(fmt.Sprintf("the target's counters hold %.0f of the %.0f output tokens of our requests: they are of a part of it, or come late", generated, ours))
	}
	return silent()
}

// others says what shows that not only our requests were computed; empty: nothing
// does. Requests whose replies state no usage are taken to be as long as the longest
// that does, and tokens from before the load that were not yet counted when it began
// are ours. A server may count a token more of each request than usage does, such as
// the one that ends it.
func (s *serverLoad) others(maxRatio, minTokens float64) string {
	if s.known && s.ours.Told > 0 {
		for _, c := range []struct {
			name          string
			did           metric.Number
			ours, longest int
			late          float64
			recounts      bool // what was preempted may be counted twice
		}{
			{"output", s.did.GenerationTokens, s.ours.OutputTokens, s.ours.LongestOutput, s.lateOutput, false},
			{"prompt", s.did.PromptTokens, s.ours.PromptTokens, s.ours.LongestPrompt, s.latePrompt, true},
		} {
			did, known := c.did.Number()
			ours := float64(c.ours)
			allowed := maxRatio*ours + minTokens + c.late + float64(s.ours.Told+s.ours.Untold*c.longest)
			preempted, _ := s.did.Preemptions.Number()
			if !known || did-ours <= allowed || c.recounts && preempted > 0 {
				continue
			}
			return fmt.Sprintf("the server counted %.0f %s tokens during the load, our requests account for %.0f: %s", did, c.name, ours, s.whose())
		}
	}
	strange := 0
	for _, n := range s.strangers {
		if n >= 1 {
			strange++
		}
	}
	if n := len(s.strangers); n >= fewestReadings && float64(strange) >= strangersShare*float64(n) {
		return fmt.Sprintf("at %d of %d readings the server held more requests than we had sent: somebody else uses it", strange, n)
	}
	return ""
}

// whose says who may have had the tokens computed that are not in our usage: where
// the server finished no more requests than ours, nobody.
func (s *serverLoad) whose() string {
	finished, known := s.did.Finished.Number()
	if known && finished > 0 && finished <= float64(s.ours.Told+s.ours.Untold) {
		return "it finished no more requests than ours, so usage may leave tokens out"
	}
	return "somebody else uses it"
}

func specDecodeSynthetic(e *evidence) finding {
	p := e.level.Profile
	if e.server == nil || !p.TokenIDs && !p.ConstantPrompt {
		return silent()
	}
	drafted, known := e.server.did.DraftTokens.Number()
	message := "the server drafted tokens ahead"
	switch gauges := e.server.speculation; {
	case drafted > 0:
		message = fmt.Sprintf("the server drafted %.0f tokens ahead", drafted)
	case gauges.on:
	case known, gauges.told, e.server.known && e.software == "vllm": // which counts drafts where there are any
		return silent()
	case !e.server.known:
		return unchecked(e.server.why)
	default:
		return unchecked("the target's counters do not tell whether it speculates")
	}
	if ratio, ok := e.found.Server.SpecAcceptRatio.Number(); ok {
		message += fmt.Sprintf(", of which %.0f %% came true", 100*ratio)
	}
	return fires(message + ": on prompts without a meaning that share, and the speed that comes of it, is not that of real text")
}

// cachedByServer is how many prompt tokens came from the prefix cache during the
// load by the server's own counters, for replies that do not say so; false: they do
// not tell either, or count others' prompts too.
func (e *evidence) cachedByServer() (float64, bool) {
	if e.server == nil || !e.server.known || e.server.others(0.02, 16) != "" {
		return 0, false
	}
	return e.server.did.PrefixHits.Number()
}

// notePreemptions notes what the server had to put off.
func (l *LevelResult) notePreemptions(preemptions metric.Number) {
	if n, known := preemptions.Number(); known && n > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("the server took requests out of its running batch %.0f times, for lack of KV cache", n))
	}
}
