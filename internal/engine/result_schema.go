package engine

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"scenario/internal/formula"
	"scenario/internal/metric"
)

// ResultJSONSchema describes result.json, from the doc tags of its structs.
func ResultJSONSchema() ([]byte, error) {
	root := object(reflect.TypeFor[Result]())
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "result of a scenario run (" + ResultSchema + ")"
	root["description"] = "Durations are in seconds. null: not measured, not stated by the server, or too few samples."
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

type jsonSchema map[string]any

func object(t reflect.Type) jsonSchema {
	properties := jsonSchema{}
	var required []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || options == "omitzero" {
			continue
		}
		p := typed(f.Type)
		if name == "formulas" || name == "withheld_formulas" {
			p = formulas()
		}
		if doc := f.Tag.Get("doc"); doc != "" {
			if unit := f.Tag.Get("unit"); unit != "" {
				doc += ", in " + unit
			}
			p["description"] = doc
		}
		properties[name] = p
		if options == "" {
			required = append(required, name)
		}
	}
	return jsonSchema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func formulas() jsonSchema {
	properties := jsonSchema{}
	for _, f := range formula.All() {
		properties[f.ID] = object(f.Figures)
	}
	return jsonSchema{"type": "object", "properties": properties, "additionalProperties": false}
}

func typed(t reflect.Type) jsonSchema {
	switch t {
	case reflect.TypeFor[metric.Number](), reflect.TypeFor[metric.Duration]():
		return jsonSchema{"type": []string{"number", "null"}}
	case reflect.TypeFor[metric.Numbers](), reflect.TypeFor[metric.Durations]():
		return distribution()
	case reflect.TypeFor[metric.Word]():
		return jsonSchema{"type": []string{"string", "null"}}
	case reflect.TypeFor[time.Time]():
		return jsonSchema{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner := typed(t.Elem())
		if inner["type"] == "object" {
			inner["type"] = []string{"object", "null"}
		}
		return inner
	case reflect.Struct:
		return object(t)
	case reflect.Slice:
		return jsonSchema{"type": "array", "items": typed(t.Elem())}
	case reflect.Map:
		return jsonSchema{"type": "object", "additionalProperties": typed(t.Elem())}
	case reflect.Bool:
		return jsonSchema{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return jsonSchema{"type": "integer"}
	case reflect.Interface:
		return jsonSchema{}
	}
	return jsonSchema{"type": "string"}
}

func distribution() jsonSchema {
	properties := jsonSchema{"n": jsonSchema{"type": "integer", "description": "number of samples"}}
	names := []string{"n"}
	for _, name := range []string{"mean", "min", "p50", "p90", "p95", "p99", "max"} {
		properties[name] = jsonSchema{"type": []string{"number", "null"}}
		names = append(names, name)
	}
	return jsonSchema{"type": "object", "properties": properties, "required": names, "additionalProperties": false}
}
