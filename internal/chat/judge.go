package chat

import (
	"fmt"
	"strings"
)

// A stream has no end of its own that could be trusted: a proxy that dies closes
// the connection as cleanly as a server that is done. So a stream is complete
// only if at least two of these came: a finish reason, [DONE], and a usage
// object after the last token.

// judgeStream says what is wrong with an event stream that ended, or was cut by
// the given fault; nil if it is a good reply.
func (a *answer) judgeStream(cut *fault) *fault {
	missing := a.missing()
	switch {
	case a.abort != nil:
		return a.abort
	case len(missing) > 1 && cut != nil && cut.failure != StreamBroken:
		return cut
	case a.payloads == 0 && !a.done:
		return broken("empty stream%s", because(cut))
	case len(missing) > 1:
		return broken("the stream ended early%s: no %s came%s", because(cut), strings.Join(missing, " and no "), a.progress())
	}
	if f := a.judgeOutput(); f != nil {
		return f
	}
	for _, name := range missing {
		if name != nameUsage {
			a.notes.add("the stream ended without " + name)
		}
	}
	if cut != nil {
		a.notes.add("the stream was complete, but its end was not clean: " + cut.message)
	}
	return nil
}

// judgeWhole says what is wrong with a reply that came as one object.
func (a *answer) judgeWhole() *fault {
	if a.abort != nil {
		return a.abort
	}
	if a.finish == "" {
		a.notes.add("the reply has no finish reason")
	}
	return a.judgeOutput()
}

// judgeOutput says what is wrong with a complete reply that carries no output.
// Usage may count tokens that have no text, end-of-turn and the like; whether
// those will do is for the caller to say.
func (a *answer) judgeOutput() *fault {
	if a.wrote {
		return nil
	}
	switch n := a.usage.final(false, &a.notes).OutputTokens; {
	case n == 0:
		return broken("empty output: usage counts 0 output tokens")
	case n > 0 && (a.finish == "length" || a.finish == "stop"):
		a.notes.add("the reply has no text, although usage counts output tokens")
		return nil
	}
	return broken("no output: neither text nor a tool call came")
}

const nameUsage = "final usage"

// missing lists what did not come of the things that show a stream is complete.
func (a *answer) missing() []string {
	var names []string
	if a.finish == "" {
		names = append(names, "finish reason")
	}
	if !a.done {
		names = append(names, "[DONE]")
	}
	if !a.usageAlone {
		names = append(names, nameUsage)
	}
	return names
}

func (a *answer) progress() string {
	if !a.wrote {
		return ", and no output"
	}
	return fmt.Sprintf(", after %d token events", len(a.events))
}

func because(cut *fault) string {
	if cut == nil {
		return ""
	}
	return " (" + cut.message + ")"
}
