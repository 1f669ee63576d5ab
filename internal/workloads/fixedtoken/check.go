package fixedtoken

import (
	"fmt"
	"math"
	"slices"

	"scenario/internal/chat"
	"scenario/internal/diag"
	"scenario/internal/engine"
	"scenario/internal/spec"
)

// ways are the ways to make prompts, the keys that each needs and those that it
// may have.
var ways = []struct {
	key, value  string
	needs, also []string
}{
	{"ids", "random", []string{"tokens"}, []string{"vocabulary"}},
	{"ids", "constant", []string{"tokens", "id"}, nil},
	{"ids", "affine", []string{"tokens", "base", "request", "position", "modulo"}, nil},
	{"text", "story", []string{"tokens"}, nil},
	{"file", "", nil, nil},
}

// check is what the schema cannot say: which keys belong to which way of making
// prompts, and what contradicts the rest of the phase.
func (c *config) check(setup engine.Setup) diag.List {
	faults := c.checkWay(setup)
	if c.Prompt.IDs != "" {
		faults = append(faults, c.checkIDs(setup)...)
	}
	if c.MinTokens && !c.forced() {
		faults = append(faults, setup.Phase.Workload.Key("min_tokens").Diagnose("min_tokens forces the length, and ignore_eos: false leaves it to the model", "leave one of the two out"))
	}
	return faults
}

// checkWay wants one way of making prompts, with its keys and no other's.
func (c *config) checkWay(setup engine.Setup) diag.List {
	var faults diag.List
	prompt := setup.Phase.Workload.Key("prompt")
	var given []string
	for _, key := range []string{"ids", "text", "file"} {
		if prompt.Key(key).Exists() {
			given = append(given, key)
		}
	}
	switch {
	case len(given) == 0:
		return diag.List{prompt.DiagnoseKey("a prompt needs ids, text or file", "write ids: random, or text: story, with tokens, or file: prompts.jsonl")}
	case len(given) > 1:
		return diag.List{prompt.Key(given[1]).DiagnoseKey(fmt.Sprintf("a prompt has one of ids, text and file, and this one has %s and %s", given[0], given[1]), "remove one of them")}
	}
	name := given[0]
	if name != "file" {
		name += ": " + prompt.Key(given[0]).Text().String()
	}
	mine := slices.IndexFunc(ways, func(w struct {
		key, value  string
		needs, also []string
	},
	) bool {
		return w.key == given[0] && (w.value == "" || w.value == prompt.Key(given[0]).Text().String())
	})
	way := ways[mine]
	for _, key := range way.needs {
		if !prompt.Key(key).Exists() {
			faults = append(faults, prompt.DiagnoseKey(name+" needs "+key, "add "+key+": …"))
		}
	}
	for _, other := range ways {
		for _, key := range slices.Concat(other.needs, other.also) {
			at := prompt.Key(key)
			if !at.Exists() || slices.Contains(way.needs, key) || slices.Contains(way.also, key) || slices.ContainsFunc(faults, func(d diag.Diagnostic) bool { return d.Pos == at.DiagnoseKey("", "").Pos }) {
				continue
			}
			owner := other.key
			if other.value != "" {
				owner += ": " + other.value
			}
			if key == "tokens" {
				owner = "ids and text"
			}
			faults = append(faults, at.DiagnoseKey(key+" belongs to "+owner+", and this prompt has "+name, "remove "+key))
		}
	}
	return faults
}

// checkIDs is about prompts of token ids.
func (c *config) checkIDs(setup engine.Setup) diag.List {
	var faults diag.List
	prompt := setup.Phase.Workload.Key("prompt")
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
	return faults
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
		return c.affineRepeats(inFlight(phase), phase.Load.Mode == "rate", prompt)
	case "random":
		return c.randomRepeats(prompt)
	}
	return nil
}

// inFlight is the most requests of a phase that may be in flight.
func inFlight(phase *spec.Phase) int {
	if phase.Load.Mode == "rate" {
		return phase.Load.MaxInFlight
	}
	return slices.Max(append([]int{1}, phase.Concurrency...))
}

// affineRepeats: request·ordinal runs through modulo/gcd(request, modulo) values,
// and each is one prompt.
func (c *config) affineRepeats(concurrency int, rates bool, prompt spec.At) *diag.Diagnostic {
	if c.Prompt.Request == nil || c.Prompt.Modulo == nil || *c.Prompt.Modulo < 1 {
		return nil
	}
	distinct := *c.Prompt.Modulo / gcd(*c.Prompt.Modulo, *c.Prompt.Request)
	most := fmt.Sprintf("C=%d", concurrency)
	if rates {
		most = fmt.Sprintf("max_in_flight %d", concurrency)
	}
	message := fmt.Sprintf("there are only %d different prompts, fewer than are in flight at %s: they cannot be cold", distinct, most)
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
