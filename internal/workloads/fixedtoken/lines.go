package fixedtoken

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"scenario/internal/chat"
	"scenario/internal/diag"
	"scenario/internal/engine"
)

// line is one line of a file of prompts.
type line struct {
	Prompt    *string         `json:"prompt"`
	Messages  json.RawMessage `json:"messages"`
	Expected  json.RawMessage `json:"expected"`
	Match     string          `json:"match"`
	MaxTokens *int            `json:"max_tokens"`
}

// lineKeys are the keys of a line.
var lineKeys = []string{"prompt", "messages", "expected", "match", "max_tokens"}

// mostFileFaults is how many faults of a file are told.
const mostFileFaults = 20

// promptReader reads lines and collects what is wrong with them.
type promptReader struct {
	file    string
	api     chat.API
	prompts []prompt
	faults  diag.List
}

func (r *promptReader) read(data []byte) {
	number := 0
	for raw := range bytes.Lines(bytes.TrimPrefix(data, []byte("\uFEFF"))) {
		number++
		raw = bytes.TrimRight(raw, "\r\n")
		if len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		if len(r.faults) >= mostFileFaults {
			return
		}
		r.line(number, raw)
	}
}

// fault is something wrong with a line, at a byte of it.
func (r *promptReader) fault(number int, raw []byte, offset int, message, fix string) {
	offset = max(0, min(offset, len(raw)))
	r.faults = append(r.faults, diag.Diagnostic{
		Pos:     diag.Pos{File: r.file, Line: number, Col: 1 + utf8.RuneCount(raw[:offset])},
		Message: message, Fix: fix, Source: string(raw), Width: 1,
	})
}

// line reads one line.
func (r *promptReader) line(number int, raw []byte) {
	fault := func(key, message, fix string) {
		r.fault(number, raw, max(0, bytes.Index(raw, []byte(`"`+key+`"`))), message, fix)
	}
	if !utf8.Valid(raw) {
		r.fault(number, raw, 0, "the line is not UTF-8", "save the file as UTF-8")
		return
	}
	if key, offset := strangeKey(raw); key != "" {
		fix := "allowed are " + strings.Join(lineKeys, ", ")
		if meant, ok := diag.Nearest(key, lineKeys); ok {
			fix = "write " + meant
		}
		r.fault(number, raw, offset, fmt.Sprintf("unknown key %q", key), fix)
		return
	}
	var l line
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if err := decoder.Decode(&l); err != nil {
		message, offset := jsonFault(err)
		r.fault(number, raw, offset, message, `one JSON object per line: {"prompt": "…"}`)
		return
	}
	if rest, _ := io.ReadAll(decoder.Buffered()); len(bytes.TrimSpace(rest)) > 0 || decoder.More() {
		r.fault(number, raw, int(decoder.InputOffset()), "something stands after the object", "one JSON object per line")
		return
	}
	p, problem := l.build(r.api)
	if problem != nil {
		fault(problem.key, problem.message, problem.fix)
		return
	}
	p.hash = hashText(string(raw))
	p.head = p.hash
	r.prompts = append(r.prompts, p)
}

// problem is what is wrong with a key of a line.
type problem struct{ key, message, fix string }

// build makes the prompt of a line.
func (l *line) build(api chat.API) (prompt, *problem) {
	var p prompt
	switch {
	case l.Prompt != nil && l.Messages != nil:
		return p, &problem{"messages", "a line has a prompt or messages, not both", "leave one out"}
	case l.Prompt == nil && l.Messages == nil:
		return p, &problem{"", "the line has neither a prompt nor messages", `{"prompt": "…"}`}
	case l.Prompt != nil && strings.TrimSpace(*l.Prompt) == "":
		return p, &problem{"prompt", "the prompt is empty", `{"prompt": "…"}`}
	case l.Messages != nil && api != chat.Chat:
		return p, &problem{"messages", "messages go to the chat API only", "write api: chat in the phase"}
	case l.MaxTokens != nil && *l.MaxTokens < 1:
		return p, &problem{"max_tokens", "max_tokens must be at least 1", ""}
	}
	if l.MaxTokens != nil {
		p.limit = *l.MaxTokens
	}
	if l.Prompt != nil {
		p.fields = engine.TextPrompt(api, *l.Prompt)
	} else {
		if fault := checkMessages(l.Messages); fault != "" {
			return p, &problem{"messages", fault, `"messages": [{"role": "user", "content": "…"}]`}
		}
		p.fields = []chat.Field{{Name: "messages", Value: l.Messages}}
	}
	answer, fault := l.answer()
	p.answer = answer
	return p, fault
}

// checkMessages says what is wrong with a list of messages.
func checkMessages(raw json.RawMessage) string {
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return "messages must be a list of objects, with at least one"
	}
	for i, m := range list {
		var role string
		if json.Unmarshal(m["role"], &role) != nil || role == "" {
			return fmt.Sprintf("message %d has no role", i+1)
		}
	}
	return ""
}

// strangeKey is the first key of a JSON object that no line has, and where it ends.
func strangeKey(raw []byte) (string, int) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return "", 0
	}
	for decoder.More() {
		start := int(decoder.InputOffset())
		token, err := decoder.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return "", 0
		}
		if !slices.Contains(lineKeys, key) {
			return key, start + max(0, bytes.IndexByte(raw[start:], '"'))
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return "", 0
		}
	}
	return "", 0
}

// jsonFault is what the JSON reader found, and where.
func jsonFault(err error) (string, int) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return "the line is not JSON: " + syntax.Error(), int(syntax.Offset) - 1
	case errors.As(err, &kind) && kind.Field == "":
		return "the line is not an object: it is of type " + kind.Value, 0
	case errors.As(err, &kind):
		return fmt.Sprintf("%s must be of type %s, not %s", kind.Field, kind.Type, kind.Value), int(kind.Offset) - 1
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the line is not JSON: it ends too early", math.MaxInt
	}
	return "the line is not JSON: " + err.Error(), 0
}
