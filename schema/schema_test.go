package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const small = `{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "additionalProperties": false,
  "required": ["tokens"],
  "properties": {"tokens": {"description": "Length.", "allOf": [{"$ref": "#/$defs/tokens"}]}}
}`

// loose has no required key.
const loose = `{"type": "object", "additionalProperties": false, "properties": {}}`

func bundle(t *testing.T, kinds ...Kind) map[string]any {
	t.Helper()
	text, err := Bundle(kinds)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestBundle(t *testing.T) {
	root := bundle(t, Kind{"small", []byte(small)}, Kind{"loose", []byte(loose)})
	defs := root["$defs"].(map[string]any)
	phase := defs["phase"].(map[string]any)
	if diff := cmp.Diff([]any{"small", "loose"}, phase["properties"].(map[string]any)["kind"].(map[string]any)["enum"]); diff != "" {
		t.Errorf("the kinds (-want +got):\n%s", diff)
	}
	want := []any{
		map[string]any{
			"if": map[string]any{"required": []any{"kind"}, "properties": map[string]any{"kind": map[string]any{"const": "small"}}},
			"then": map[string]any{
				"required": []any{"workload"}, "properties": map[string]any{"workload": map[string]any{"$ref": "#/$defs/kind-small"}},
			},
		},
		map[string]any{
			"if":   map[string]any{"required": []any{"kind"}, "properties": map[string]any{"kind": map[string]any{"const": "loose"}}},
			"then": map[string]any{"properties": map[string]any{"workload": map[string]any{"$ref": "#/$defs/kind-loose"}}},
		},
	}
	if diff := cmp.Diff(want, phase["allOf"]); diff != "" {
		t.Errorf("the branches (-want +got):\n%s", diff)
	}
	if _, ok := defs["kind-small"].(map[string]any)["$schema"]; ok {
		t.Error("$schema stands inside the bundle")
	}
	if _, ok := bundle(t)["$defs"].(map[string]any)["phase"].(map[string]any)["allOf"]; ok {
		t.Error("without kinds there are branches")
	}
}

func TestBundleIsDeterministic(t *testing.T) {
	kinds := []Kind{{"small", []byte(small)}, {"loose", []byte(loose)}}
	first, err := Bundle(kinds)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if again, err := Bundle(kinds); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("the same kinds give another bundle (%v)", err)
		}
	}
	for _, text := range []string{"18446744073709551615", "-9223372036854775808", "<id>", "…"} {
		if !bytes.Contains(append(first, baseline...), []byte(text)) {
			t.Errorf("%s does not survive", text)
		}
	}
}

func TestBundleRefuses(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"Small", loose, `kind "Small": a name is made of lower-case letters, digits and dashes`},
		{"", loose, `kind "": a name is made of lower-case letters, digits and dashes`},
		{"first", loose, `kind "first" is listed twice`},
		{"x", `{`, `kind "x": schema: unexpected EOF`},
		{"x", loose + loose, `kind "x": schema: more than one JSON value`},
		{"x", `{"type": "string"}`, `kind "x": schema: the type of a workload is "object"`},
		{"x", `{"$id": "x", "type": "object", "additionalProperties": false}`, `kind "x": schema: $id would change what its references mean`},
		{"x", `{"type": "object"}`, `kind "x": schema: not closed (additionalProperties) at /`},
		{"x", `{"type": "object", "additionalProperties": true, "properties": {}}`, `kind "x": schema: not closed (additionalProperties) at /`},
		{
			"x", `{"type": "object", "additionalProperties": false, "properties": {"a": {"anyOf": [{"type": "string"}, {"properties": {}}]}, "b": {"type": "object"}}}`,
			`kind "x": schema: not closed (additionalProperties) at /properties/a/anyOf/1/, /properties/b/`,
		},
	} {
		_, err := Bundle([]Kind{{"first", []byte(loose)}, {c.name, []byte(c.schema)}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %s:\n got %v\nwant %s", c.name, c.schema, err, c.want)
		}
	}
}

// TestSchemasAreClosedAndDescribed walks both schemas: a mistyped key is never
// let through, and every key says what it is.
func TestSchemasAreClosedAndDescribed(t *testing.T) {
	for name, text := range map[string]string{"base": base, "baseline": baseline} {
		var root object
		if err := json.Unmarshal([]byte(text), &root); err != nil {
			t.Fatal(err)
		}
		for _, open := range openObjects("", root) {
			t.Errorf("%s is open at %s", name, open)
		}
		walk(root, "", func(path string, schema object) {
			properties, _ := schema["properties"].(object)
			for key, value := range properties {
				property := value.(object)
				described := target(root, property)
				if len(fmt.Sprint(described["description"])) < 10 || described["description"] == nil {
					t.Errorf("%s: %s/%s has no description", name, path, key)
				}
				if described["examples"] == nil && described["properties"] == nil && !strings.Contains("kind workload phases", key) {
					t.Errorf("%s: %s/%s has no examples", name, path, key)
				}
			}
			if reference, ok := schema["$ref"].(string); ok {
				if target(root, schema) == nil {
					t.Errorf("%s: %s refers to %s, which is not there", name, path, reference)
				}
				if len(schema) > 1 {
					t.Errorf("%s: what stands beside $ref at %s is ignored", name, path)
				}
			}
			if (schema["pattern"] != nil) && schema["errorMessage"] == nil && !strings.Contains(path, "/anyOf/") && !strings.Contains(path, "/allOf/") {
				t.Errorf("%s: %s has a pattern and no errorMessage", name, path)
			}
			if schema["enum"] != nil && schema["type"] == nil {
				t.Errorf("%s: %s lists values without their type", name, path)
			}
		})
	}
}

// TestDefaultsAreThoseOfPhases holds the keys of `defaults` to those of a phase.
func TestDefaultsAreThoseOfPhases(t *testing.T) {
	defs := bundle(t)["$defs"].(map[string]any)
	phase := defs["phase"].(map[string]any)["properties"].(map[string]any)
	for _, own := range []string{"name", "kind", "workload", "requires", "checks", "summary"} {
		delete(phase, own)
	}
	if diff := cmp.Diff(phase, defs["defaults"].(map[string]any)["properties"]); diff != "" {
		t.Errorf("defaults differ from a phase's keys (-phase +defaults):\n%s", diff)
	}
}

// walk calls visit for value and every object below it, examples aside.
func walk(value any, path string, visit func(string, object)) {
	switch value := value.(type) {
	case object:
		visit(path, value)
		for name, below := range value {
			if name != "examples" {
				walk(below, path+"/"+name, visit)
			}
		}
	case []any:
		for i, item := range value {
			walk(item, fmt.Sprintf("%s/%d", path, i), visit)
		}
	}
}

// target follows a $ref into $defs.
func target(root, schema object) object {
	reference, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	found, _ := root["$defs"].(object)[strings.TrimPrefix(reference, "#/$defs/")].(object)
	return found
}
