package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// schedule is when the sessions of a level at a rate are due, from the start of the
// load. The same seed, phase and rate give the same schedule on every machine: the
// random numbers are this file's own.
//
// With constant arrivals session i is due at i / rate. With Poisson arrivals the
// gaps before each session, the first one too, are exponential with mean 1 / rate:
// −ln(u) / rate, u uniform in (0, 1].
//
// It ends before the duration where there is one, else after so many sessions. It is
// never longer than one more than a level may have.
func (ph *PhasePlan) schedule(seed uint64, l *LevelPlan, sessions int) []time.Duration {
	load := ph.Spec.Load
	next := constantArrivals(l.Rate)
	if load.Arrivals == "poisson" {
		next = poissonArrivals(l.Rate, fmt.Sprintf("arrivals|%d|%s|%x", seed, ph.Spec.Name, math.Float64bits(l.Rate)))
	}
	if load.Duration > 0 {
		sessions = mostSessions + 1
	}
	var due []time.Duration
	for len(due) < sessions {
		at := next()
		if load.Duration > 0 && at >= load.Duration.Seconds() || at > maxSeconds {
			break
		}
		due = append(due, time.Duration(math.Round(at*float64(time.Second))))
	}
	return due
}

// maxSeconds is a time that a duration can hold, and no load lasts.
const maxSeconds = 1e9

// constantArrivals are as many a second as the rate says, evenly.
func constantArrivals(rate float64) func() float64 {
	n := 0
	return func() float64 {
		n++
		return float64(n-1) / rate
	}
}

// poissonArrivals are those of a Poisson process, in seconds.
func poissonArrivals(rate float64, key string) func() float64 {
	digest := sha256.Sum256([]byte(key))
	random := splitMix(binary.LittleEndian.Uint64(digest[:8]))
	at := 0.0
	return func() float64 {
		at += -math.Log(random.uniform()) / rate
		return at
	}
}

// splitMix is the generator SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
type splitMix uint64

// uniform is the next number in (0, 1].
func (s *splitMix) uniform() float64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return float64(z>>11+1) / (1 << 53)
}
