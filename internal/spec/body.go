package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Body is the fields of a phase's `body`, in file order.
type Body []BodyField

// ownFields are the request fields that a scenario sets elsewhere.
var ownFields = map[string]string{
	"model":    "set target.model",
	"prompt":   "set it in the phase's workload",
	"messages": "set them in the phase's workload",
	"stream":   "set the phase's stream",
}

// statedFields are set elsewhere too, but a server that does not know one may
// want it left out.
var statedFields = map[string]string{
	"max_tokens":            "set workload.output_tokens",
	"max_completion_tokens": "set workload.output_tokens",
	"temperature":           "set the phase's temperature",
	"seed":                  "set the phase's seed",
}

// decode reads the fields that go verbatim into the request.
func (b *Body) decode(a At, d *decoder) {
	for _, e := range a.node.entries {
		name := e.key.text
		if d.faults.bad[e.key] || d.faults.bad[e.value] {
			continue
		}
		elsewhere := ownFields[name]
		if elsewhere == "" && !unset(e.value) {
			elsewhere = statedFields[name]
		}
		if elsewhere != "" {
			d.faults.add(e.key, fmt.Sprintf("%q can't be set in body: the scenario has a key for it", name), elsewhere)
			continue
		}
		if name == "n" && e.value.text != "1" && e.value.text != "unset" {
			d.faults.add(e.value, "n must be 1: one answer per request is measured", "leave n out")
			continue
		}
		if unset(e.value) {
			*b = append(*b, BodyField{Name: name, Unset: true})
			continue
		}
		var out bytes.Buffer
		d.json(&out, e.value)
		*b = append(*b, BodyField{Name: name, Value: out.Bytes()})
	}
}

// unset reports whether a value is the word that takes a field out.
func unset(n *node) bool {
	return n.form == textForm && n.style == plainStyle && n.variable == "" && n.text == "unset"
}

// json writes a node as JSON, keys in file order, numbers as they are written.
func (d *decoder) json(out *bytes.Buffer, n *node) {
	switch n.form {
	case nullForm:
		out.WriteString("null")
	case boolForm:
		out.WriteString(strconv.FormatBool(isTrue(n.text)))
	case intForm, floatForm:
		out.WriteString(jsonNumber(n))
	case textForm:
		d.plainText(n)
		out.Write(jsonText(n.text))
	case listForm:
		for i, item := range n.items {
			out.WriteByte("[,"[min(i, 1)])
			d.json(out, item)
		}
		if len(n.items) == 0 {
			out.WriteByte('[')
		}
		out.WriteByte(']')
	case mapForm:
		for i, e := range n.entries {
			out.WriteByte("{,"[min(i, 1)])
			out.Write(jsonText(e.key.text))
			out.WriteByte(':')
			d.json(out, e.value)
		}
		if len(n.entries) == 0 {
			out.WriteByte('{')
		}
		out.WriteByte('}')
	}
}

// plainText refuses unquoted text that a reader would take for something else.
// No schema stands behind a body, so that `enable_thinking: off` would go out as
// the text "off", which is true to many servers.
func (d *decoder) plainText(n *node) {
	if n.style != plainStyle || n.variable != "" {
		return
	}
	value, isTruth := truth(n.text)
	switch lower := strings.ToLower(n.text); {
	case n.odd:
		why, fix := plainly(n.text)
		d.faults.add(n, n.text+" is "+why+", and would be sent as text", strings.TrimPrefix(fix+`, or "`+n.text+`" for text`, ", "))
	case isTruth && len(lower) > 1:
		d.faults.add(n, n.text+" would be sent as text, not as true or false", fmt.Sprintf(`write %t, or "%s" for text`, value, n.text))
	case n.text == "unset":
		d.faults.add(n, "unset takes out a field of the body itself, not one inside a field", `leave the key out, or write "unset" for text`)
	}
}

// jsonNumber is a number of the file as JSON has it: without a plus sign, and
// with digits on both sides of the point.
func jsonNumber(n *node) string {
	text := strings.TrimPrefix(n.text, "+")
	if json.Valid([]byte(text)) {
		return text
	}
	return strconv.FormatFloat(n.float(), 'f', -1, 64)
}

// jsonText is text as a JSON string, with <, > and & as they are.
func jsonText(text string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return []byte(`""`) // unreachable: any text can be encoded
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
