// Package target finds out what the server under test is: which model it serves,
// what software and version it runs, how long its context is and how much its KV
// cache holds. In go a client and what the scenario says of the target; out come
// Facts, stored with every result, or the reason why the target cannot be used.
// Later looks at the same server are Identify, for another process or model in its
// place, and Read, for its own counters.
//
// What a server accepts proves nothing: whether it honours token ids and forced
// lengths is found out by requests, in the engine, not here.
package target

import (
	"fmt"
	"strings"

	"scenario/internal/diag"
)

// Facts are what is known of a target before the load.
type Facts struct {
	BaseURLs          []string `json:"base_urls" doc:"where requests go, without user, password and query values"`
	Server            string   `json:"server" doc:"the software, as far as it can be told: vllm, sglang, llamacpp, trtllm, ollama, lmdeploy, openai or unknown"`
	Version           string   `json:"version,omitempty" doc:"its version, where it says"`
	Model             string   `json:"model" doc:"the model that requests name"`
	ModelRoot         string   `json:"model_root,omitempty" doc:"where the server loaded the model from, where it says"`
	Models            []string `json:"models,omitempty" doc:"the models that the server lists"`
	ContextTokens     int      `json:"context_tokens,omitempty" doc:"longest prompt and output together; 0: not known"`
	KVCapacityTokens  int      `json:"kv_capacity_tokens,omitempty" doc:"tokens that the KV cache holds, of all base URLs together; 0: not known"`
	KVCapacitySource  string   `json:"kv_capacity_source,omitempty" doc:"who says so: the scenario, or a page of the server"`
	KVBlockTokens     int      `json:"kv_block_tokens,omitempty" doc:"tokens in a block of the KV cache, the unit of its reuse, where the server says"`
	Metrics           string   `json:"metrics,omitempty" doc:"where the server's counters are: a path, or the scenario's URL; empty: nowhere"`
	Accelerators      int      `json:"accelerators,omitempty" doc:"number of accelerators, as the scenario states"`
	SystemFingerprint string   `json:"system_fingerprint,omitempty" doc:"of the first reply, where there is one"`
	InsecureTLS       bool     `json:"insecure_tls,omitempty" doc:"the certificate was not checked, as the scenario asks"`
	Notes             []string `json:"notes,omitempty" doc:"what else was found"`

	Fingerprints []Fingerprint `json:"fingerprints,omitempty" doc:"what tells the server's process from another, for each base URL"`
	MetricsAt    []Place       `json:"-"` // where Read finds the counters of each server
	MetricsOfAll bool          `json:"-"` // one page, which the scenario names, is for all servers
}

// NoIDs reports whether the software is known to take no token ids or to have no
// way to force an output's length, whatever it accepts.
func (f *Facts) NoIDs() bool { return f.Server == "ollama" || f.Server == "openai" }

// LimitField is the request field for the limit of output tokens.
func (f *Facts) LimitField() string {
	if f.Server == "openai" {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// Unusable says why a target cannot be used at all: unreachable, unauthorised,
// or without the model.
type Unusable struct {
	Message string
	// Settled means that waiting will not help.
	Settled bool
}

func (e *Unusable) Error() string { return e.Message }

func unusable(settled bool, format string, args ...any) *Unusable {
	return &Unusable{Message: fmt.Sprintf(format, args...), Settled: settled}
}

// noSuchModel is the error for a model that the server does not list. One that lists
// none may be loading it.
func noSuchModel(want string, listed []string) *Unusable {
	if len(listed) == 0 {
		return unusable(false, "no such model: the scenario asks for %q, and the target lists no models", want)
	}
	message := fmt.Sprintf("no such model: the scenario asks for %q, the target lists %s", want, diag.Quoted(listed))
	if near, ok := diag.Nearest(want, listed); ok {
		message += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return unusable(true, "%s", message)
}

// severalModels is the error for a scenario that names no model where the server
// has not exactly one.
func severalModels(listed []string) *Unusable {
	if len(listed) == 0 {
		return unusable(false, "the target lists no models, and the scenario names none: set target.model or --model")
	}
	return unusable(true, "the target lists %d models, and the scenario names none: set target.model or --model to one of %s", len(listed), strings.Join(quoted(listed), ", "))
}

func quoted(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return list
}
