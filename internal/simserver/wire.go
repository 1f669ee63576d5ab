package simserver

import "strconv"

// A wire writes the events of one stream, byte for byte in vLLM's shapes. What
// stays the same from event to event is built once, so that an event costs a few
// copies and no encoder.
type wire struct {
	request     *request
	prefix      string // of every event, up to its choices
	fingerprint string
	before      string // what stands before an event's text
	after       string // and what after it, up to the finish reason
	unfinished  string // the rest of the choice, when more tokens follow
	ids         string // the rest of the choice after a finish reason
	usageLast   bool   // usage goes with the finish reason
	chatty      bool   // events without text, and comments, come between
}

// ping is a comment: it says that the server is there.
const ping = ": ping\n\n"

func newWire(r *request, b *response, bent *faults) *wire {
	prefix := appendQuoted([]byte(`data: {"id":`), b.ID)
	w := &wire{request: r, fingerprint: b.SystemFingerprint, usageLast: bent.usageLast, chatty: bent.chatty}
	if r.chat {
		prefix = append(prefix, `,"object":"chat.completion.chunk","created":`...)
		w.before = `,"choices":[{"index":0,"delta":{"content":"`
		w.after = `"},"logprobs":null,"finish_reason":`
		w.unfinished = `null`
		w.ids = `,"token_ids":null}]`
	} else {
		prefix = append(prefix, `,"object":"text_completion","created":`...)
		w.before = `,"choices":[{"index":0,"text":"`
		w.after = `","logprobs":null,"finish_reason":`
		w.unfinished = `null,"stop_reason":null`
		w.ids = `,"prompt_token_ids":null,"token_ids":null}]`
	}
	prefix = strconv.AppendInt(prefix, b.Created, 10)
	w.prefix = string(appendQuoted(append(prefix, `,"model":`...), b.Model))
	w.before = w.prefix + w.before
	w.unfinished = w.after + w.unfinished + w.ids
	return w
}

// opening appends the event that a chat begins with: a role and no text.
func (w *wire) opening(to []byte) []byte {
	if !w.request.chat {
		return to
	}
	to = append(to, w.prefix...)
	to = append(to, `,"choices":[{"index":0,"delta":{"role":"assistant","content":""},`+
		`"logprobs":null,"finish_reason":null}]`...)
	to = w.appendTotals(to, 0)
	return append(to, `,"prompt_token_ids":null,"prompt_text":null}`+"\n\n"...)
}

// event appends an event that carries tokens; with it, said are out. finished is
// the whole reply when the event is its last, which names the finish reason, and
// cached the count to state with it; nil states none.
func (w *wire) event(to []byte, tokens []token, said int, finished *reply, cached *int) []byte {
	if w.chatty && len(tokens) > 0 {
		to = append(to, ping...)
		to = w.event(to, nil, said-len(tokens), nil, nil) // a delta without text
	}
	to = append(to, w.before...)
	for _, t := range tokens {
		to = appendEscaped(to, t.text)
	}
	if finished == nil {
		to = append(to, w.unfinished...)
		return append(w.appendTotals(to, said), "}\n\n"...)
	}
	to = appendQuoted(append(to, w.after...), finished.finish)
	to = append(to, `,"stop_reason":`...)
	if finished.stop == "" {
		to = append(to, `null`...)
	} else {
		to = appendQuoted(to, finished.stop)
	}
	if to = append(to, w.ids...); w.usageLast {
		to = w.appendUsage(to, said, cached)
	} else {
		to = w.appendTotals(to, said)
	}
	if w.usageLast || !w.request.reportUsage {
		to = appendQuoted(append(to, `,"system_fingerprint":`...), w.fingerprint)
	}
	return append(to, "}\n\n"...)
}

// closing appends what follows the last token: the usage, if it was asked for,
// and the end mark. cached is the count to state; nil states none.
func (w *wire) closing(to []byte, said int, cached *int) []byte {
	if w.request.reportUsage && !w.usageLast {
		to = append(append(to, w.prefix...), `,"choices":[]`...)
		to = w.appendUsage(to, said, cached)
		to = appendQuoted(append(to, `,"system_fingerprint":`...), w.fingerprint)
		to = append(to, "}\n\n"...)
	}
	return append(to, "data: [DONE]\n\n"...)
}

// appendUsage appends the usage of the whole reply.
func (w *wire) appendUsage(to []byte, said int, cached *int) []byte {
	to = appendCounts(append(to, `,"usage":{`...), len(w.request.prompt), said)
	if cached != nil {
		to = append(to, `,"prompt_tokens_details":{"cached_tokens":`...)
		to = append(strconv.AppendInt(to, int64(*cached), 10), '}')
	}
	return append(to, '}')
}

// appendTotals appends the usage so far, when every event is to have it.
func (w *wire) appendTotals(to []byte, said int) []byte {
	if !w.request.runningTotals {
		return to
	}
	to = appendCounts(append(to, `,"usage":{`...), len(w.request.prompt), said)
	if w.request.chat {
		to = append(to, `,"completion_tokens_details":null`...)
	}
	return append(to, '}')
}

// appendCounts appends the three counts that every usage has.
func appendCounts(to []byte, prompt, completion int) []byte {
	to = append(to, `"prompt_tokens":`...)
	to = strconv.AppendInt(to, int64(prompt), 10)
	to = append(to, `,"total_tokens":`...)
	to = strconv.AppendInt(to, int64(prompt+completion), 10)
	to = append(to, `,"completion_tokens":`...)
	return strconv.AppendInt(to, int64(completion), 10)
}

// appendQuoted appends s as a JSON string.
func appendQuoted(to []byte, s string) []byte {
	return append(appendEscaped(append(to, '"'), s), '"')
}

// appendEscaped appends s, which is valid UTF-8, as the inside of a JSON string.
func appendEscaped(to []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			to = append(to, '\\', c)
		case c < ' ':
			to = append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			to = append(to, c)
		}
	}
	return to
}
