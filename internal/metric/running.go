package metric

import (
	"cmp"
	"slices"
	"time"
)

// Answering is how many requests had brought their first token and not yet their
// last, in the steady part: the most at once, and on average over time. It is what
// can be seen from outside of how many sequences the server runs. False: no part is
// steady, or some request brought no token events.
func (l *Level) Answering() (most int, mean float64, known bool) {
	type change struct {
		at int64
		by int
	}
	if l.steady == (span{}) {
		return 0, 0, false
	}
	var changes []change
	for _, r := range l.sent() {
		if r.OK && r.At.FirstToken == 0 {
			return 0, 0, false
		}
		from, to := max(r.At.FirstToken, l.steady.from), min(r.At.LastToken, l.steady.to)
		if r.At.FirstToken != 0 && from < to {
			changes = append(changes, change{from, 1}, change{to, -1})
		}
	}
	// One that ends makes room for one that begins at the same moment.
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	running, busy, before := 0, 0.0, l.steady.from
	for _, c := range changes {
		busy += float64(running) * float64(c.at-before)
		running, before = running+c.by, c.at
		most = max(most, running)
	}
	return most, busy / float64(time.Duration(l.steady.to-l.steady.from)), true
}
