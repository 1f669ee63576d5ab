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
	Doc: "Prompts of an exact number of token ids (or texts brought to a length, or your own from a file), outputs of an exact length: how fast the server prefills and decodes. " +
		"It does not ask whether answers make sense (prompts are random ids), only whether counts are exact and the text is not broken; answers that a file expects are compared.",
	Schema:   schema,
	API:      chat.Completions,
	Features: []string{"streaming"},
	New:      newWorkload,
}

// config is the phase's `workload`.
type config struct {
	Prompt struct {
		IDs        string      `yaml:"ids"`
		Text       string      `yaml:"text"`
		File       string      `yaml:"file"`
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
	source   source
	data     *engine.Dataset // of the file that the prompts come from; nil: none
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
	w := &workload{config: c, forced: c.forced(), streamed: setup.Phase.Stream}
	key := fmt.Sprintf("%s|%d|%s", setup.Nonce, setup.Seed, setup.Phase.Name)
	switch {
	case c.Prompt.Text != "":
		t := &texts{key: key, api: setup.API, tokens: int(c.Prompt.Tokens)}
		w.source = t
		return &textWorkload{w, t}, nil
	case c.Prompt.File != "":
		prompts, faults := readPrompts(at.Key("prompt").Key("file"), setup.Dir, setup.API)
		if prompts == nil {
			return nil, faults
		}
		w.source, w.data = prompts, &prompts.data
	default:
		w.source = idPrompts{c.generator(key), int(c.Prompt.Tokens)}
	}
	return w, nil
}

// forced reports whether the outputs' length is forced: the user's own prompts are
// answered as far as the model likes.
func (c *config) forced() bool {
	if c.IgnoreEOS != nil {
		return *c.IgnoreEOS
	}
	return c.Prompt.File == ""
}

// Profile implements engine.Workload.
func (w *workload) Profile(concurrency int) engine.Profile {
	prompt, output := int(w.Prompt.Tokens), int(w.OutputTokens)
	p := engine.Profile{
		PromptTokens: prompt, OutputTokens: output,
		KVTokens: concurrency * (prompt + output),
		TokenIDs: w.Prompt.IDs != "", Forced: w.forced,
		CacheDefault: "cold",
	}
	switch {
	case w.data != nil: // how long its prompts are is not known
		p.KVTokens, p.Data, p.CacheDefault = 0, w.data, "any"
	case w.Prompt.IDs == "constant":
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
