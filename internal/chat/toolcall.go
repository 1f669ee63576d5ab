package chat

import (
	"strings"

	"github.com/tidwall/gjson"
)

// NoteNonconformingIndex is the note of a reply whose tool-call deltas leave out
// the index or give one index to several calls. The calls are told apart by
// their ids.
const NoteNonconformingIndex = "nonconforming index of a tool call"

// toolCalls assembles calls from their deltas.
type toolCalls struct {
	list   []*partialCall
	legacy *partialCall
}

type partialCall struct {
	index    int // -1: absent
	id, name string
	args     text
}

// callDelta is one element of a tool_calls list.
type callDelta struct {
	index      int
	id, name   string
	args       gjson.Result
	isFunction bool
}

// add reads a tool_calls value and reports whether it carried a piece of a name
// or of arguments. The calls of a whole message have no index; it is their place
// in the list.
func (t *toolCalls) add(v gjson.Result, whole bool, notes *notes) (piece bool) {
	if !v.IsArray() {
		notes.add("tool_calls is not a list")
		return false
	}
	v.ForEach(func(place, element gjson.Result) bool {
		d := readCallDelta(element)
		if whole && d.index < 0 {
			d.index = int(place.Num)
		}
		if !d.isFunction {
			notes.add("a tool call without a function")
			return true
		}
		if t.target(d, notes).append(d, notes) {
			piece = true
		}
		return true
	})
	return piece
}

// addLegacy reads a function_call value, the older form for a single call.
func (t *toolCalls) addLegacy(v gjson.Result, notes *notes) (piece bool) {
	if !v.IsObject() {
		return false
	}
	if t.legacy == nil && len(t.list) > 0 {
		notes.add("function_call beside tool_calls was not read")
		return false
	}
	notes.add("the call came as a legacy function_call")
	if t.legacy == nil {
		t.legacy = t.start(-1)
	}
	d := callDelta{}
	d.readFunction(v)
	return t.legacy.append(d, notes)
}

func readCallDelta(v gjson.Result) callDelta {
	d := callDelta{index: -1}
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "index":
			d.index, _ = wholeNumber(value)
		case "id":
			if value.Type != gjson.Null {
				d.id = value.String()
			}
		case "function":
			if value.IsObject() {
				d.readFunction(value)
			}
		}
		return true
	})
	return d
}

func (d *callDelta) readFunction(v gjson.Result) {
	d.isFunction = true
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "name":
			d.name = value.Str
		case "arguments":
			d.args = value
		}
		return true
	})
}

// hasArgs reports whether the delta carries a piece of the arguments.
func (d *callDelta) hasArgs() bool {
	switch d.args.Type {
	case gjson.Null:
		return false
	case gjson.String:
		return d.args.Str != ""
	}
	return true
}

// target finds the call that a delta belongs to. An empty, absent or known id
// continues a call, a new id starts one. Without an id, a delta that names
// another function, or brings arguments to a call that has all of its own,
// starts one too: some servers send whole calls and no ids.
func (t *toolCalls) target(d callDelta, notes *notes) *partialCall {
	if d.index < 0 {
		notes.add(NoteNonconformingIndex)
	}
	latest := t.latest(func(c *partialCall) bool { return c.index == d.index })
	if d.id == "" {
		if latest == nil && d.index < 0 {
			latest = t.latest(func(*partialCall) bool { return true })
		}
		if latest != nil && !latest.endedBy(d) {
			return latest
		}
	} else {
		known := t.latest(func(c *partialCall) bool {
			return c.id == d.id && !c.otherName(d) && (c.index == d.index || d.index < 0 || d.name == "")
		})
		if known != nil {
			return known
		}
		if latest != nil && latest.id == "" && !latest.endedBy(d) {
			return latest // the id came after the call's first piece
		}
	}
	if latest != nil {
		notes.add(NoteNonconformingIndex)
	}
	return t.start(d.index)
}

func (t *toolCalls) latest(match func(*partialCall) bool) *partialCall {
	for i := len(t.list) - 1; i >= 0; i-- {
		if c := t.list[i]; c != t.legacy && match(c) {
			return c
		}
	}
	return nil
}

func (t *toolCalls) start(index int) *partialCall {
	c := &partialCall{index: index}
	t.list = append(t.list, c)
	return c
}

// endedBy reports whether a delta without a new id must belong to another call.
func (c *partialCall) endedBy(d callDelta) bool {
	return c.otherName(d) || d.name != "" && d.hasArgs() && gjson.ValidBytes(c.args.buf)
}

func (c *partialCall) otherName(d callDelta) bool {
	return d.name != "" && c.name != "" && d.name != c.name
}

// append adds a delta to its call and reports whether it carried a piece of the
// name or of the arguments.
func (c *partialCall) append(d callDelta, notes *notes) (piece bool) {
	if c.id == "" {
		c.id = strings.Clone(d.id)
	}
	if c.otherName(d) {
		notes.add("the name of a tool call changed while it was streamed")
	} else if c.name == "" {
		c.name = strings.Clone(d.name)
	}
	if d.hasArgs() {
		if d.args.Type == gjson.String {
			c.args.add(d.args.Raw)
		} else {
			notes.add("the arguments of a tool call are not a string")
			c.args.buf = append(c.args.buf, d.args.Raw...)
		}
	}
	return d.name != "" || d.hasArgs()
}

// calls are the assembled calls, in the order they began.
func (t *toolCalls) calls(notes *notes) []ToolCall {
	var calls []ToolCall
	for _, c := range t.list {
		args, whole := c.args.string()
		if !whole {
			notes.add(noteBrokenText)
		}
		calls = append(calls, ToolCall{Index: c.index, ID: c.id, Name: c.name, Arguments: args})
	}
	return calls
}
