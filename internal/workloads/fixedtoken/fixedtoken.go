// Package fixedtoken is the workload kind fixed-token: prompts of an exact number
// of token ids in, outputs of an exact length out. It measures the server's
// mechanics, prefill and decode, at exactly known work; it says nothing of the
// quality of answers, since the prompts mean nothing.
//
// Every reply is held to the lengths that were asked for. One with other counts
// is a length mismatch, whatever its status, and enters no figure.
package fixedtoken

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"

	"scenario/internal/chat"
	"scenario/internal/diag"
	"scenario/internal/engine"
	"scenario/internal/spec"
)

//go:embed schema.json
var schema []byte

// Kind is the workload kind fixed-token.
var Kind = engine.Kind{
	Name: "fixed-token",
	Doc: "Prompts of an exact number of token ids, outputs of an exact length: how fast the server prefills and decodes. " +
		"It does not ask whether answers make sense (prompts are random ids), only whether counts are exact and the text is not broken.",
	Schema:   schema,
	API:      chat.Completions,
	Features: []string{"streaming"},
	New:      newWorkload,
}

// config is the phase's `workload`.
type config struct {
	Prompt struct {
		IDs        string      `yaml:"ids"`
		Tokens     spec.Tokens `yaml:"tokens"`
		Vocabulary []int       `yaml:"vocabulary"`
		ID         *int        `yaml:"id"`
		Base       *int        `yaml:"base"`
		Request    *int        `yaml:"request"`
		Position   *int        `yaml:"position"`
		Modulo     *int        `yaml:"modulo"`
	} `yaml:"prompt"`
	OutputTokens spec.Tokens `yaml:"output_tokens"`
	IgnoreEOS    *bool       `yaml:"ignore_eos"`
	MinTokens    bool        `yaml:"min_tokens"`
}

// workload makes the sessions of one phase.
type workload struct {
	config
	ids      generator
	forced   bool
	streamed bool
}

func newWorkload(setup engine.Setup) (engine.Workload, diag.List) {
	at := setup.Phase.Workload
	var c config
	var fault *spec.DecodeError
	if errors.As(at.Decode(&c), &fault) {
		return nil, fault.Faults
	}
	faults := c.check(setup)
	if len(faults) > 0 {
		return nil, faults
	}
	return &workload{
		config:   c,
		ids:      c.generator(setup),
		forced:   c.IgnoreEOS == nil || *c.IgnoreEOS,
		streamed: setup.Phase.Stream,
	}, nil
}

// check is what the schema cannot say: which keys belong to which way of making
// ids, and what contradicts the rest of the phase.
func (c *config) check(setup engine.Setup) diag.List {
	var faults diag.List
	prompt := setup.Phase.Workload.Key("prompt")
	keys := map[string][]string{
		"random":   {"vocabulary"},
		"constant": {"id"},
		"affine":   {"base", "request", "position", "modulo"},
	}
	for _, way := range []string{"random", "constant", "affine"} {
		for _, key := range keys[way] {
			switch at := prompt.Key(key); {
			case way != c.Prompt.IDs && at.Exists():
				faults = append(faults, at.DiagnoseKey(key+" belongs to ids: "+way+", and this prompt has ids: "+c.Prompt.IDs, "remove "+key))
			case way == c.Prompt.IDs && way != "random" && !at.Exists():
				faults = append(faults, prompt.DiagnoseKey("ids: "+way+" needs "+key, "add "+key+": …"))
			}
		}
	}
	switch from, to := c.vocabulary(); {
	case from >= to:
		faults = append(faults, prompt.Key("vocabulary").Diagnose("the vocabulary is empty: it runs from its first number up to, and without, its second", "write [1000, 30000]"))
	case from == to-1:
		faults = append(faults, prompt.Key("vocabulary").Diagnose("the vocabulary has one id: every prompt would be the same", fmt.Sprintf("widen it, or write ids: constant and id: %d", from)))
	}
	if d := c.repeats(setup.Phase, prompt); d != nil {
		faults = append(faults, *d)
	}
	if c.Prompt.IDs == "constant" && setup.Phase.Cache == "cold" {
		faults = append(faults, setup.Phase.At.Key("cache").Diagnose("a constant prompt cannot be cold: all requests but the first find it in the prefix cache", "write cache: any, or ids: random"))
	}
	if setup.API != chat.Completions {
		faults = append(faults, setup.Phase.At.Key("api").Diagnose("token ids go to the completions API only", "write api: completions, or leave api out"))
	}
	if c.MinTokens && c.IgnoreEOS != nil && !*c.IgnoreEOS {
		faults = append(faults, setup.Phase.Workload.Key("min_tokens").Diagnose("min_tokens forces the length, and ignore_eos: false leaves it to the model", "leave one of the two out"))
	}
	return faults
}

// Profile implements engine.Workload.
func (w *workload) Profile(concurrency int) engine.Profile {
	prompt, output := int(w.Prompt.Tokens), int(w.OutputTokens)
	p := engine.Profile{
		PromptTokens: prompt, OutputTokens: output,
		KVTokens: concurrency * (prompt + output),
		TokenIDs: true, Forced: w.forced,
		CacheDefault: "cold",
	}
	if w.Prompt.IDs == "constant" {
		p.ConstantPrompt = true
		p.KVShared = prompt + concurrency*output
		p.CacheDefault = "any"
	}
	return p
}

// Yield implements engine.Workload: one session is one request.
func (w *workload) Yield(variable string) int {
	output := int(w.OutputTokens)
	if !w.forced {
		output = 1
	}
	switch variable {
	case "gap", "itl", "client.lag":
		if !w.streamed {
			return 0
		}
		// Servers put up to 16 tokens in an event.
		return min(1, output-1) * max(1, (output-1)/16)
	case "tpot", "user_tps", "stall":
		if !w.streamed {
			return 0
		}
		return min(1, output-1)
	case "ttft", "ttfc", "tokens_per_event":
		if !w.streamed {
			return 0
		}
	}
	return 1
}

// distinctPrompts is how many prompts a cold phase of random ids must be able to
// make: with fewer, two of them are likely to begin alike.
const distinctPrompts = 1e9

// repeats is the fault of a cold phase whose ids cannot make its prompts differ.
func (c *config) repeats(phase *spec.Phase, prompt spec.At) *diag.Diagnostic {
	if phase.Cache != "cold" && phase.Cache != "" { // the default is cold
		return nil
	}
	switch c.Prompt.IDs {
	case "affine":
		return c.affineRepeats(slices.Max(append([]int{1}, phase.Concurrency...)), prompt)
	case "random":
		return c.randomRepeats(prompt)
	}
	return nil
}

// affineRepeats: request·ordinal runs through modulo/gcd(request, modulo) values,
// and each is one prompt.
func (c *config) affineRepeats(concurrency int, prompt spec.At) *diag.Diagnostic {
	if c.Prompt.Request == nil || c.Prompt.Modulo == nil || *c.Prompt.Modulo < 1 {
		return nil
	}
	distinct := *c.Prompt.Modulo / gcd(*c.Prompt.Modulo, *c.Prompt.Request)
	message := fmt.Sprintf("there are only %d different prompts, fewer than are in flight at C=%d: they cannot be cold", distinct, concurrency)
	switch {
	case distinct == 1:
		message = "request is a multiple of modulo: every prompt is the same, and cannot be cold"
	case distinct >= concurrency:
		return nil
	}
	d := prompt.Key("request").Diagnose(message, "choose a request that shares no factor with modulo, or write cache: any")
	return &d
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// randomRepeats: what begins alike for 16 ids shares a block of the prefix cache.
func (c *config) randomRepeats(prompt spec.At) *diag.Diagnostic {
	from, to := c.vocabulary()
	if from >= to-1 || math.Pow(float64(to-from), float64(min(c.Prompt.Tokens, 16))) >= distinctPrompts {
		return nil // of one id or none another fault is told
	}
	d := prompt.Key("tokens").Diagnose("so short prompts would begin alike, and could not be cold", "write more tokens, or cache: any")
	if at := prompt.Key("vocabulary"); at.Exists() {
		d = at.Diagnose("too few ids: prompts would begin alike, and could not be cold", "widen the vocabulary, or write cache: any")
	}
	return &d
}

// vocabulary is the range that random ids are drawn from, without its end.
func (c *config) vocabulary() (from, to int) {
	if v := c.Prompt.Vocabulary; len(v) == 2 {
		return v[0], v[1]
	}
	return 1000, 30000
}
