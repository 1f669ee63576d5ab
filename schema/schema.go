// Package schema holds the JSON Schemas (draft-07) of the files this tool
// reads. In goes one schema per kind of workload; out comes the schema of a
// whole scenario file, for the loader and for editors alike.
//
// A kind's schema describes its `workload` mapping. It stands at
// #/$defs/kind-<name> in the bundle, so it may refer to the definitions of
// base.json (#/$defs/tokens, #/$defs/count, #/$defs/duration, …) and, by the
// full path, to its own.
package schema

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed base.json
var base string

//go:embed baseline.schema.json
var baseline string

// Kind is one kind of workload: its name, and the JSON Schema of its `workload`
// mapping. The schema must be closed: wherever it lists properties it says
// additionalProperties: false, or what further properties must look like.
type Kind struct {
	Name   string
	Schema []byte
}

// Baseline is the JSON Schema of a baseline file.
func Baseline() []byte { return []byte(baseline) }

// Bundle composes the schema of a scenario file from the base and the kinds.
// The same kinds in the same order give the same bytes. An error names the kind
// whose name or schema can't be used, and why.
//
// Editors and validators often read YAML 1.1, in which off is false: where the
// language has off, the bundle takes false too. Strict does not.
func Bundle(kinds []Kind) ([]byte, error) {
	root, err := compose(kinds)
	if err != nil {
		return nil, err
	}
	return encode(root)
}

// compose is the bundle as data.
func compose(kinds []Kind) (object, error) {
	var root object
	if err := decode([]byte(base), &root); err != nil {
		return nil, fmt.Errorf("base schema: %w", err)
	}
	defs, _ := root["$defs"].(object)
	phase, _ := defs["phase"].(object)
	properties, _ := phase["properties"].(object)
	kindKey, _ := properties["kind"].(object)
	if kindKey == nil {
		return nil, fmt.Errorf("base schema: $defs.phase has no property kind")
	}

	var names, branches []any
	for _, kind := range kinds {
		workload, err := parseKind(kind)
		if err != nil {
			return nil, fmt.Errorf("kind %q: %w", kind.Name, err)
		}
		if slices.Contains(names, any(kind.Name)) {
			return nil, fmt.Errorf("kind %q is listed twice", kind.Name)
		}
		names = append(names, kind.Name)
		defs["kind-"+kind.Name] = workload
		branches = append(branches, branch(kind.Name, workload))
	}
	if len(kinds) > 0 {
		kindKey["enum"] = names
		phase["allOf"] = branches
	}
	return root, nil
}

// object is a JSON object as encoding/json decodes it.
type object = map[string]any

// kindName is what a kind may be called: it becomes part of a JSON pointer.
var kindName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// parseKind decodes a kind's schema and refuses one that would let a mistyped
// key pass.
func parseKind(kind Kind) (object, error) {
	if !kindName.MatchString(kind.Name) {
		return nil, fmt.Errorf("a name is made of lower-case letters, digits and dashes")
	}
	var workload object
	if err := decode(kind.Schema, &workload); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if workload["type"] != "object" {
		return nil, fmt.Errorf(`schema: the type of a workload is "object"`)
	}
	if _, ok := workload["$id"]; ok {
		return nil, fmt.Errorf("schema: $id would change what its references mean")
	}
	delete(workload, "$schema")
	if open := openObjects("", workload); len(open) > 0 {
		return nil, fmt.Errorf("schema: not closed (additionalProperties) at %s", strings.Join(open, ", "))
	}
	return workload, nil
}

// openObjects lists the places below value that describe a mapping without
// saying what other keys it may have.
func openObjects(path string, value any) []string {
	var open []string
	switch value := value.(type) {
	case object:
		if properties, ok := value["properties"].(object); ok {
			rest, stated := value["additionalProperties"]
			if !stated || rest == true {
				open = append(open, path+"/")
			}
			for _, name := range sortedKeys(properties) {
				open = append(open, openObjects(path+"/properties/"+name, properties[name])...)
			}
		} else if value["type"] == "object" {
			if _, stated := value["additionalProperties"]; !stated {
				open = append(open, path+"/")
			}
		}
		for _, name := range sortedKeys(value) {
			if name != "properties" && name != "if" && name != "examples" && name != "default" {
				open = append(open, openObjects(path+"/"+name, value[name])...)
			}
		}
	case []any:
		for i, item := range value {
			open = append(open, openObjects(fmt.Sprintf("%s/%d", path, i), item)...)
		}
	}
	return open
}

// branch ties a kind's name to the schema of its workload. The `required`
// inside `if` keeps a phase without a kind from matching every branch.
func branch(name string, workload object) object {
	then := object{"properties": object{"workload": object{"$ref": "#/$defs/kind-" + name}}}
	if required, _ := workload["required"].([]any); len(required) > 0 {
		then["required"] = []any{"workload"}
	}
	return object{
		"if":   object{"required": []any{"kind"}, "properties": object{"kind": object{"const": name}}},
		"then": then,
	}
}

// decode reads one JSON value and keeps its numbers as they are written.
func decode(src []byte, into *object) error {
	decoder := json.NewDecoder(bytes.NewReader(src))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if decoder.More() {
		return fmt.Errorf("more than one JSON value")
	}
	return nil
}

// encode writes the schema for people and diffs: indented, keys sorted.
func encode(root object) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func sortedKeys(o object) []string {
	keys := make([]string, 0, len(o))
	for key := range o {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
