// Package formula computes a level's figures exactly as a named published method
// does: with its own clock points, its own rule for which requests count and its
// own statistics. In go the measured requests of one level and its wall time; out
// comes a struct of figures, whose fields are variables of the scenario language
// below formulas.<id>.
//
// These figures stand beside the tool's own and never under their names: an
// equal number by another formula is not evidence.
package formula

import (
	"reflect"
	"time"

	"scenario/internal/metric"
)

// Formula is one published method's way to compute.
type Formula struct {
	ID      string // as scenario files write it: catid-g1
	Doc     string
	Mode    string       // the load.mode of the published method
	Figures reflect.Type // struct type of what Compute returns
	Compute func(Level) any
}

// Level is what a formula is computed from.
type Level struct {
	Concurrency int
	Requests    []*metric.Request
	// Wall is the time from just before the first request was prepared and handed to
	// the client to the return of the last one. The requests of a wave are prepared
	// before any of them is handed over, as the methods do that build their list of
	// jobs within their wall.
	Wall time.Duration
}

// Variable is the formula's name in expressions: catid_g1.
func (f Formula) Variable() string {
	id := []byte(f.ID)
	for i, c := range id {
		if c == '-' {
			id[i] = '_'
		}
	}
	return string(id)
}

// All are the formulas of this build.
func All() []Formula {
	return []Formula{catidG0, catidG1, catidG2, catidG3f}
}

// Find is the formula with an id.
func Find(id string) (Formula, bool) {
	for _, f := range All() {
		if f.ID == id {
			return f, true
		}
	}
	return Formula{}, false
}

// Later are the ids of the language's formulas that this build does not have.
func Later() []string {
	return []string{"catid-g0b", "catid-g2a", "catid-g3d", "catid-g3p", "catid-g4p"}
}

// IDs lists the formulas' ids.
func IDs() []string {
	var ids []string
	for _, f := range All() {
		ids = append(ids, f.ID)
	}
	return ids
}
