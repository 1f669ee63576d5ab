package spec

import (
	"slices"
	"strings"

	"scenario/internal/diag"
)

// unknown explains every key of a mapping that its schema does not have.
func (x *explainer) unknown(t target, rules map[string]any) {
	properties, _ := rules["properties"].(map[string]any)
	kind := ""
	if n := t.node.get("kind"); n != nil && properties["workload"] != nil {
		kind = n.text
	}
	for _, e := range t.node.entries {
		name := e.key.text
		if _, known := properties[name]; known || x.faults.bad[e.key] || x.faults.bad[e.value] ||
			t.node == x.root && strings.HasPrefix(name, "x-") {
			continue
		}
		message, fix := unknownKey(name, sortedKeys(properties), t.node.beside(e.key))
		plain, _ := unknownKey(name, nil, nil)
		if home := x.below(rules, name, kind); home != "" {
			message, fix = plain, "it belongs under "+home
		} else if keyNames[strings.ToLower(strings.ReplaceAll(name, "-", "_"))] {
			message = "an API key can't stand in the file: files end up in repositories and reports"
			fix = "write target.api_key_env: NAME, the environment variable that holds it"
			e.value.blot()
		} else if _, near := diag.Nearest(name, sortedKeys(properties)); !near {
			if home := x.elsewhere(name, rules); home != "" {
				message, fix = plain+" here", "it belongs "+home
			}
		}
		x.say(e.key, message, fix)
	}
}

// keyNames are the keys under which people write an API key.
var keyNames = map[string]bool{"api_key": true, "apikey": true, "key": true, "token": true, "api_token": true, "bearer_token": true}

// below finds a key in the mappings that a schema's own keys hold: `slo` in a
// phase belongs under checks. The keys of a phase's workload are those of its kind.
func (x *explainer) below(rules map[string]any, name, kind string) string {
	properties, _ := rules["properties"].(map[string]any)
	for _, outer := range sortedKeys(properties) {
		if x.holds(properties[outer], name) {
			return outer
		}
	}
	if kind != "" && x.holds(map[string]any{"$ref": "#/$defs/kind-" + kind}, name) {
		return "workload"
	}
	return ""
}

// holds reports whether a schema is a mapping that has a key.
func (x *explainer) holds(value any, name string) bool {
	rules := x.rules.resolve(value)
	if properties, _ := rules["properties"].(map[string]any); properties[name] != nil {
		return true
	}
	for _, keyword := range []string{"allOf", "anyOf"} {
		branches, _ := rules[keyword].([]any)
		if slices.ContainsFunc(branches, func(branch any) bool { return x.holds(branch, name) }) {
			return true
		}
	}
	return false
}

// elsewhere finds a key in a phase, in the target or at the top of the file.
func (x *explainer) elsewhere(name string, rules map[string]any) string {
	places := []struct {
		rules any
		words string
	}{
		{x.rules.lookup([]string{"$defs", "phase"}), "in each phase"},
		{x.rules.lookup([]string{"$defs", "target"}), "under target"},
		{x.rules.doc, "at the top of the file"},
	}
	for _, place := range places {
		object, _ := place.rules.(map[string]any)
		properties, _ := object["properties"].(map[string]any)
		own, _ := rules["properties"].(map[string]any)
		if properties[name] != nil && own[name] == nil {
			return place.words
		}
	}
	return ""
}
