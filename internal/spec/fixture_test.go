package spec

import (
	"strings"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/diag"
)

// fixed is a small closed workload schema that stands for the real kinds.
const fixed = `{
  "type": "object",
  "additionalProperties": false,
  "required": ["prompt"],
  "properties": {
    "prompt": {
      "description": "What is sent.",
      "oneOf": [
        {
          "type": "object",
          "additionalProperties": false,
          "required": ["ids", "tokens"],
          "properties": {
            "ids": {"description": "How ids are made.", "type": "string", "enum": ["random", "constant"]},
            "tokens": {"description": "Prompt length in tokens.", "allOf": [{"$ref": "#/$defs/tokens"}]}
          }
        },
        {
          "type": "object",
          "additionalProperties": false,
          "required": ["poem"],
          "properties": {"poem": {"description": "The prompt.", "type": "string", "minLength": 1}}
        }
      ]
    },
    "output_tokens": {"description": "Answer length in tokens.", "allOf": [{"$ref": "#/$defs/tokens"}]},
    "pause": {"description": "Time between turns.", "allOf": [{"$ref": "#/$defs/duration"}]},
    "thinking": {"description": "Whether thinking is due.", "type": "string", "enum": ["required", "off"]}
  }
}`

// talk is a second one, without required keys.
const talk = `{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "tasks": {
      "description": "Task families.",
      "type": "array",
      "uniqueItems": true,
      "items": {"type": "string", "enum": ["lookup_chain", "follow_up", "transact", "recall", "no_tool"]}
    },
    "thinking": {"description": "Whether thinking is due.", "type": "string", "enum": ["required", "off"]}
  }
}`

// options are those of a build with two kinds and three guards.
func options() Options {
	env := map[string]string{
		"FOUR": "4", "LIST": "[1, 4]", "TAG": "a: b #c", "EMPTY": "", "NUMBER": "42", "YES": "yes", "TENANT": "t-1",
		"OCTAL": "010", "TRUE": "true", "SCENARIO_KEY": "sk-env-SECRET777",
	}
	return Options{
		Kinds:      []KindSchema{{Name: "fixed-token", Schema: []byte(fixed)}, {Name: "talk", Schema: []byte(talk)}},
		LaterKinds: []string{"long-context", "multi-turn"},
		Guards: []GuardSchema{
			{ID: "cache-warm", Thresholds: []ThresholdSchema{{Name: "ratio", Max: 1}}},
			{ID: "short-output", Thresholds: []ThresholdSchema{{Name: "tokens", Max: 1 << 20}}},
			{ID: "errors"},
		},
		LaterGuards: []string{"drift", "canary-failed"},
		Formulas:    []string{"catid-g0", "catid-g1"},
		Env: func(name string) (string, bool) {
			value, ok := env[name]
			return value, ok
		},
		CheckURL: func(url string) (message, fix string) {
			if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
				return "a base URL starts with http:// or https://", "write http:// before it"
			}
			return "", ""
		},
	}
}

// loadText loads a file called test.yaml.
func loadText(text string, o Options) (*Scenario, diag.List) {
	return Load("test.yaml", []byte(text), o)
}

// sameScenario compares scenarios as users see them: by content, wherever it
// stands, and without what is redacted.
var sameScenario = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool {
		at, ok := p.Last().(cmp.StructField)
		return ok && at.Name() == "At"
	}, cmp.Ignore()),
	cmp.FilterPath(func(p cmp.Path) bool {
		return strings.HasSuffix(p.GoString(), ".Value") && strings.Contains(p.GoString(), "Headers")
	}, cmp.Ignore()),
	cmp.FilterPath(func(p cmp.Path) bool {
		return strings.Contains(p.GoString(), "BaseURLs") || strings.Contains(p.GoString(), "Proxy")
	}, cmp.Ignore()),
}
