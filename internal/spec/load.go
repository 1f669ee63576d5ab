// Package spec reads scenario and baseline files. In go the bytes of a YAML file
// and the schemas of the kinds of workload; out comes a *Scenario, expanded,
// merged and checked, or every mistake in the file with the place it stands at.
//
// The steps, one file of this package for each or a few:
//
//  1. bytes → text: encoding, size (encoding.go)
//  2. text → tree: the YAML parser (parse.go, syntax.go), then a tree of our own,
//     in which aliases and merges are resolved and every value knows its place
//     (build.go, node.go, scalar.go)
//  3. --set (override.go), ${VAR} (expand.go) and defaults (defaults.go)
//  4. what no schema can say: nulls, features still to come, expressions that
//     YAML took for something else (nulls.go, later.go, traps.go)
//  5. the JSON Schema, its errors in words (validate.go, explain*.go), and the
//     expressions, which the caller reads (expressions.go)
//  6. tree → structs (decode.go and a file for each part), and the checks that
//     look at several keys (rules.go)
package spec

import (
	"strings"

	"scenario/internal/diag"
	"scenario/schema"
)

// KindSchema is a kind's name and the JSON Schema of its `workload`, which must
// be closed.
type KindSchema = schema.Kind

// GuardSchema is a built-in guard as a scenario file may tune it: its id, and its
// thresholds.
type GuardSchema struct {
	ID         string
	Thresholds []ThresholdSchema
}

// ThresholdSchema is a threshold of a guard and the range, ends included, that a
// scenario file may set it in. From 0 to 1 it is a share.
type ThresholdSchema struct {
	Name     string
	Min, Max float64
}

// Options is what the language is made of in this build, and how a file is to be
// read. spec knows no kind, guard or formula by itself.
type Options struct {
	Kinds    []KindSchema // in registry order
	Guards   []GuardSchema
	Formulas []string // ids of the published methods

	// What the language has and this build does not.
	LaterKinds, LaterGuards, LaterFormulas []string

	Env      func(string) (string, bool)            // os.LookupEnv; nil: no variable is set
	Unset    string                                 // what an unset variable without a default is; empty: an error
	Set      []string                               // "a.b=c" overrides, applied in order before the checks
	CheckURL func(url string) (message, fix string) // what is wrong with a base URL; nil: nothing is

	// CheckExpr finds what is wrong with an expression. It is asked of every
	// expression, whatever else is wrong with the file. Nil: nothing is.
	CheckExpr func(Expression) diag.List
}

// Load reads one scenario file. The list holds every fault found, sorted by
// place; the scenario is nil when any of them is an error.
func Load(file string, src []byte, options Options) (*Scenario, diag.List) {
	rules, err := scenarioRules(options.Kinds)
	if err != nil {
		return nil, diag.List{{Message: "the schema can't be used: " + err.Error()}}
	}
	return load(file, src, options, rules)
}

// load is Load with the schema compiled.
func load(file string, src []byte, options Options, rules *ruleset) (*Scenario, diag.List) {
	f := newFaults()
	s := read(file, src, options, rules, f)
	f.list.Sort()
	if f.list.HasErrors() {
		return nil, f.list
	}
	return s, f.list
}

// read takes the steps in order. The scenario means something only if no fault
// was found.
func read(file string, src []byte, options Options, rules *ruleset, f *faults) *Scenario {
	root := parse(file, src, "scenario", f)
	if root == nil {
		return nil
	}
	if isBaseline(root) {
		f.note(root.entry("source").key.diagnose("this is a baseline file, not a scenario",
			"name it in a scenario, under baseline"))
		return nil
	}
	override(root, options.Set, f)
	hideSecrets(root)
	expand(root, options, f)
	hideSecrets(root)
	applyDefaults(root, rules.properties("defaults"))
	refuseLater(root, options, f)
	refuseTraps(root, f)
	refuseNulls(root, f)
	if err := rules.check(root, f); err != nil {
		f.note(diag.Diagnostic{Pos: diag.Pos{File: file}, Message: "the file can't be checked: " + err.Error()})
		return nil
	}
	checkExpressions(root, options, f)
	root.entries = readEntries(root.entries)
	s := &Scenario{File: file}
	decode(At{node: root}, s, f)
	for i := range s.Phases {
		s.Phases[i].place()
	}
	(&checker{options, f}).check(s)
	return s
}

// readEntries leaves out the keys that have done their work: the holders of
// anchors and the defaults.
func readEntries(entries []entry) []entry {
	var rest []entry
	for _, e := range entries {
		if e.key.text != "defaults" && !strings.HasPrefix(e.key.text, "x-") {
			rest = append(rest, e)
		}
	}
	return rest
}
