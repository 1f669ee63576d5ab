package chat

import (
	"bytes"
	"encoding/json"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

const (
	// maxBody bounds a reply that is not streamed: 64 MiB.
	maxBody = 64 << 20
	// sniffed is how much of a body tells what it is, and quoted how much of
	// one that should not be there is shown.
	sniffed = 16
	quoted  = 200
)

// format is what a body is.
type format uint8

const (
	undecided format = iota
	eventStream
	jsonBody
	foreign // a page, a text: no reply
)

// decoder turns the body of a response with status 200 into an answer, in
// whatever pieces it arrives. What the body is, is told by its first bytes and
// not by what was asked for, since servers differ in that too.
type decoder struct {
	contentType string
	streamed    bool // what was asked for

	answer answer
	fault  *fault // the reply is over

	format format
	body   []byte // the body so far, unless it is an event stream
	frames framer
	at     Stamp
}

func newDecoder(contentType string, streamed bool) *decoder {
	d := &decoder{contentType: contentType, streamed: streamed, answer: newAnswer()}
	d.frames.sink = d
	return d
}

// feed takes the next bytes of the body, which were read at the given moment.
func (d *decoder) feed(p []byte, at Stamp) {
	if d.fault != nil || len(p) == 0 {
		return
	}
	d.at = at
	if d.format == undecided {
		d.body = append(d.body, p...)
		d.decide(false)
		return
	}
	d.take(p)
}

// decide settles the format once enough of the body is there, or all of it.
func (d *decoder) decide(all bool) {
	body := bytes.TrimPrefix(d.body, []byte("\xEF\xBB\xBF"))
	start := bytes.TrimLeft(body, " \t\r\n")
	if len(start) < sniffed && !all {
		if len(d.body) > maxBody {
			d.fault = broken("the body is blank for %d MiB", maxBody>>20)
		}
		return
	}
	d.format = d.formatOf(start[:min(sniffed, len(start))])
	d.body = nil
	d.answer.streamed = d.format == eventStream
	d.take(body)
}

func (d *decoder) formatOf(start []byte) format {
	media, _, _ := strings.Cut(strings.ToLower(d.contentType), ";")
	isEvents := strings.TrimSpace(media) == "text/event-stream"
	switch {
	case len(start) > 0 && (start[0] == '{' || start[0] == '['), len(start) == 0 && !d.streamed:
		if d.streamed {
			d.answer.notes.add("the server did not stream")
		}
		return jsonBody
	case len(start) > 0 && start[0] == '<', len(start) > 0 && !isEvents && !startsEvents(start):
		return foreign
	}
	if !isEvents && len(start) > 0 {
		d.answer.notes.add("the event stream has content type " + d.mediaName())
	}
	if !d.streamed {
		d.answer.notes.add("the server streamed, although it was not asked to")
	}
	return eventStream
}

// startsEvents reports whether a body starts as an event stream does.
func startsEvents(start []byte) bool {
	for _, field := range []string{":", "data:", "event:", "id:", "retry:"} {
		if bytes.HasPrefix(start, []byte(field)) {
			return true
		}
	}
	return false
}

func (d *decoder) mediaName() string {
	return `"` + OneLine(d.contentType, 60) + `"`
}

func (d *decoder) take(p []byte) {
	if d.format == eventStream {
		d.fault = d.frames.feed(p)
		return
	}
	d.body = append(d.body, p...)
	switch {
	case d.format == foreign && len(d.body) >= quoted:
		d.fault = d.foreignFault()
	case len(d.body) > maxBody:
		d.fault = broken("the body is longer than %d MiB", maxBody>>20)
	}
}

// end takes the end of the body: nil for a clean one, or what cut it.
func (d *decoder) end(cut *fault) {
	if d.fault != nil {
		return
	}
	if d.format == undecided {
		d.decide(true)
	}
	if d.fault == nil && cut == nil && d.format == eventStream {
		d.fault = d.frames.end()
	}
	if d.fault != nil {
		return
	}
	switch {
	case d.format == eventStream:
		d.fault = d.answer.judgeStream(cut)
	case cut != nil:
		d.fault = cut
	case d.format == foreign:
		d.fault = d.foreignFault()
	default:
		d.fault = d.whole()
	}
}

// whole reads a reply that is one JSON object.
func (d *decoder) whole() *fault {
	data := strings.TrimSpace(string(d.body))
	if data == "" {
		return broken("empty body")
	}
	root, f := parseObject(data)
	if f != nil {
		return f
	}
	if f := d.answer.add(root, d.at); f != nil {
		return f
	}
	if choices := root.Get("choices"); !choices.IsArray() || choices.Get("#").Num == 0 {
		return broken("the reply has no choices; it is %s", quote(data))
	}
	return d.answer.judgeWhole()
}

func (d *decoder) foreignFault() *fault {
	want := "a JSON object"
	if d.streamed {
		want = "an event stream"
	}
	body := d.body[:min(quoted, len(d.body))]
	return broken("the reply is not %s: content type %s, body %s", want, d.mediaName(), quote(string(body)))
}

// event takes one event of the stream.
func (d *decoder) event(name, data []byte) *fault {
	data = bytes.TrimSpace(data)
	a := &d.answer
	switch {
	case a.done:
		return d.late(data)
	case string(name) == "error":
		return carriedError(errorInBody(data))
	case len(data) == 0 || isKeepAlive(name):
		return nil
	case string(data) == "[DONE]":
		a.done = true
		return nil
	case a.pattern.read(a, data, d.at):
		return nil
	}
	root, f := parseObject(view(data))
	if f != nil {
		return f
	}
	return a.add(root, d.at)
}

// late takes an event that came after [DONE]. No client reads those: output in it
// is lost to all of them.
func (d *decoder) late(data []byte) *fault {
	if len(data) == 0 {
		return nil
	}
	if root, f := parseObject(view(data)); f == nil {
		lost := newAnswer()
		if f := lost.add(root, d.at); f != nil {
			return f
		}
		if lost.wrote {
			return broken("output came after [DONE]: %s", quote(view(data)))
		}
	}
	d.answer.notes.add(noteAfterDone)
	return nil
}

const noteAfterDone = "text came after [DONE]"

// isKeepAlive reports whether events of this name only keep the stream alive.
func isKeepAlive(name []byte) bool {
	switch string(name) {
	case "ping", "heartbeat", "keepalive", "keep-alive":
		return true
	}
	return false
}

// stray takes a line that is no field of an event. Some servers write an error
// into the stream as plain JSON.
func (d *decoder) stray(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	a := &d.answer
	a.notes.add("the stream has a line that is no event: " + quote(string(line)))
	if a.abort == nil && line[0] == '{' && validJSON(string(line)) {
		if e, found := errorIn(gjson.Parse(string(line))); found {
			a.abort = carriedError(e)
		}
	}
}

// parseObject reads a JSON object. data must not change while the result is used.
func parseObject(data string) (gjson.Result, *fault) {
	if !validJSON(data) {
		return gjson.Result{}, broken("the data is not JSON: %s", quote(data))
	}
	root := gjson.Parse(data)
	if !root.IsObject() {
		return gjson.Result{}, broken("the data is not a JSON object: %s", quote(data))
	}
	return root, nil
}

// validJSON reports whether s is one JSON value. The fast validator recurses as
// deep as its input does, so long inputs go to the one that has a limit.
func validJSON(s string) bool {
	if len(s) > 64<<10 {
		return json.Valid([]byte(s))
	}
	return gjson.Valid(s)
}

// view is b as a string without a copy. Nothing of it may be kept.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// quote shows the start of a text in an error message.
func quote(s string) string {
	return `"` + OneLine(strings.ToValidUTF8(s[:min(quoted, len(s))], ""), 100) + `"`
}
