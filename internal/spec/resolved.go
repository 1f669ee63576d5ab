package spec

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// redacted stands for a secret in what is written.
const redacted = "<redacted>"

// Resolved is the scenario as YAML after expansion, overrides and defaults, with
// secrets taken out: header values, users and query values of URLs, and whatever
// has the shape of a key; texts of request bodies keep their ${VAR}. It loads
// again, to the same scenario. It is nil for a scenario that was not loaded from
// a file.
func (s *Scenario) Resolved() []byte { return s.ResolvedFrom("") }

// ResolvedFrom is Resolved with the paths that are relative to the scenario's folder
// joined to that folder, so that it loads from any other too.
func (s *Scenario) ResolvedFrom(folder string) []byte {
	if s.At.node == nil {
		return nil
	}
	w := emitter{folder}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(w.emit(s.At.node, "")); err != nil {
		return nil
	}
	if err := encoder.Close(); err != nil {
		return nil
	}
	return out.Bytes()
}

// emitter writes trees; folder is what their paths are relative to, if not empty.
type emitter struct{ folder string }

// emit turns a tree into the parser's nodes, for writing.
func (w emitter) emit(n *node, path string) *yaml.Node {
	switch n.form {
	case mapForm:
		y := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, e := range n.entries {
			y.Content = append(y.Content, emitText(e.key.text, e.key.style != plainStyle), w.emit(e.value, path+"."+e.key.text))
		}
		return y
	case listForm:
		y := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: listStyle(n)}
		for _, item := range n.items {
			y.Content = append(y.Content, w.emit(item, path))
		}
		return y
	case nullForm:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case boolForm:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: n.text}
	case intForm:
		if _, err := strconv.ParseInt(n.text, 10, 64); err != nil {
			return &yaml.Node{Kind: yaml.ScalarNode, Value: n.text} // the library would write its tag
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: n.text}
	case floatForm:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: n.text}
	}
	if strings.HasPrefix(path, ".phases.body") && len(n.edits) > 0 {
		// What a variable brings into a request's body may be a secret.
		return emitText(n.raw, true)
	}
	text := w.located(withoutSecrets(n, path), path)
	return emitText(strings.ReplaceAll(text, "${", "$${"), n.style != plainStyle || n.variable != "")
}

// listStyle keeps lists of numbers and the like on one line.
func listStyle(n *node) yaml.Style {
	for _, item := range n.items {
		if !item.scalar() || item.form == textForm && (item.style != plainStyle || len(item.text) > 30) {
			return 0
		}
	}
	return yaml.FlowStyle
}

// emitText writes text so that it is read as text again.
func emitText(text string, quotes bool) *yaml.Node {
	y := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if form, _ := resolve(text); quotes || form != textForm || strings.ContainsAny(text, "\n\t\"'#:{}[],&*!|>%@`") {
		y.Style = yaml.DoubleQuotedStyle
	}
	return y
}

// located makes a relative path absolute.
func (w emitter) located(text, path string) string {
	switch path {
	case ".phases.workload.prompt.file", ".defaults.workload.prompt.file", ".baseline", ".target.tls.ca_file", ".target.tls.cert_file", ".target.tls.key_file":
		if text != "" && w.folder != "" && !filepath.IsAbs(text) {
			return filepath.Join(w.folder, text)
		}
	}
	return text
}

// withoutSecrets is a text as it may be written.
func withoutSecrets(n *node, path string) string {
	switch {
	case strings.HasPrefix(path, ".target.headers."), looksLikeKey(n.text):
		return redacted
	case path == ".target.base_url", path == ".target.proxy", path == ".target.metrics_url":
		return redactURL(n.text)
	}
	return n.text
}
