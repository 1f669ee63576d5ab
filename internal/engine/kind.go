package engine

import (
	"context"

	"scenario/internal/chat"
	"scenario/internal/diag"
	"scenario/internal/metric"
	"scenario/internal/spec"
)

// Kind is a pluggable workload: what a phase's `kind` names. A kind is data and
// one function; the engine never imports one.
type Kind struct {
	Name   string
	Doc    string   // one paragraph: what it measures, and what it hides
	Schema []byte   // closed JSON Schema of the phase's `workload`
	API    chat.API // where it sends, unless the phase says otherwise

	// Features are the features of production that its phases can prove: reasoning,
	// tools, multi-turn, streaming (where they stream), long-context. A workload that
	// proves fewer has a method Features of its own.
	Features []string

	// New turns a phase's `workload` into sessions, or says what is wrong with it.
	New func(Setup) (Workload, diag.List)
}

// Setup is what a workload is made from. The same setup gives the same sessions.
type Setup struct {
	Phase *spec.Phase
	API   chat.API
	Seed  uint64 // of the run
	Nonce string // of the run: makes its prompts differ from those of every other run
	Dir   string // the folder that the workload's files are relative to
}

// Workload makes the sessions of one phase.
type Workload interface {
	// Session prepares the session at a place; its first request is ready to be
	// written. The same place gives the same session.
	Session(at Place, compose *Composer) (Session, error)
	// Profile says what the sessions of a level ask of the server.
	Profile(concurrency int) Profile
	// Yield is the least number of samples of a level variable (ttft, gap, ...)
	// that one good session is sure to give; 0 when it may give none.
	Yield(variable string) int
}

// Place says which session of a phase is meant.
type Place struct {
	Concurrency int
	Index       int    // within the level (or the warm-up), from 0
	Ordinal     int    // over the phase's whole ladder, from 0; below 0 for warm-ups and probes
	Repeat      int    // which run of its level it belongs to, from 0
	Endpoint    int    // the base URL it goes to
	Again       *Place // the warm-up session whose prompt it sends again, where the cache is to be warm; nil: none
	Purpose     Purpose
	Impatient   bool // a probe that is not tried again: it asks whether the target is alive
	MaxOutput   int  // a warm-up's limit of output tokens; 0: the workload's own
}

// Purpose says what a session is sent for.
type Purpose uint8

const (
	// Measured sessions make the figures.
	Measured Purpose = iota
	// Warmup sessions come before them.
	Warmup
	// Probe sessions are small ones that ask whether the target can do what the
	// phase needs.
	Probe
)

// Profile is what the sessions of a level ask of the server.
type Profile struct {
	PromptTokens int // longest prompt, in tokens; 0: not known
	OutputTokens int // longest output
	KVTokens     int // KV cache that the level's sessions fill when none share a prefix
	KVShared     int // ... when the server shares the prefixes that are equal; 0: none are

	TokenIDs       bool // prompts are token ids
	Forced         bool // output lengths are forced
	ConstantPrompt bool // every prompt is the same, as the scenario declares
	CacheDefault   string

	Data *Dataset // the file that the prompts come from; nil: they are generated
}

// Dataset is a file of prompts. What is in it is sent to the target and goes
// nowhere else.
type Dataset struct {
	File    string `json:"file" doc:"as the scenario names it"`
	SHA256  string `json:"sha256" doc:"of the file"`
	Prompts int    `json:"prompts" doc:"how many there are"`
}

// Session is what one worker does: one request, or a whole conversation.
type Session interface {
	// Run sends the session's requests one after the other and records each as
	// it is finished. It returns early when ctx ends.
	Run(ctx context.Context, x Exchange)
}

// Exchange sends requests for a session and takes the measured ones.
type Exchange interface {
	// Send writes the request and waits for its reply. False means that the run
	// was stopped meanwhile: the request is no measurement.
	Send(ctx context.Context, request *chat.Request) (*metric.Request, bool)
	// Record hands on a request that the kind has judged.
	Record(request *metric.Request)
}
