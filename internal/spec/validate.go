package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"scenario/schema"
)

// ruleset is a JSON Schema, compiled, and as the plain data that messages are
// made from.
type ruleset struct {
	compiled *jsonschema.Schema
	doc      map[string]any
}

// scenarioRules is the schema of a scenario file with these kinds.
func scenarioRules(kinds []schema.Kind) (*ruleset, error) {
	bundle, err := schema.Strict(kinds)
	if err != nil {
		return nil, err
	}
	return compile(bundle)
}

func compile(text []byte) (*ruleset, error) {
	const address = "scenario:schema"
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft7
	compiler.LoadURL = func(address string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("a schema may not refer to %s", address)
	}
	if err := compiler.AddResource(address, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(address)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	r := &ruleset{compiled: compiled}
	return r, decoder.Decode(&r.doc)
}

// properties lists the keys that a definition of the schema allows.
func (r *ruleset) properties(definition string) []string {
	properties, _ := r.lookup([]string{"$defs", definition, "properties"}).(map[string]any)
	return sortedKeys(properties)
}

// lookup is the part of the schema at a JSON pointer, nil if there is none.
func (r *ruleset) lookup(pointer []string) any {
	var at any = r.doc
	for _, token := range pointer {
		switch value := at.(type) {
		case map[string]any:
			at = value[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(value) {
				return nil
			}
			at = value[i]
		default:
			return nil
		}
	}
	return at
}

// resolve follows a schema's $ref.
func (r *ruleset) resolve(value any) map[string]any {
	for range 20 {
		object, _ := value.(map[string]any)
		reference, ok := object["$ref"].(string)
		if !ok {
			return object
		}
		value = r.lookup(pointer(strings.TrimPrefix(reference, "#")))
	}
	return nil
}

// check validates the tree and reports every fault in words.
func (r *ruleset) check(root *node, f *faults) error {
	// A value that is ${VAR} and nothing else is a number if it reads like one.
	// Where the schema asks for text it becomes text, and is checked once more.
	for {
		err := r.compiled.Validate(root.value())
		if err == nil {
			return nil
		}
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			return err
		}
		x := &explainer{rules: r, root: root, faults: f}
		x.walk(invalid, context{})
		if len(x.texts) == 0 {
			for _, c := range x.complaints {
				c(f)
			}
			return nil
		}
		for _, n := range x.texts {
			n.form = textForm
		}
	}
}

// pointer splits a JSON pointer as it stands in the fragment of a URL.
func pointer(text string) []string {
	if text == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(text, "/"), "/")
	for i, token := range tokens {
		if plain, err := url.PathUnescape(token); err == nil {
			token = plain
		}
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return tokens
}

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return names
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
