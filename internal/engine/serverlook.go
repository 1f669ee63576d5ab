package engine

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"scenario/internal/chat"
	"scenario/internal/metric"
	"scenario/internal/target"
)

// How long looks at the server may take: all that one look asks, and a server whose
// counters lag behind what it has answered.
const (
	lookLimit    = 10 * time.Second
	settleLimit  = time.Second
	settleEvery  = 100 * time.Millisecond
	confirmAfter = time.Second
)

// severalLooks is how often a target that does not answer a look at once is asked.
const severalLooks = 3

// severalTries is how often a server that seems to have restarted is read again: if
// an earlier process answers once more, several do.
const severalTries = 8

// serverLook follows the target's processes and counters over a run.
type serverLook struct {
	client  *chat.Client
	facts   *target.Facts
	places  []target.Place    // of the counters, one for each server; nil: none are read
	why     string            // why there are none, in words
	last    []target.Counters // the last good readings, by place
	lagging bool              // the counters never came to hold all that was answered

	fresh     bool   // the last attempt to read brought readings
	restarted string // what showed that a process was replaced since the last judged level
}

// newServerLook takes the first reading.
func newServerLook(ctx context.Context, client *chat.Client, facts *target.Facts) *serverLook {
	s := &serverLook{client: client, facts: facts, places: facts.MetricsAt}
	whole := len(s.places) == len(facts.BaseURLs) || len(s.places) == 1 && facts.MetricsOfAll
	switch {
	case len(s.places) == 0:
		s.why = "the target offers no counters"
	case !whole:
		s.why = fmt.Sprintf("only %d of %d base URLs offer counters", len(s.places), len(facts.BaseURLs))
		s.places = nil
	default:
		s.read(ctx)
		s.mergePlaces()
	}
	client.TakeSpent()
	return s
}

// mergePlaces keeps one of several base URLs that lead to the same server: the same
// start, where it is stated, and the same counts. What is left out of two servers
// that look alike is only ever too little.
func (s *serverLook) mergePlaces() {
	var places []target.Place
	var last []target.Counters
	for i, c := range s.last {
		same := func(other target.Counters) bool {
			return c.ProcessStart == other.ProcessStart && c.PromptTokens == other.PromptTokens && c.GenerationTokens == other.GenerationTokens
		}
		if !slices.ContainsFunc(last, same) {
			places, last = append(places, s.places[i]), append(last, c)
		}
	}
	if s.last != nil {
		s.places, s.last = places, last
	}
}

// read reads all counters and returns what they have counted since the last whole
// reading; false: at least one could not be read, or was restarted.
func (s *serverLook) read(ctx context.Context) (target.Delta, bool) {
	if s.places == nil {
		return target.Delta{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	var readings []target.Counters
	readings, s.fresh = s.readings(ctx)
	if !s.fresh {
		return target.Delta{}, false
	}
	before := s.last
	if before == nil {
		s.last = readings
		return target.Delta{}, false
	}
	deltas := make([]target.Delta, len(readings))
	for i := range readings {
		deltas[i] = readings[i].Since(before[i])
		if !deltas[i].Restarted {
			continue
		}
		if s.severalAnswer(ctx, i, before[i]) {
			s.why, s.places = "several processes answer at one address, each with counters of its own", nil
			return target.Delta{}, false
		}
		s.restarted = restart(before[i], readings[i])
	}
	s.last = readings
	return sumDeltas(deltas)
}

// readings reads all places once.
func (s *serverLook) readings(ctx context.Context) ([]target.Counters, bool) {
	readings := make([]target.Counters, len(s.places))
	for i, at := range s.places {
		c, err := target.Read(ctx, s.client, at)
		if err != nil {
			return nil, false
		}
		readings[i] = c
	}
	return readings, true
}

// severalAnswer reports whether the process of an earlier reading still answers,
// though another one just did: a restart brings no old process back.
func (s *serverLook) severalAnswer(ctx context.Context, place int, before target.Counters) bool {
	for range severalTries {
		c, err := target.Read(ctx, s.client, s.places[place])
		if err == nil && !c.Since(before).Restarted {
			return true
		}
		if !sleep(ctx, 10*time.Millisecond) {
			return false
		}
	}
	return false
}

// sumDeltas adds up what several servers did: unknown where one of them is.
func sumDeltas(deltas []target.Delta) (target.Delta, bool) {
	var sum target.Delta
	for i, d := range deltas {
		if d.Restarted {
			return target.Delta{}, false
		}
		if i == 0 {
			sum = d
			continue
		}
		sum = sum.Plus(d)
	}
	return sum, true
}

// restart says what shows that a server is another process than before.
func restart(before, after target.Counters) string {
	if before.ProcessStart != after.ProcessStart && before.ProcessStart != "" && after.ProcessStart != "" {
		return fmt.Sprintf("its process started at %s before, at %s after", startTime(before.ProcessStart), startTime(after.ProcessStart))
	}
	return "its counters went back"
}

// startTime is a process's start as servers state it, as a date where it is one.
func startTime(stated string) string {
	seconds, err := strconv.ParseFloat(stated, 64)
	if at := time.Unix(int64(seconds), 0).UTC(); err == nil && at.Year() > 2000 && at.Year() < 2200 {
		return at.Format("2006-01-02 15:04:05 UTC")
	}
	return stated
}

// noAnswer begins what is said of a target that a look could not reach.
const noAnswer = "the target did not answer a look at it"

// changed compares the servers with what they were before the load. One that seems
// another is asked twice, so that a moment's answer of a gateway is no change. unseen
// says why the comparison could not be made.
func (s *serverLook) changed(ctx context.Context) (changes []string, unseen string) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	if len(s.facts.Fingerprints) < len(s.facts.BaseURLs) {
		return nil, "the target gave no fingerprint before the load"
	}
	stated := false
	for endpoint, before := range s.facts.Fingerprints {
		stated = stated || before.States()
		before.ProcessStart = "" // the counters tell, with care
		var found []string
		for try := range 2 {
			if try > 0 && !sleep(ctx, confirmAfter) {
				break
			}
			after, err := target.Identify(ctx, s.client, endpoint, s.facts)
			if err != nil {
				return nil, noAnswer + ": " + err.Error()
			}
			if found = target.Changed(before, after); len(found) == 0 {
				break
			}
		}
		for _, change := range found {
			if !slices.Contains(changes, change) {
				changes = append(changes, change)
			}
		}
	}
	if !stated {
		return changes, "the target states neither its models nor its version, context or process start"
	}
	return changes, ""
}

// seekRestart looks for a new process once more, after a load that lost requests:
// right after it the target may not have been up again.
func (s *serverLook) seekRestart(ctx context.Context, load *serverLoad) {
	if load.restarted != "" || s.places == nil {
		return
	}
	for try := range severalLooks {
		if try > 0 && !sleep(ctx, time.Second) {
			return
		}
		if s.read(ctx); s.fresh {
			load.restarted = s.takeRestart()
			return
		}
	}
}

// takeRestart returns what showed a restart since the last call.
func (s *serverLook) takeRestart() string {
	restarted := s.restarted
	s.restarted = ""
	return restarted
}

// serverLoad is what the server's counters say of one level's load.
type serverLoad struct {
	known bool         // the counters were read before and after
	why   string       // why not
	did   target.Delta // during the load

	ours chat.Spent // what our own requests cost meanwhile
	// latePrompt and lateOutput are tokens of requests before the load that may
	// not have been counted when it began.
	latePrompt, lateOutput float64
	strangers              []float64 // requests in the server beyond ours, by reading
	speculation            speculation

	restarted string   // what showed that a process was replaced since the level before
	changed   []string // what of the target is not what it was before the load
	unseen    string   // why that could not be seen
}

// begin notes the moment before a load, and watches the gauges until the function
// that it returns is called after it.
func (s *serverLook) begin(ctx context.Context) func(figures *metric.Server) *serverLoad {
	load := &serverLoad{why: s.why}
	counted, whole := s.read(ctx)
	between := s.client.TakeSpent()
	if whole {
		load.latePrompt = late(float64(between.PromptTokens+between.Untold*between.LongestPrompt), counted.PromptTokens)
		load.lateOutput = late(float64(between.OutputTokens+between.Untold*between.LongestOutput), counted.GenerationTokens)
	}
	begun := s.fresh
	gauges := watchGauges(ctx, s.client, s.places)
	return func(figures *metric.Server) *serverLoad {
		watched := gauges()
		load.ours = s.client.TakeSpent()
		load.strangers, load.speculation = watched.strangers, watched.speculation
		watched.fill(figures)
		did, whole := s.settle(ctx, load.ours)
		switch {
		case s.why != "":
			load.why = s.why
		case s.restarted != "":
			load.why = "the target was restarted, and its counters began anew"
		case !begun || !whole:
			load.why = "the target's counters could not be read before and after the load"
		default:
			load.did, load.known = did, true
			fillCounters(figures, did)
		}
		load.restarted = s.takeRestart()
		load.changed, load.unseen = s.changed(ctx)
		return load
	}
}

// late is how many of the tokens sent since the last reading the server has not
// counted yet.
func late(sent float64, counted metric.Number) float64 {
	n, known := counted.Number()
	if !known {
		return 0
	}
	return max(0, sent-n)
}

// settle reads the counters after a load, and waits a while for those that count a
// request after it was answered.
func (s *serverLook) settle(ctx context.Context, ours chat.Spent) (target.Delta, bool) {
	sum, whole := s.read(ctx)
	if s.lagging {
		return sum, whole
	}
	for waited := time.Duration(0); whole; waited += settleEvery {
		generated, known := sum.GenerationTokens.Number()
		if !known || generated >= float64(ours.OutputTokens) {
			break
		}
		if waited >= settleLimit {
			s.lagging = true // it counts otherwise: it is not waited for again
			break
		}
		if !sleep(ctx, settleEvery) {
			break
		}
		more, ok := s.read(ctx)
		sum, whole = sum.Plus(more), ok
	}
	return sum, whole
}

// fillCounters puts what the counters say where checks and reports read it.
func fillCounters(to *metric.Server, did target.Delta) {
	to.Preemptions = did.Preemptions
	if ratio := metric.Ratio(did.AcceptedTokens, did.DraftTokens); ratio != (metric.Number{}) {
		to.SpecAcceptRatio = ratio // of all that was drafted; gauges have but glimpses
	}
	to.PromptTokens, to.GenerationTokens = did.PromptTokens, did.GenerationTokens
	to.CachedRatio = metric.Ratio(did.PrefixHits, did.PromptTokens)
}
