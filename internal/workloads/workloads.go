// Package workloads is the registry of workload kinds: one package per kind, and
// one line here.
package workloads

import (
	"scenario/internal/engine"
	"scenario/internal/workloads/fixedtoken"
)

// Kinds are the kinds of this build, in the order in which they are listed.
func Kinds() []engine.Kind {
	return []engine.Kind{
		fixedtoken.Kind,
	}
}

// Later names the kinds that the language knows and this build does not have.
func Later() []string { return []string{"long-context", "multi-turn"} }
