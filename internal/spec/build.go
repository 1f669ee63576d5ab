package spec

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// A tree has at most maxNodes nodes, aliases counted as what they stand for, and
// is at most maxDepth deep: no scenario comes near, an alias bomb does.
const (
	maxNodes = 100_000
	maxDepth = 100
)

// builder copies the parser's nodes into a tree of ours.
type builder struct {
	src    *source
	faults *faults
	left   int
	open   map[*yaml.Node]bool // the nodes around the current one
	inFlow bool                // the current one stands in {…} or […]
}

func newBuilder(s *source, f *faults) *builder {
	return &builder{src: s, faults: f, left: maxNodes, open: map[*yaml.Node]bool{}}
}

// tree is the copy of y and all below it. It is never nil: what can't be copied
// becomes a faulty null.
func (b *builder) tree(y *yaml.Node) *node {
	n := &node{src: b.src, at: place{y.Line, y.Column}, flow: y.Style&yaml.FlowStyle != 0, inFlow: b.inFlow}
	defer func(outer bool) { b.inFlow = outer }(b.inFlow)
	b.left--
	switch {
	case b.left < 0:
		if b.left == -1 {
			b.faults.add(n, fmt.Sprintf("the file grows to more than %d values, aliases written out", maxNodes), "")
		}
		b.faults.bad[n] = true
		return n
	case len(b.open) >= maxDepth:
		b.faults.add(n, fmt.Sprintf("nested more than %d deep", maxDepth), "")
		return n
	}
	if y.Kind == yaml.AliasNode {
		if b.open[y.Alias] {
			b.faults.add(n, "*"+y.Value+" stands inside the value it refers to", "")
			return n
		}
		return b.tree(y.Alias)
	}
	b.inFlow = n.flow
	b.open[y] = true
	defer delete(b.open, y)
	switch y.Kind {
	case yaml.MappingNode:
		n.form = mapForm
		b.mapping(n, y)
	case yaml.SequenceNode:
		n.form = listForm
		for _, item := range y.Content {
			n.items = append(n.items, b.tree(item))
		}
		if n.flow {
			b.separatedItems(n)
		}
	default:
		b.scalar(n, y)
	}
	b.checkTag(n, y)
	return n
}

// scalar copies one scalar.
func (b *builder) scalar(n *node, y *yaml.Node) {
	n.raw, n.text = y.Value, y.Value
	switch {
	case y.Style&yaml.SingleQuotedStyle != 0:
		n.style = singleQuoted
	case y.Style&yaml.DoubleQuotedStyle != 0:
		n.style = doubleQuoted
	case y.Style&yaml.LiteralStyle != 0:
		n.style = literalBlock
	case y.Style&yaml.FoldedStyle != 0:
		n.style = foldedBlock
	}
	n.form = textForm
	if n.style == plainStyle && y.Tag != "!!str" || n.style == plainStyle && y.Style&yaml.TaggedStyle == 0 {
		n.form, n.odd = resolve(n.text)
	}
	n.implicit = n.form == nullForm && n.text == ""
}

// checkTag refuses tags, but those that say what the value is anyway. The parser
// forgets a lone ! before a scalar, so that `! x` would be `x`: it is looked for
// in the source.
func (b *builder) checkTag(n *node, y *yaml.Node) {
	tag := ""
	if n.scalar() {
		tag = b.src.properties(n.at).tag
	} else if y.Style&yaml.TaggedStyle != 0 {
		tag = y.Tag
	}
	switch {
	case tag == "", tag == "!!str" && n.form == textForm, tag == "!!map" && n.form == mapForm, tag == "!!seq" && n.form == listForm:
		return
	}
	message, fix := "YAML takes "+tag+" for a tag, and drops it", "quote the value or expression"
	switch {
	case strings.HasPrefix(tag, "!!"):
		message, fix = "tags such as "+tag+" are not read here", "write the value without it"
	case !n.scalar():
		fix = "write the value without it"
	case !b.src.blotted(n.at, len([]rune(tag+n.raw))):
		fix += ": " + quoted(strings.TrimSpace(tag+" "+n.text))
	}
	d := b.src.diagnose(n.at, len([]rune(tag)), message, fix)
	if !b.faults.bad[n] {
		b.faults.bad[n] = true
		b.faults.note(d)
	}
}

// mapping copies the keys of a mapping, its own before those it merges: an
// explicit key wins, wherever it stands.
func (b *builder) mapping(n *node, y *yaml.Node) {
	var merges []*yaml.Node
	first := map[string]*node{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		keyNode, valueNode := y.Content[i], y.Content[i+1]
		if keyNode.Tag == "!!merge" {
			if len(merges) > 0 {
				b.faults.add(&node{src: b.src, at: place{keyNode.Line, keyNode.Column}, raw: "<<", form: textForm},
					`duplicate key "<<"`, "merge several with <<: [*a, *b]")
			}
			merges = append(merges, valueNode)
			continue
		}
		key, value := b.key(keyNode, n), b.tree(valueNode)
		if key == nil {
			continue
		}
		if count := groups(valueNode, y.Content[i+2:]); n.flow && count > 0 {
			var rest []string
			for ; count > 0; count-- {
				i += 2
				rest = append(rest, y.Content[i].Value)
			}
			b.separated(value, rest)
		}
		if other := first[key.text]; other != nil {
			b.faults.add(key, fmt.Sprintf("duplicate key %q: the first is at %d:%d",
				key.text, other.at.line, other.at.col), "keep one of the two")
			continue
		}
		first[key.text] = key
		n.entries = append(n.entries, entry{key, value})
	}
	for _, merge := range merges {
		b.merge(n, merge, first)
	}
}

// key copies a key of the mapping n, nil when it is no text.
func (b *builder) key(y *yaml.Node, n *node) *node {
	key := b.tree(y)
	switch {
	case b.faults.bad[key]:
		return nil
	case !key.scalar():
		fix := ""
		if n.flow { // {{x}}
			line := b.src.line(n.at.line)
			fix = "quote the expression, if it is one: " + quoted(strings.TrimSpace(string(line[min(n.at.col-1, len(line)):])))
			b.faults.bad[n] = true
		}
		b.faults.add(key, key.found()+" stands where a key is due", fix)
		return nil
	case key.form != textForm:
		fix := `write "` + key.text + `"`
		if key.implicit {
			fix = "write the key before the colon"
		}
		b.faults.add(key, "a key must be text, found "+key.found(), fix)
		return nil
	}
	return key
}

// merge adds the keys of a << value that n does not have yet.
func (b *builder) merge(n *node, y *yaml.Node, own map[string]*node) {
	value := b.tree(y)
	parts := []*node{value}
	if value.form == listForm {
		parts = value.items
	}
	for _, part := range parts {
		if b.faults.bad[part] {
			continue
		}
		if part.form != mapForm {
			b.faults.add(part, "<< merges a mapping, found "+part.found(), "write <<: *anchor, with an anchor that stands at a mapping")
			continue
		}
		for _, e := range part.entries {
			if own[e.key.text] == nil {
				own[e.key.text] = e.key
				n.entries = append(n.entries, e)
			}
		}
	}
}
