package chat

import (
	"strings"

	"github.com/tidwall/gjson"
)

// noteBrokenText is the note of a reply in which a character was incomplete.
const noteBrokenText = "the text had a broken character, replaced by U+FFFD"

// answer is what the JSON objects of a reply add up to: the many of a stream, or
// the one of a reply that is not streamed.
type answer struct {
	streamed bool // the arrivals are recorded

	payloads   int
	done       bool // [DONE] came
	usageAlone bool // a usage object came after the last token, without one
	wrote      bool // a piece of output came
	deltas     bool
	abort      *fault

	content, reasoning text
	reasoningField     string
	calls              toolCalls
	finish             string
	usage              usage
	model, fingerprint string

	events []Event
	notes  notes

	pattern  pattern
	elements []gjson.Result // of the choices being added
	only     single         // the text of the object being added, if it has but one
}

// single is the only piece of text of an object that is not empty.
type single struct {
	pieces int
	quoted string
	text   *text
}

func newAnswer() answer { return answer{usage: newUsage()} }

// payload holds the members of one object that matter. It is large, as choice is,
// and every stream has a stack: so they are passed by reference.
type payload struct {
	choices, usage, timings, model, fingerprint gjson.Result
	maybeError                                  bool
}

func (p *payload) read(root gjson.Result) {
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "choices":
			p.choices = value
		case "usage":
			p.usage = value
		case "timings":
			p.timings = value
		case "model":
			p.model = value
		case "system_fingerprint":
			p.fingerprint = value
		case "error":
			p.maybeError = p.maybeError || value.Type != gjson.Null
		case "object", "type":
			p.maybeError = p.maybeError || value.Str == "error"
		}
		return true
	})
}

// add takes the next object, which arrived at the given moment. Once it returns
// a fault the reply is over.
func (a *answer) add(root gjson.Result, at Stamp) *fault {
	a.payloads++
	var p payload
	p.read(root)
	if p.maybeError {
		if e, found := errorIn(root); found {
			return carriedError(e)
		}
	}
	if p.choices.Type == gjson.Null && p.usage.Type == gjson.Null && p.timings.Type == gjson.Null {
		a.notes.add("an object without choices came: " + quote(root.Raw))
	}
	a.identify(&p)

	a.only = single{}
	had, noted := a.finish, len(a.notes.list)
	if p.choices.Type != gjson.Null && !p.choices.IsArray() {
		a.notes.add("choices is not a list")
		p.choices = gjson.Result{}
	}
	kind, finishes, choices := a.choose(&p)
	if kind != 0 {
		a.wrote, a.usageAlone = true, false
		if had != "" {
			a.notes.add("output came after the finish reason")
		}
	}

	a.usage.addTimings(p.timings, &a.notes)
	tokens, counted := a.usage.add(p.usage, &a.notes)
	if counted && (finishes || choices == 0) {
		a.usageAlone = true
	}
	if kind != 0 && a.streamed {
		if tokens == 0 {
			tokens = -1
		}
		a.events = append(a.events, Event{At: at, Kind: kind, Tokens: int32(tokens)})
	}
	textAlone := kind == ContentEvent || kind == ReasoningEvent
	if textAlone && a.only.pieces == 1 && choices == 1 && a.finish == "" &&
		!counted && p.timings.Type == gjson.Null && len(a.notes.list) == noted {
		a.pattern.learn(root.Raw, a.only.quoted, a.only.text, kind)
	}
	return nil
}

// choose adds what the first of an object's choices carries. It returns what kinds
// of output that was, whether the choice has a finish reason, and how many choices
// there are. Usage inside a choice, where some gateways put it, becomes the object's
// if that has none.
//
//go:noinline
func (a *answer) choose(p *payload) (kind EventKind, finishes bool, choices int) {
	a.elements = appendElements(a.elements[:0], &p.choices)
	var c choice
	for i := range a.elements {
		c = choice{}
		c.read(a.elements[i])
		if c.index.Int() > 0 {
			a.notes.add("the reply has several choices; only the first is read")
			continue
		}
		kind |= a.text(&c)
		finishes = a.finishedBy(&c) || finishes
		if p.usage.Type == gjson.Null {
			p.usage = c.usage
		}
	}
	choices = len(a.elements)
	clear(a.elements)
	return kind, finishes, choices
}

func appendElements(list []gjson.Result, v *gjson.Result) []gjson.Result {
	v.ForEach(func(_, element gjson.Result) bool {
		list = append(list, element)
		return true
	})
	return list
}

// maxName bounds the names that a server gives itself, in characters.
const maxName = 200

// identify keeps what the server says it is.
func (a *answer) identify(p *payload) {
	if model := p.model.Str; model != "" && model != a.model && OneLine(model, maxName) != a.model {
		if a.model != "" {
			a.notes.add("the reply names different models")
		} else {
			a.model = OneLine(p.model.Str, maxName)
		}
	}
	if p.fingerprint.Str != "" && p.fingerprint.Str != a.fingerprint {
		a.fingerprint = OneLine(p.fingerprint.Str, maxName)
	}
}

// abortReasons are the finish reasons of a server that gave up on its reply.
var abortReasons = map[string]bool{
	"abort": true, "aborted": true, "error": true, "cancel": true, "cancelled": true, "canceled": true,
	"parse_error": true, "failed": true, "timeout": true, "insufficient_system_resource": true,
}

// finishedBy keeps the finish reason of a choice and reports whether it has one.
func (a *answer) finishedBy(c *choice) bool {
	reason := c.finish
	if reason.IsObject() {
		reason = reason.Get("type")
		a.notes.add("the finish reason is an object, not a string")
	}
	switch {
	case reason.Type == gjson.Null || reason.Type == gjson.String && reason.Str == "":
		return false
	case reason.Type != gjson.String:
		a.notes.add("the finish reason is not a string")
		return false
	}
	name := OneLine(strings.ToLower(reason.Str), 60)
	if name != reason.Str {
		a.notes.add("the finish reason came as " + quote(reason.Str))
	}
	if a.finish != "" && a.finish != name {
		a.notes.add("the finish reason changed")
	}
	a.finish = name
	if a.abort == nil && abortReasons[a.finish] {
		a.abort = broken("the server gave up on the reply: finish reason %q", OneLine(reason.Str, 60))
		if e := readError(c.err); says(c.err) && e.message != "" {
			a.abort.message += ": " + e.message
			a.abort.code = e.code
		}
	}
	return true
}

// write puts the answer into the reply.
func (a *answer) write(r *Reply) {
	var whole bool
	if r.Content, whole = a.content.string(); !whole {
		a.notes.add(noteBrokenText)
	}
	if r.Reasoning, whole = a.reasoning.string(); !whole {
		a.notes.add(noteBrokenText)
	}
	r.ToolCalls = a.calls.calls(&a.notes)
	r.Usage = a.usage.final(a.wrote, &a.notes)
	r.Model, r.SystemFingerprint = a.model, a.fingerprint
	r.ReasoningField, r.FinishReason, r.Done = a.reasoningField, a.finish, a.done
	r.Events = a.events
	r.Notes = append(r.Notes, a.notes.list...)
}
