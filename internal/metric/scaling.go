package metric

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
)

// Scaling are the figures of a phase as a whole, over its accepted levels alone:
// how throughput grows with concurrency, and where it stops.
//
// The elasticity of a step between two levels is d ln X / d ln C, of output_tps X
// and concurrency C: 1 where twice the load brings twice the throughput, 0.5 where
// it brings 41 %, 0 where it brings nothing. Levels that the KV cache bounds measure
// queueing, and make no step.
type Scaling struct {
	Levels        Levels  `json:"levels,omitzero" doc:"the accepted levels, in the order of the ladder"`
	Knee          Number  `json:"knee" doc:"concurrency of the last accepted level before the elasticity of output_tps falls below 0.5 for good: of the highest where it never does, of the first where it always is; unknown with fewer than two"`
	PeakOutputTPS Number  `json:"peak_output_tps" unit:"tokens/s" speed:"true" doc:"largest output_tps of an accepted level"`
	SLOCapacity   float64 `json:"slo_capacity" doc:"concurrency (in load.mode: rate the rate) of the highest accepted level below which every level is accepted; 0: there is none"`
	ScalingClass  Word    `json:"scaling_class" enum:"linear|sub-linear|saturating|wall|retrograde" doc:"how throughput grows at the ladder's end, by the elasticity of the last step: linear from 0.9, sub-linear from 0.5, saturating from 0.1, wall from -0.05, retrograde below"`
	Wall          Word    `json:"wall" enum:"kv|scheduler|client|errors|compute" doc:"what ends the growth, where that is known"`

	PeakAt    float64  `json:"peak_at,omitempty"`    // concurrency, or rate, of peak_output_tps
	KneeFound KneeSort `json:"knee_found,omitempty"` // what the knee rests on
	Steps     []Step   `json:"steps,omitempty"`      // between neighbouring accepted levels
}

// KneeSort says what a knee rests on.
type KneeSort string

// The sorts of a knee.
const (
	KneeBelow   KneeSort = "found"      // at least two steps past it are below 0.5
	KneeOneStep KneeSort = "one_step"   // only the last step is
	KneeBeyond  KneeSort = "not_yet"    // no step at the ladder's end is: the knee is at least there
	KneeAtStart KneeSort = "from_start" // every step is
)

// Step is the growth between two neighbouring accepted levels.
type Step struct {
	From       int    `json:"from" doc:"concurrency"`
	To         int    `json:"to" doc:"concurrency"`
	Elasticity Number `json:"elasticity" doc:"of output_tps"`
	Class      Word   `json:"class" doc:"the elasticity in a word"`
}

// Levels are levels that checks of a phase can look at.
type Levels []*Level

// IsZero keeps them out of JSON: the phase has them already.
func (Levels) IsZero() bool { return true }

// Rung is a level of a phase's ladder and what became of it.
type Rung struct {
	Level    *Level  // nil: it has no figures
	At       float64 // its concurrency, or its rate
	Accepted bool
	KVBound  bool   // it needs more KV cache than there is
	Ended    string // what made it fail, if that says what ends the growth: errors or client
}

// bends is the elasticity below which more load is not worth its wait: twice the
// load brings less than 41 % more. It is also where X²/C, the power, is largest.
const bends = 0.5

// NewScaling works out the figures of a ladder.
func NewScaling(rungs []Rung) *Scaling {
	rungs = slices.Clone(rungs)
	slices.SortStableFunc(rungs, func(a, b Rung) int { return cmp.Compare(a.At, b.At) })
	s := &Scaling{Levels: Levels{}}
	chain, complete := true, true
	var steady []Rung
	for i, r := range rungs {
		chain = chain && r.Accepted
		// Several levels of one concurrency count together.
		if last := i+1 == len(rungs) || rungs[i+1].At != r.At; last && chain {
			s.SLOCapacity = r.At
		}
		if !r.Accepted {
			continue
		}
		s.Levels = append(s.Levels, r.Level)
		tps, known := r.Level.OutputTPS.Number()
		complete = complete && known && tps > 0
		if peak, have := s.PeakOutputTPS.Number(); known && (!have || tps > peak) {
			s.PeakOutputTPS, s.PeakAt = Known(tps), r.At
		}
		if !r.KVBound {
			steady = append(steady, r)
		}
	}
	if !complete {
		s.PeakOutputTPS, s.PeakAt = Number{}, 0
		return s
	}
	s.climb(steady)
	s.wall(rungs)
	return s
}

// climb finds the knee. Levels of a rate, and levels that share a concurrency, are
// no ladder.
func (s *Scaling) climb(rungs []Rung) {
	for i := 1; i < len(rungs); i++ {
		from, to := rungs[i-1], rungs[i]
		if from.At == to.At || from.Level.Concurrency == 0 {
			s.Steps = nil
			return
		}
		e := Elasticity(from.Level, to.Level)
		s.Steps = append(s.Steps, Step{from.Level.Concurrency, to.Level.Concurrency, e, Class(e)})
	}
	n := len(s.Steps)
	if n == 0 {
		return
	}
	s.ScalingClass = s.Steps[n-1].Class
	last := n // steps up to here, the last of which still pays
	for last > 0 && !atLeast(s.Steps[last-1].Elasticity.value, bends) {
		last--
	}
	switch {
	case last == 0:
		s.Knee, s.KneeFound = Count(s.Steps[0].From), KneeAtStart
	case last == n:
		s.Knee, s.KneeFound = Count(s.Steps[n-1].To), KneeBeyond
	case last == n-1:
		s.Knee, s.KneeFound = Count(s.Steps[last-1].To), KneeOneStep
	default:
		s.Knee, s.KneeFound = Count(s.Steps[last-1].To), KneeBelow
	}
}

// wall names what ends the growth. Where a step past the knee says it, the server's
// own counters at that level do; where the ladder was still growing, what became of
// the first level above it.
func (s *Scaling) wall(rungs []Rung) {
	for _, r := range rungs {
		if r.At <= s.Knee.value || !s.Knee.known {
			continue
		}
		switch {
		case s.KneeFound != KneeBeyond && (!r.Accepted || r.KVBound):
			continue // no step ends there
		case s.KneeFound != KneeBeyond:
			s.Wall = r.Level.Server.wall(r.Level.Concurrency)
		case r.KVBound:
			s.Wall = Told("kv")
		case r.Ended != "":
			s.Wall = Told(r.Ended)
		}
		return
	}
}

// fullKV is the share of the KV cache in use from which on it is what requests wait
// for.
const fullKV = 0.95

// wall is what keeps a server from giving more at a concurrency, as far as its
// counters tell: compute is what is left where none of the others is.
func (s *Server) wall(concurrency int) Word {
	switch {
	case s.KVUsageMax.value >= fullKV, s.Preemptions.value > 0:
		return Told("kv")
	case s.RunningMax.known && s.RunningMax.value < float64(concurrency) && s.WaitingMax.value > 0:
		return Told("scheduler")
	case s.KVUsageMax.known && s.Preemptions.known && s.RunningMax.known && s.WaitingMax.known:
		return Told("compute")
	}
	return Word{}
}

// Scale sets how the level's throughput stands to that of others: to that of C = 1
// (efficiency: X(C) / (C·X(1))), and of the next lower level (elasticity). Nil: there
// is no such level.
func (l *Level) Scale(one, lower *Level) {
	l.Efficiency, l.Elasticity = Number{}, Number{}
	if one != nil {
		l.Efficiency = Ratio(Ratio(l.OutputTPS, one.OutputTPS), Ratio(Count(l.Concurrency), Count(one.Concurrency)))
	}
	if lower != nil {
		l.Elasticity = Elasticity(lower, l)
	}
}

// Elasticity is d ln X / d ln C between two levels.
func Elasticity(from, to *Level) Number {
	growth := Ratio(to.OutputTPS, from.OutputTPS)
	if !growth.known || growth.value <= 0 || from.Concurrency < 1 || to.Concurrency < 1 {
		return Number{}
	}
	return Known(math.Log(growth.value) / math.Log(float64(to.Concurrency)/float64(from.Concurrency)))
}

// Class is an elasticity in a word.
func Class(e Number) Word {
	switch {
	case !e.known:
		return Word{}
	case atLeast(e.value, 0.9):
		return Told("linear")
	case atLeast(e.value, bends):
		return Told("sub-linear")
	case atLeast(e.value, 0.1):
		return Told("saturating")
	case atLeast(e.value, -0.05):
		return Told("wall")
	}
	return Told("retrograde")
}

// atLeast compares elasticities, whose logarithms may have lost their last digits.
func atLeast(e, bound float64) bool { return e >= bound-1e-9 }

// Word is one of a set of texts, or not known. The zero value is not known.
type Word struct {
	text  string
	known bool
}

// Told is a word that is known.
func Told(text string) Word { return Word{text, true} }

// Text is the word and whether it is known.
func (w Word) Text() (string, bool) { return w.text, w.known }

// MarshalJSON writes null for a word that is not known.
func (w Word) MarshalJSON() ([]byte, error) {
	if !w.known {
		return []byte("null"), nil
	}
	return json.Marshal(w.text)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (w *Word) UnmarshalJSON(data []byte) error {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*w = Word{}
	if text != nil {
		*w = Told(*text)
	}
	return nil
}
