package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"scenario/internal/metric"
)

// mostFailures is how many causes of failure a level lists.
const mostFailures = 10

// summarise counts a level's requests by what became of them, and the oddities
// that replies noted.
func (l *LevelResult) summarise(requests []*metric.Request) {
	l.Outcomes = map[string]int{}
	failures := map[FailureCount]int{}
	notes := map[string]int{}
	for _, r := range requests {
		l.Outcomes[r.Outcome]++
		if r.Attempts > 1 {
			l.Retried++
		}
		if !r.OK {
			failures[FailureCount{Outcome: r.Outcome, Error: r.Error}]++
		}
		for _, note := range r.Notes {
			notes[note]++
		}
	}
	for failure, n := range failures {
		failure.Count = n
		l.Failures = append(l.Failures, failure)
	}
	slices.SortFunc(l.Failures, func(a, b FailureCount) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Error, b.Error))
	})
	l.OtherCauses = max(0, len(l.Failures)-mostFailures)
	l.Failures = l.Failures[:len(l.Failures)-l.OtherCauses]
	for _, note := range slices.Sorted(maps.Keys(notes)) {
		l.Notes = append(l.Notes, fmt.Sprintf("%d of %d replies: %s", notes[note], len(requests), note))
	}
}
