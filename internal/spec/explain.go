package spec

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"scenario/internal/diag"
)

// explainer turns the validator's errors into diagnostics: one for each fault,
// in the words of the schema's errorMessage where it has some.
type explainer struct {
	rules      *ruleset
	root       *node
	faults     *faults
	complaints []func(*faults)
	texts      []*node // numbers from the environment that are wanted as text
}

// context is what is known about a value from the schemas around the failing
// one.
type context struct {
	instance string
	rule     string   // the errorMessage that speaks for the value
	types    []string // JSON types that other branches would have taken
}

// target is the value that an error is about.
type target struct {
	node, key *node
	label     string
	hidden    bool // at fault already, or part of something that is
	name      bool // the error is about a key itself, which the label quotes
}

// walk goes down to the errors that are no consequence of others.
func (x *explainer) walk(e *jsonschema.ValidationError, c context) {
	t := x.target(e)
	if t.hidden {
		return
	}
	if e.InstanceLocation != c.instance {
		c = context{instance: e.InstanceLocation}
	}
	rules, keyword := x.keyword(e)
	if rule, ok := rules["errorMessage"].(string); ok {
		c.rule = rule
	}
	switch keyword {
	case "anyOf", "oneOf":
		x.choose(e, t, rules, keyword, c)
	case "", "$ref", "allOf", "then", "else":
		for _, cause := range ordered(e.Causes) {
			x.walk(cause, c)
		}
		if len(e.Causes) == 0 {
			x.must(t, cmp.Or(c.rule, "is not allowed here"))
		}
	default:
		x.leaf(t, rules, keyword, c, e)
	}
}

// ordered sorts errors by what they are about: the validator walks maps.
func ordered(causes []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	causes = slices.Clone(causes)
	slices.SortFunc(causes, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(cmp.Compare(a.InstanceLocation, b.InstanceLocation),
			cmp.Compare(a.AbsoluteKeywordLocation, b.AbsoluteKeywordLocation))
	})
	return causes
}

// choose explains a value that fits none of several forms by the form that it
// was meant to have: the one of its type, with the most of its keys and the fewest errors.
func (x *explainer) choose(e *jsonschema.ValidationError, t target, rules map[string]any, keyword string, c context) {
	branches, _ := rules[keyword].([]any)
	for _, branch := range branches {
		c.types = append(c.types, x.types(branch)...)
	}
	type candidate struct {
		err               *jsonschema.ValidationError
		misfits, mistakes int
	}
	var meant []candidate
	for i, cause := range e.Causes { // one for each branch, in their order
		if !mistyped(cause, e.InstanceLocation) && len(e.Causes) == len(branches) {
			meant = append(meant, candidate{cause, x.misfits(branches[i], t.node), leaves(cause)})
		}
	}
	closer := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.misfits, b.misfits), cmp.Compare(a.mistakes, b.mistakes))
	}
	slices.SortStableFunc(meant, closer)
	switch {
	case len(meant) == 1, len(meant) > 1 && (c.rule == "" || closer(meant[0], meant[1]) < 0):
		x.walk(meant[0].err, c)
	case len(meant) > 1 && t.node.form == mapForm:
		x.tell(t.node, t.label+" "+c.rule, "")
	case len(meant) > 1 || len(e.Causes) == 0:
		x.must(t, cmp.Or(c.rule, "fits more than one of the forms that are allowed here"))
	default:
		x.mistyped(t, c)
	}
}

// misfits counts the keys of a mapping that a form does not have, and those that
// it wants and the mapping lacks. A misspelt key is meant to be the right one.
func (x *explainer) misfits(branch any, n *node) int {
	rules := x.rules.resolve(branch)
	properties, _ := rules["properties"].(map[string]any)
	required, _ := rules["required"].([]any)
	count := 0
	for _, e := range n.entries {
		if _, near := diag.Nearest(e.key.text, sortedKeys(properties)); !near && properties != nil {
			count++
		}
	}
	for _, name := range required {
		if name := fmt.Sprint(name); n.get(name) == nil && !n.misspells(name, properties) {
			count++
		}
	}
	return count
}

// mistyped reports whether a branch failed because the value is of another type.
func mistyped(e *jsonschema.ValidationError, instance string) bool {
	if e.InstanceLocation != instance {
		return false
	}
	if strings.HasSuffix(e.AbsoluteKeywordLocation, "/type") && len(e.Causes) == 0 {
		return true
	}
	return slices.ContainsFunc(e.Causes, func(cause *jsonschema.ValidationError) bool { return mistyped(cause, instance) })
}

// leaves counts the errors that have no cause of their own.
func leaves(e *jsonschema.ValidationError) int {
	if len(e.Causes) == 0 {
		return 1
	}
	n := 0
	for _, cause := range e.Causes {
		n += leaves(cause)
	}
	return n
}

// types lists the JSON types that a schema takes.
func (x *explainer) types(value any) []string {
	rules := x.rules.resolve(value)
	switch t := rules["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var types []string
		for _, one := range t {
			types = append(types, fmt.Sprint(one))
		}
		return types
	}
	var types []string
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := rules[keyword].([]any)
		for _, branch := range branches {
			types = append(types, x.types(branch)...)
		}
	}
	return types
}

// keyword splits the place of an error in the schema into the schema object and
// the keyword that failed; the keyword of a mere group of errors is empty.
func (x *explainer) keyword(e *jsonschema.ValidationError) (rules map[string]any, keyword string) {
	_, fragment, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	tokens := pointer(fragment)
	cut := 0
	switch n := len(tokens); {
	case e.Message == "" || n == 0 || e.Message == "not allowed":
	case n >= 3 && tokens[n-3] == "dependencies":
		cut = 3
	case n >= 2 && tokens[n-2] == "allOf":
		cut = 2
	default:
		cut = 1
	}
	rules, _ = x.rules.lookup(tokens[:len(tokens)-cut]).(map[string]any)
	if cut > 0 {
		keyword = tokens[len(tokens)-cut]
	}
	return rules, keyword
}

// target finds the value an error is about in the tree.
func (x *explainer) target(e *jsonschema.ValidationError) target {
	t := target{node: x.root, label: "the file", hidden: x.faults.bad[x.root]}
	tokens := pointer(e.InstanceLocation)
	names := strings.Contains(e.KeywordLocation, "/propertyNames")
	for i, token := range tokens {
		if t.node.form == listForm {
			index, err := strconv.Atoi(token)
			if err != nil || index >= len(t.node.items) {
				return target{hidden: true}
			}
			list := t.label
			t.node, t.key = t.node.items[index], nil
			t.label = "an item of " + list
		} else {
			entry := t.node.entry(token)
			if entry == nil {
				return target{hidden: true}
			}
			t.node, t.key, t.label = entry.value, entry.key, entry.key.text
		}
		t.hidden = t.hidden || x.faults.bad[t.node] || t.key != nil && x.faults.bad[t.key]
		if i == len(tokens)-1 && names && t.key != nil && t.node.entry("") == nil {
			t.node, t.label, t.name = t.key, fmt.Sprintf("the key %q", t.key.text), true
		}
	}
	if empty := t.node.entry(""); names && empty != nil { // the validator leaves it out of the location
		t.label, t.node, t.key, t.name = "an empty key in "+t.label, empty.key, empty.key, true
	}
	return t
}

// must reports a value by what it must be, and what it is.
func (x *explainer) must(t target, words string) { x.wrong(t, words, t.node.found(), "") }

var offIsAllowed = regexp.MustCompile(`\boff\b`)

func (x *explainer) wrong(t target, words, found, fix string) {
	if t.name {
		x.say(t.node, t.label+" "+words, fix)
		return
	}
	if fix == "" && t.node.form == boolForm && !isTrue(t.node.text) && offIsAllowed.MatchString(words) {
		fix = "write off"
	}
	x.say(t.node, t.label+" "+words+"; found "+found, fix)
}

// say keeps a complaint until it is clear that the tree is what it should be.
func (x *explainer) say(n *node, message, fix string) {
	x.complaints = append(x.complaints, func(f *faults) { f.add(n, message, fix) })
}

// tell is say for something that does not settle the node: more may be wrong
// inside it.
func (x *explainer) tell(n *node, message, fix string) {
	x.complaints = append(x.complaints, func(f *faults) { f.note(n.diagnose(message, fix)) })
}
