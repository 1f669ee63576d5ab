package spec

import (
	"regexp"

	"gopkg.in/yaml.v3"
)

// thousands is what a comma leaves of a number's end: the 000 of 1,000.
var (
	thousands  = regexp.MustCompile(`^[0-9]{3}$`)
	firstGroup = regexp.MustCompile(`^-?[0-9]{1,3}$`)
)

// groups is how many of the keys that begin a flow mapping's rest are no keys, but
// the ends of the number before: {tokens: 1,570,000}.
func groups(value *yaml.Node, rest []*yaml.Node) int {
	count := 0
	if !isPlain(value) || !firstGroup.MatchString(value.Value) {
		return 0
	}
	for i := 0; i+1 < len(rest); i += 2 {
		key, value := rest[i], rest[i+1]
		if !isPlain(key) || !thousands.MatchString(key.Value) || !isPlain(value) || value.Value != "" {
			break
		}
		count++
	}
	return count
}

func isPlain(y *yaml.Node) bool {
	const styled = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	return y.Kind == yaml.ScalarNode && y.Style&styled == 0
}

// separated reports the number that a comma ended, and that goes on in rest.
func (b *builder) separated(value *node, rest []string) {
	whole := value.raw
	for _, group := range rest {
		whole += group
	}
	b.faults.add(value, "YAML ends the number at the comma", "write "+whole)
}

// separatedItems reports the numbers of a list in […] that a comma cut: in
// [1, 1,024] no space stands behind the second comma, and no number begins with a
// zero.
func (b *builder) separatedItems(n *node) {
	for i := 0; i < len(n.items); i++ {
		first, end, zero := n.items[i], i, false
		if first.style != plainStyle || !firstGroup.MatchString(first.raw) {
			continue
		}
		for end+1 < len(n.items) && b.touch(n.items[end], n.items[end+1]) {
			end++
			zero = zero || n.items[end].raw[0] == '0'
		}
		if !zero {
			continue
		}
		var rest []string
		for _, item := range n.items[i+1 : end+1] {
			rest = append(rest, item.raw)
		}
		b.separated(first, rest)
		for _, item := range n.items[i+1 : end+1] {
			b.faults.bad[item] = true
		}
		i = end
	}
}

// touch reports whether an item is the end of a number that the one before it
// begins, with a comma and nothing else between the two.
func (b *builder) touch(before, item *node) bool {
	return item.style == plainStyle && thousands.MatchString(item.raw) &&
		item.at == place{before.at.line, before.at.col + len(before.raw) + 1}
}
