package schema

import (
	"maps"
	"slices"
)

// offAsFalse is the definition that stands for off in the eyes of a reader of
// YAML 1.1.
const offAsFalse = "off_as_false"

// Strict is Bundle for a reader of YAML 1.2, in which off is a word and false is
// not: it takes the word alone.
func Strict(kinds []Kind) ([]byte, error) {
	root, err := compose(kinds)
	if err != nil {
		return nil, err
	}
	dropFalse(root)
	defs, _ := root["$defs"].(object)
	delete(defs, offAsFalse)
	return encode(root)
}

// dropFalse takes the branches that mean false out of every anyOf below value.
// An anyOf with one branch left becomes that branch, so that a fault is explained
// by the words of the one form there is.
func dropFalse(value any) {
	switch value := value.(type) {
	case object:
		if branches, ok := value["anyOf"].([]any); ok {
			rest := slices.DeleteFunc(slices.Clone(branches), isOffAsFalse)
			value["anyOf"] = rest
			if len(rest) == 1 && len(branches) > 1 {
				only, _ := rest[0].(object)
				delete(value, "anyOf")
				maps.Copy(value, only)
			}
		}
		for _, below := range value {
			dropFalse(below)
		}
	case []any:
		for _, item := range value {
			dropFalse(item)
		}
	}
}

func isOffAsFalse(branch any) bool {
	rules, _ := branch.(object)
	return rules["$ref"] == "#/$defs/"+offAsFalse
}
