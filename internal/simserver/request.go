package simserver

import "github.com/tidwall/gjson"

// A request is one generation as it was asked for: checked, within the context,
// and with every default filled in.
type request struct {
	chat   bool
	stream bool

	reportUsage   bool // usage in an event of its own at the end of the stream
	runningTotals bool // usage in every event

	prompt    []int32
	texts     []string // what the prompt says: a chat's messages, or a completion's text; none of ids
	maxTokens int      // the reply has at most this many tokens, and one at least
	minTokens int      // it does not stop of itself before this many
	ignoreEOS bool
	stop      []string

	// seed is what the reply grows from: a hash of the prompt and, above
	// temperature 0, of the seed that was asked for.
	seed uint64
}

// parseRequest checks the members of a generation request.
func (s *Server) parseRequest(f *form, chat bool) (*request, *apiError) {
	r := &request{chat: chat, stream: f.flag("stream", false), ignoreEOS: f.flag("ignore_eos", false)}
	model := f.text("model", s.cfg.Model)
	temperature, seed := f.number("temperature", 1), f.integer("seed", 0)
	if temperature < 0 || temperature > 2 {
		f.fail(refused("temperature", "temperature must be in [0, 2], got %v.", temperature))
	}
	r.minTokens = f.integer("min_tokens", 0)
	r.stop = stopStrings(f)
	r.readStreamOptions(f)
	refuseUnsupported(f)
	limit := replyLimit(f, chat)
	if f.err == nil && model != s.cfg.Model && model != "" {
		return nil, unknownModel(model, s.cfg.Model)
	}
	if chat {
		r.prompt, r.texts = s.chatPrompt(f, f.flag("add_generation_prompt", true))
	} else {
		r.prompt, r.texts = s.completionPrompt(f)
	}
	s.fitContext(f, r, limit)
	if f.err != nil {
		return nil, f.err
	}
	r.seed = hashTokens(0, r.prompt)
	if temperature > 0 {
		r.seed = mix(r.seed ^ mix(uint64(seed)))
	}
	return r, nil
}

// noLimit is the reply limit of a request that states none.
const noLimit = -1

// replyLimit is the most tokens asked for. A completion that does not say gets
// 16, a chat all that the context leaves.
func replyLimit(f *form, chat bool) int {
	limit := noLimit
	if !chat {
		limit = 16
	}
	names := []string{"max_tokens", "max_completion_tokens"} // the later one wins
	if !chat {
		names = names[:1]
	}
	for _, name := range names {
		if _, ok := f.get(name); !ok {
			continue
		}
		if limit = f.integer(name, limit); limit < 1 {
			f.fail(refused(name, "max_tokens must be at least 1, got %d.", limit))
		}
	}
	return limit
}

// fitContext checks the lengths against each other and against the context.
func (s *Server) fitContext(f *form, r *request, limit int) {
	context, prompt := s.cfg.Context, len(r.prompt)
	const tooLong = "This model's maximum context length is %d tokens. However, "
	const reduce = " Please reduce the length of the input prompt"
	switch {
	case prompt >= context:
		f.fail(refused("input_tokens", tooLong+"your prompt contains %d input tokens, "+
			"which leaves no room for any output tokens."+reduce+".", context, prompt))
	case limit == noLimit:
		limit = context - prompt
	case limit > context-prompt:
		f.fail(refused("input_tokens", tooLong+"you requested %d output tokens and your prompt "+
			"contains %d input tokens, for a total of %d tokens."+reduce+
			" or the number of requested output tokens.", context, limit, prompt, prompt+limit))
	}
	switch {
	case r.minTokens < 0:
		f.fail(refused("min_tokens", "min_tokens must be greater than or equal to 0, got %d.", r.minTokens))
	case r.minTokens > limit:
		f.fail(refused("min_tokens", "min_tokens must be less than or equal to max_tokens=%d, got %d.",
			limit, r.minTokens))
	}
	r.maxTokens = limit
}

// readStreamOptions reads what a stream is to say about usage.
func (r *request) readStreamOptions(f *form) {
	value, ok := f.get("stream_options")
	if !ok {
		return
	}
	if !value.IsObject() {
		f.fail(invalid("body.stream_options", "model_attributes_type", "Input should be a valid dictionary"))
		return
	}
	if !r.stream {
		f.fail(refused("stream_options", "Stream options can only be defined when `stream=True`."))
		return
	}
	options := newForm(value)
	r.reportUsage = options.flag("include_usage", false)
	r.runningTotals = r.reportUsage && options.flag("continuous_usage_stats", false)
	if options.err != nil {
		f.fail(options.err)
	}
}

// stopStrings reads `stop`: a string or a list of them.
func stopStrings(f *form) []string {
	value, ok := f.get("stop")
	if !ok {
		return nil
	}
	var stop []string
	for _, item := range value.Array() { // of a string: that string alone
		if item.Type != gjson.String {
			f.fail(invalid("body.stop", "string_type", "Input should be a valid string"))
			return nil
		}
		if item.Str == "" {
			f.fail(refused("stop", "stop cannot contain an empty string."))
			return nil
		}
		stop = append(stop, item.Str)
	}
	return stop
}

// refuseUnsupported refuses what would give the response another shape, and
// what this server does not do: a quiet neglect would look like a fault.
func refuseUnsupported(f *form) {
	for _, name := range []string{"n", "best_of"} {
		if f.integer(name, 1) != 1 {
			f.fail(refused(name, "this server gives one choice per request: %s must be 1", name))
		}
	}
	for _, name := range []string{"echo", "use_beam_search"} {
		if f.flag(name, false) {
			f.fail(refused(name, "this server does not support %s", name))
		}
	}
	if value, ok := f.get("logprobs"); ok && value.Type != gjson.False {
		f.fail(refused("logprobs", "this server does not support logprobs"))
	}
}
