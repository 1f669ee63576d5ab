package chat

import "github.com/tidwall/gjson"

// choice holds the members of one element of choices.
type choice struct {
	index, delta, message, text, finish, usage, err gjson.Result
}

func (c *choice) read(v gjson.Result) {
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "index":
			c.index = value
		case "delta":
			c.delta = value
		case "message":
			c.message = value
		case "text":
			c.text = value
		case "finish_reason":
			c.finish = value
		case "usage":
			c.usage = value
		case "error":
			c.err = value
		}
		return true
	})
}

// text adds what a choice carries to the answer and says what kinds of output
// that was.
func (a *answer) text(c *choice) EventKind {
	switch {
	case c.delta.IsObject():
		a.deltas = true
		return a.delta(c.delta, false)
	case c.message.IsObject():
		if a.deltas {
			a.notes.add("a whole message after deltas was not read")
			return 0
		}
		return a.delta(c.message, true)
	case c.text.Type != gjson.Null:
		return a.piece(&a.content, c.text, ContentEvent)
	}
	return 0
}

// delta adds a delta, or a whole message, which has the same members.
func (a *answer) delta(v gjson.Result, whole bool) EventKind {
	var content, reasoning, reasoningContent, calls, legacy gjson.Result
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "content":
			content = value
		case "reasoning":
			reasoning = value
		case "reasoning_content":
			reasoningContent = value
		case "tool_calls":
			calls = value
		case "function_call":
			legacy = value
		case "refusal":
			if value.Type == gjson.String && value.Str != "" {
				a.notes.add("the reply carries a refusal")
			}
		case "reasoning_details", "thinking":
			if says(value) {
				a.notes.add("the field " + key.Str + " was not read")
			}
		}
		return true
	})
	kind := a.think(reasoning, reasoningContent)
	if content.Type != gjson.Null {
		kind |= a.piece(&a.content, content, ContentEvent)
	}
	if calls.Type != gjson.Null && a.calls.add(calls, whole, &a.notes) {
		kind |= ToolEvent
	}
	if legacy.Type != gjson.Null && a.calls.addLegacy(legacy, &a.notes) {
		kind |= ToolEvent
	}
	return kind
}

// think adds reasoning, which has two names. A server in transition sends it
// under both.
func (a *answer) think(reasoning, reasoningContent gjson.Result) EventKind {
	value, name := reasoning, "reasoning"
	switch {
	case isEmpty(reasoning):
		value, name = reasoningContent, "reasoning_content"
	case !isEmpty(reasoningContent) && reasoning.Str != reasoningContent.Str:
		a.notes.add("reasoning and reasoning_content differ; reasoning was read")
	}
	if value.Type == gjson.Null {
		return 0
	}
	kind := a.piece(&a.reasoning, value, ReasoningEvent)
	switch {
	case kind == 0:
	case a.reasoningField == "":
		a.reasoningField = name
	case a.reasoningField != name:
		a.notes.add("reasoning came under two names")
	}
	return kind
}

func isEmpty(v gjson.Result) bool {
	return v.Type == gjson.Null || v.Type == gjson.String && v.Str == ""
}

// piece adds a string, or a list of text parts, to a text. It is of the given
// kind if it is not empty.
func (a *answer) piece(t *text, v gjson.Result, kind EventKind) EventKind {
	before := len(t.buf)
	switch {
	case v.Type == gjson.String:
		t.add(v.Raw)
		if v.Str != "" {
			a.only = single{a.only.pieces + 1, v.Raw, t}
		}
	case v.IsArray():
		a.only.pieces += 2
		v.ForEach(func(_, part gjson.Result) bool {
			a.part(t, part)
			return true
		})
	default:
		a.notes.add("a text of the reply is neither a string nor a list of parts")
	}
	if len(t.buf) == before {
		return 0
	}
	return kind
}

// part adds one part of a list: a string, or an object of type text.
func (a *answer) part(t *text, part gjson.Result) {
	if part.IsObject() {
		if kind := part.Get("type").Str; kind != "text" {
			a.notes.add("a part of type " + OneLine(kind, 40) + " was not read")
			return
		}
		part = part.Get("text")
	}
	if part.Type == gjson.String {
		t.add(part.Raw)
	}
}
