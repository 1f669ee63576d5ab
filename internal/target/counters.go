package target

import (
	"context"
	"net/http"
	"slices"

	"scenario/internal/metric"
)

// Place is where the counters of one server are.
type Place struct {
	Endpoint int    // index of the base URL
	Path     string // below the server's root, or a whole URL
}

// Counters is one reading of a server's own counters, summed over its engines.
// What the server does not publish is unknown. Counters only mean something
// beside an earlier reading of the same server: see Since.
type Counters struct {
	PromptTokens     metric.Number `json:"prompt_tokens" doc:"prompt tokens of all requests so far, cached ones included"`
	GenerationTokens metric.Number `json:"generation_tokens" doc:"tokens generated so far"`
	Finished         metric.Number `json:"finished" doc:"requests that ended so far"`
	Preemptions      metric.Number `json:"preemptions" doc:"requests taken out of the running batch so far, for lack of KV cache"`
	PrefixQueries    metric.Number `json:"prefix_queries" doc:"prompt tokens looked up in the prefix cache so far; all of them where the server counts its hits alone"`
	PrefixHits       metric.Number `json:"prefix_hits" doc:"of these, found there"`
	DraftTokens      metric.Number `json:"draft_tokens" doc:"tokens drafted by speculative decoding so far"`
	AcceptedTokens   metric.Number `json:"accepted_tokens" doc:"of these, accepted"`

	Running metric.Number `json:"running" doc:"requests being computed at this moment"`
	Waiting metric.Number `json:"waiting" doc:"requests waiting at this moment"`
	KVUsage metric.Number `json:"kv_usage" doc:"share of the KV cache in use at this moment, 0 to 1, of the fullest engine"`

	// SGLang tells of speculation by gauges over its latest steps; they are zero, or
	// missing, where it does not speculate.
	AcceptRate   metric.Number `json:"accept_rate" doc:"drafted tokens that were accepted / drafted, of late"`
	AcceptLength metric.Number `json:"accept_length" doc:"tokens that a step of speculative decoding brought, of late"`

	// ProcessStart tells one process from another; see Fingerprint.
	ProcessStart string `json:"process_start,omitempty" doc:"when the server's process started, as it states it"`

	names []string
}

// Names are the metrics that the counters were read from, sorted.
func (c Counters) Names() []string { return c.names }

// Read reads a server's counters. The error says why there is no reading: no
// such page, one that is no metrics page, or one without a known metric.
func Read(ctx context.Context, client Client, at Place) (Counters, error) {
	page, header, err := scrapeCounters(ctx, client, at.Endpoint, at.Path)
	if err != nil {
		return Counters{}, err
	}
	c := page.counters(header)
	if len(c.names) == 0 {
		return Counters{}, errNoCounters
	}
	return c, nil
}

// counters picks the known metrics out of a page.
func (e exposition) counters(header http.Header) Counters {
	c := Counters{ProcessStart: e.processStart(header)}
	for _, row := range counterNames {
		number := row.of(&c)
		if row.most {
			*number = e.most(row.names...)
		} else {
			*number = e.sum(row.names...)
		}
		if _, name := e.series(row.names...); name != "" {
			c.names = append(c.names, name)
		}
	}
	if _, llamacpp := e["llamacpp:prompt_tokens_total"]; llamacpp {
		c.PromptTokens = plus(c.PromptTokens, c.PrefixHits)
	}
	if _, known := c.PrefixHits.Number(); known {
		c.PrefixQueries = orElse(c.PrefixQueries, c.PromptTokens)
	}
	slices.Sort(c.names)
	return c
}

// plus is a and, where it is known, b.
func plus(a, b metric.Number) metric.Number {
	x, known := a.Number()
	y, _ := b.Number() // zero where it is not known
	if !known {
		return a
	}
	return metric.Known(x + y)
}

// orElse is a, or b where a is not known.
func orElse(a, b metric.Number) metric.Number {
	if _, known := a.Number(); known {
		return a
	}
	return b
}

// Delta is what a server did between two readings.
type Delta struct {
	PromptTokens     metric.Number
	GenerationTokens metric.Number
	Finished         metric.Number
	Preemptions      metric.Number
	PrefixQueries    metric.Number
	PrefixHits       metric.Number
	DraftTokens      metric.Number
	AcceptedTokens   metric.Number

	// Restarted means that the readings are of two processes: another start, or
	// a counter that went back. All numbers are unknown then.
	Restarted bool
}

// Since is what the server did after an earlier reading. A number that is unknown
// in one of the two is unknown.
func (c Counters) Since(before Counters) Delta {
	var d Delta
	if before.ProcessStart != "" && c.ProcessStart != "" && before.ProcessStart != c.ProcessStart {
		return Delta{Restarted: true}
	}
	for _, row := range counterNames {
		if row.delta == nil {
			continue
		}
		from, known := row.of(&before).Number()
		to, still := row.of(&c).Number()
		switch {
		case !known || !still:
		case to < from:
			return Delta{Restarted: true}
		default:
			*row.delta(&d) = metric.Known(to - from)
		}
	}
	return d
}

// Plus is what two servers did together, or one in two times that follow each
// other. A number that is unknown in one of the two is unknown.
func (d Delta) Plus(other Delta) Delta {
	sum := Delta{Restarted: d.Restarted || other.Restarted}
	for _, row := range counterNames {
		if row.delta == nil {
			continue
		}
		a, known := row.delta(&d).Number()
		b, too := row.delta(&other).Number()
		if known && too {
			*row.delta(&sum) = metric.Known(a + b)
		}
	}
	return sum
}
