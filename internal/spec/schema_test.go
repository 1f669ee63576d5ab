package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"scenario/schema"
)

// TestExamplesAreValid holds the examples in the schemas to the schemas.
func TestExamplesAreValid(t *testing.T) {
	bundle, err := schema.Bundle(options().Kinds)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"scenario": bundle, "baseline": schema.Baseline()} {
		compiler := jsonschema.NewCompiler()
		compiler.Draft = jsonschema.Draft7
		if err := compiler.AddResource("x:"+name, bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		var root any
		if err := json.Unmarshal(text, &root); err != nil {
			t.Fatal(err)
		}
		n := 0
		eachExample(root, "", func(path string, example any) {
			n++
			compiled, err := compiler.Compile("x:" + name + "#" + path)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if err := compiled.Validate(example); err != nil {
				t.Errorf("%s: the example %v of %s is not valid: %v", name, example, path, err)
			}
		})
		if n < 10 {
			t.Errorf("%s has %d examples", name, n)
		}
	}
}

// eachExample calls visit for every example of every schema below value.
func eachExample(value any, path string, visit func(string, any)) {
	switch value := value.(type) {
	case map[string]any:
		examples, _ := value["examples"].([]any)
		for _, example := range examples {
			visit(path, example)
		}
		for name, below := range value {
			if name != "examples" {
				eachExample(below, path+"/"+strings.ReplaceAll(name, "/", "~1"), visit)
			}
		}
	case []any:
		for i, item := range value {
			eachExample(item, fmt.Sprintf("%s/%d", path, i), visit)
		}
	}
}

// TestLaterKeysExist holds the list of what is still to come to the schema: a
// path that is in no schema would refuse nothing.
func TestLaterKeysExist(t *testing.T) {
	rules, err := scenarioRules(options().Kinds)
	if err != nil {
		t.Fatal(err)
	}
	x := &explainer{rules: rules}
	for _, row := range notYet {
		at := any(rules.doc)
		for _, step := range strings.Split(row.path, ".") {
			name, list := strings.CutSuffix(step, "[]")
			at = property(x, at, name)
			if at == nil {
				t.Errorf("%s is not in the schema", row.path)
				break
			}
			if list {
				at = rules.resolve(at)["items"]
			}
		}
	}
}

// property is the schema of a key, in whatever branch of value it stands.
func property(x *explainer, value any, name string) any {
	rules := x.rules.resolve(value)
	if properties, _ := rules["properties"].(map[string]any); properties[name] != nil {
		return properties[name]
	}
	for _, keyword := range []string{"allOf", "anyOf"} {
		branches, _ := rules[keyword].([]any)
		for _, branch := range branches {
			if found := property(x, branch, name); found != nil {
				return found
			}
		}
	}
	return nil
}
