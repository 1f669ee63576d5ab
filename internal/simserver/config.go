package simserver

import "time"

// Config says how large and how fast the simulated deployment is. A number that
// is zero or negative takes the value that Healthy gives it; a switch that is
// false is off.
type Config struct {
	Model   string // the name it serves
	Version string // what GET /version says
	APIKey  string // the bearer token that /v1 asks for; empty: none

	Context    int // longest prompt and reply together, in tokens; never more than the KV cache holds
	Vocabulary int // token ids from 0 to Vocabulary-1 are accepted; never fewer than the tokenizer makes

	StepBase      time.Duration // time of one engine step, however few run
	StepPerSeq    time.Duration // what each running sequence adds to it
	PrefillRate   float64       // prompt tokens computed per second
	PrefillBudget int           // most prompt tokens computed in one step

	Slots       int  // most sequences running at once; the rest wait in order
	KVCapacity  int  // tokens that the KV cache holds, in whole blocks
	BlockSize   int  // tokens per block of the KV cache
	PrefixCache bool // computed prompts and replies are kept for reuse

	ReportCached   bool // usage states the cached tokens
	Tokenize       bool // POST /tokenize and /detokenize exist
	Metrics        bool // GET /metrics exists
	ResetCache     bool // POST /reset_prefix_cache exists
	StreamInterval int  // tokens per event; the first and the last event never wait

	faults faults
}

// Healthy is a deployment without a fault, and a fast one: with prompts and
// replies of 1,000 tokens it makes about 230 output tokens a second for one
// request, 6,000 for 32 and 24,000 for 512.
func Healthy() Config {
	return Config{
		Model:          "sim-1",
		Version:        "0.32.0+sim",
		Context:        32768,
		Vocabulary:     151_936,
		StepBase:       4300 * time.Microsecond,
		StepPerSeq:     16 * time.Microsecond,
		PrefillRate:    60_000,
		PrefillBudget:  8192,
		Slots:          512,
		KVCapacity:     1 << 20,
		BlockSize:      16,
		PrefixCache:    true,
		ReportCached:   true,
		Tokenize:       true,
		Metrics:        true,
		ResetCache:     true,
		StreamInterval: 1,
	}
}

// With is the same deployment with the persona's fault. One fault at a time: a
// second persona may undo the first.
func (c Config) With(p Persona) Config {
	if p.bend != nil {
		p.bend(&c)
	}
	return c
}

// Step is how long the engine takes for one step in which that many sequences
// run and that many prompt tokens are computed:
// StepBase + running·StepPerSeq + prefill/PrefillRate.
func (c Config) Step(running, prefill int) time.Duration {
	c = c.complete()
	computing := float64(prefill) / c.PrefillRate * float64(time.Second)
	return c.StepBase + time.Duration(running)*c.StepPerSeq + time.Duration(computing)
}

// complete is c with what it leaves out.
func (c Config) complete() Config {
	healthy := Healthy()
	orElse(&c.Model, healthy.Model)
	orElse(&c.Version, healthy.Version)
	orElse(&c.Context, healthy.Context)
	orElse(&c.Vocabulary, healthy.Vocabulary)
	orElse(&c.StepBase, healthy.StepBase)
	orElse(&c.StepPerSeq, healthy.StepPerSeq)
	orElse(&c.PrefillRate, healthy.PrefillRate)
	orElse(&c.PrefillBudget, healthy.PrefillBudget)
	orElse(&c.Slots, healthy.Slots)
	orElse(&c.KVCapacity, healthy.KVCapacity)
	orElse(&c.BlockSize, healthy.BlockSize)
	orElse(&c.StreamInterval, healthy.StreamInterval)
	c.KVCapacity = max(c.KVCapacity, 2*c.BlockSize) // so that there is a context at all
	c.Context = min(c.Context, c.KVCapacity/c.BlockSize*c.BlockSize)
	return c
}

// orElse sets *value when it is not above its zero value.
func orElse[T int | float64 | string | time.Duration](value *T, otherwise T) {
	var zero T
	if !(*value > zero) { // so that NaN counts as left out, too
		*value = otherwise
	}
}
