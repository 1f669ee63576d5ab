package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"scenario/internal/diag"
)

// leaf explains one keyword of the schema that a value does not keep.
func (x *explainer) leaf(t target, rules map[string]any, keyword string, c context, e *jsonschema.ValidationError) {
	number := func(format string) string {
		limit, _ := rules[keyword].(json.Number)
		return fmt.Sprintf(format, limit)
	}
	switch keyword {
	case "type":
		c.types = append(c.types, x.types(rules)...)
		if words := choices(rules); words != "" && c.rule == "" {
			c.rule = words
		}
		x.mistyped(t, c)
	case "enum", "const":
		x.choice(t, rules, c)
	case "required":
		x.required(t, rules)
	case "additionalProperties":
		x.unknown(t, rules)
	case "dependencies":
		x.dependency(t, rules, e)
	case "minimum":
		x.must(t, number("must be %s or more"))
	case "maximum":
		x.must(t, number("must be %s or less"))
	case "exclusiveMinimum":
		x.must(t, number("must be more than %s"))
	case "exclusiveMaximum":
		x.must(t, number("must be less than %s"))
	case "minItems", "minLength", "minProperties":
		x.short(t, rules, keyword, c)
	case "maxItems", "maxProperties":
		x.tell(t.node, t.label+number(" must have at most %s entries; found ")+fmt.Sprint(len(t.node.items)+len(t.node.entries)), "")
	case "maxLength":
		x.say(t.node, t.label+number(" must have at most %s characters; found ")+fmt.Sprint(len([]rune(t.node.text))), "")
	case "uniqueItems":
		x.repeated(t)
	default:
		x.malformed(t, c)
	}
}

// nouns are JSON's types in words.
var nouns = map[string]string{
	"string": "text", "integer": "a whole number", "number": "a number",
	"boolean": "true or false", "array": "a list", "object": "a mapping", "null": "null",
}

// mistyped explains a value of the wrong type.
func (x *explainer) mistyped(t target, c context) {
	if t.node.variable != "" && t.node.form != textForm && slices.Contains(c.types, "string") {
		x.texts = append(x.texts, t.node)
		return
	}
	words := c.rule
	if words == "" {
		var names []string
		for _, name := range c.types {
			if noun := nouns[name]; !slices.Contains(names, noun) {
				names = append(names, noun)
			}
		}
		words = "must be " + strings.Join(names, " or ")
	}
	found, fix := x.slip(t.node, c)
	x.wrong(t, words, found, fix)
}

// malformed explains text that does not have the right form.
func (x *explainer) malformed(t target, c context) {
	found, fix := x.slip(t.node, c)
	x.wrong(t, cmp.Or(c.rule, "does not have the form that is allowed here"), found, fix)
}

// slip recognises the ways in which YAML makes one type of another.
func (x *explainer) slip(n *node, c context) (found, fix string) {
	numeric := slices.Contains(c.types, "integer") || slices.Contains(c.types, "number")
	found = n.found()
	switch {
	case n.form == textForm && n.odd && numeric:
		why, fix := plainly(n.text)
		if n.variable != "" {
			fix = ""
		}
		return found + ", " + why, fix
	case n.form == textForm && numeric && n.style != plainStyle && n.variable == "":
		if form, _ := resolve(strings.TrimSpace(n.text)); form == intForm || form == floatForm {
			fix := "write " + strings.TrimSpace(n.raw)
			if n.inFlow && len(n.edits) > 0 {
				fix += " without quotes, and the list or mapping around it line by line: inside […] and {…} YAML ends a value at {"
			}
			return found + " in quotes, which is text", fix
		}
	case n.form == textForm && strings.Contains(c.rule, "number of tokens") && tokensForm.MatchString(strings.ToLower(n.text)):
		return found, "write " + strings.ToLower(n.text)
	case n.form == textForm && slices.Contains(c.types, "boolean"):
		value, ok := truth(n.text)
		switch {
		case ok && n.variable != "":
			return found, fmt.Sprintf("set %s to %t", n.variable, value)
		case ok:
			return found, fmt.Sprintf("write %t", value)
		}
	case strings.Contains(c.rule, "above zero") && n.form == intForm && strings.Trim(n.text, "0") == "":
	case strings.Contains(c.rule, "duration") && n.form == intForm && !strings.HasPrefix(n.text, "-"):
		return found, fmt.Sprintf("say in which unit: %ss or %sms", n.text, n.text)
	case n.form == boolForm || n.form == intForm || n.form == floatForm:
		if slices.Contains(c.types, "string") && (c.rule == "" || strings.Contains(c.rule, "text")) {
			return found, `write "` + n.text + `"`
		}
	}
	return found, ""
}

// choices says which values a schema lists, empty if it lists none.
func choices(rules map[string]any) string {
	values, ok := rules["enum"].([]any)
	if constant, found := rules["const"]; found {
		values, ok = []any{constant}, true
	}
	switch {
	case !ok:
		return ""
	case len(values) == 1:
		return fmt.Sprintf("must be %v", values[0])
	}
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = fmt.Sprint(value)
	}
	return "must be one of " + strings.Join(names, ", ")
}

// choice explains a value that is none of those listed.
func (x *explainer) choice(t target, rules map[string]any, c context) {
	words := cmp.Or(c.rule, choices(rules))
	values, _ := rules["enum"].([]any)
	var names []string
	for _, value := range values {
		if name, ok := value.(string); ok {
			names = append(names, name)
		}
	}
	if nearest, ok := diag.Nearest(t.node.text, names); ok && t.node.form == textForm {
		x.wrong(t, words, t.node.found()+fmt.Sprintf(" (did you mean %q?)", nearest), "write "+nearest)
		return
	}
	x.must(t, words)
}

// required names the keys that a mapping lacks.
func (x *explainer) required(t target, rules map[string]any) {
	names, _ := rules["required"].([]any)
	properties, _ := rules["properties"].(map[string]any)
	for _, name := range names {
		name := fmt.Sprint(name)
		if t.node.get(name) != nil || t.node.misspells(name, properties) {
			continue
		}
		property, _ := properties[name].(map[string]any)
		words, _ := property["x-missing"].(string)
		if words == "" {
			words = fmt.Sprintf("the key %q is missing", name)
			if t.key != nil {
				words += " in " + t.label
			}
		}
		x.tell(t.node, words, "")
	}
}

// misspells reports whether a mapping has a key that is unknown and close to
// name: what is missing then is the right spelling, and that is said elsewhere.
func (n *node) misspells(name string, known map[string]any) bool {
	for _, e := range n.entries {
		if _, ok := known[e.key.text]; ok {
			continue
		}
		written, _, _ := strings.Cut(e.key.text, ":")
		if nearest, ok := diag.Nearest(written, sortedKeys(known)); ok && nearest == name {
			return true
		}
	}
	return false
}

// dependency names the key that another one needs beside it.
func (x *explainer) dependency(t target, rules map[string]any, e *jsonschema.ValidationError) {
	tokens := pointer(e.AbsoluteKeywordLocation)
	given := tokens[len(tokens)-2]
	dependencies, _ := rules["dependencies"].(map[string]any)
	needs, _ := dependencies[given].([]any)
	for _, need := range needs {
		if need := fmt.Sprint(need); t.node.get(need) == nil {
			x.say(t.node.entry(given).key, fmt.Sprintf("%s needs %s beside it", given, need), "")
		}
	}
}

// short explains a list, text or mapping with too little in it.
func (x *explainer) short(t target, rules map[string]any, keyword string, c context) {
	words, _ := rules["x-missing"].(string)
	least, _ := rules[keyword].(json.Number)
	switch {
	case words != "":
		x.say(t.node, words, "")
	case keyword == "minLength" && c.rule != "":
		x.must(t, c.rule)
	case least == "1":
		x.say(t.node, t.label+" must not be empty", "")
	default:
		x.say(t.node, fmt.Sprintf("%s must have at least %s entries", t.label, least), "")
	}
}

// repeated finds the item of a list that stands in it twice.
func (x *explainer) repeated(t target) {
	for i, item := range t.node.items {
		for _, earlier := range t.node.items[:i] {
			if item.equal(earlier) {
				x.say(item, fmt.Sprintf("%s is listed twice in %s", item.found(), t.label), "")
				break
			}
		}
	}
}
