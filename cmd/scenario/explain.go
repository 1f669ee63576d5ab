package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"scenario/internal/assert"
	"scenario/internal/diag"
	"scenario/internal/engine"
	"scenario/internal/formula"
	"scenario/internal/workloads"
	"scenario/schema"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [KIND | file]",
		Short: "list the keys of scenario files, or a kind's keys, variables, functions and guards",
		Args:  atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			w := c.OutOrStdout()
			if len(args) == 0 {
				return explainKinds(w)
			}
			if args[0] == "file" {
				return explainFile(w)
			}
			for _, k := range workloads.Kinds() {
				if k.Name == args[0] {
					return explainKind(w, k)
				}
			}
			return unknownKind(args[0])
		},
	}
}

func unknownKind(name string) error {
	var names []string
	for _, k := range workloads.Kinds() {
		names = append(names, k.Name)
	}
	for _, later := range workloads.Later() {
		if name == later {
			return fmt.Errorf("kind %q is not available yet in this version; there is %s", name, strings.Join(names, ", "))
		}
	}
	message := fmt.Sprintf("no such kind: %q", name)
	if near, ok := diag.Nearest(name, names); ok {
		message += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return errors.New(message + "; there is " + strings.Join(names, ", "))
}

func explainKinds(w io.Writer) error {
	var b strings.Builder
	for _, k := range workloads.Kinds() {
		fmt.Fprintf(&b, "%s\n%s\n", k.Name, wrap(k.Doc, "  "))
	}
	b.WriteString("\nscenario explain KIND lists its keys, variables, functions and guards,\nscenario explain file the keys that every scenario file has.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func explainKind(w io.Writer, k engine.Kind) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", k.Name, wrap(k.Doc, "  "))
	if len(k.Features) > 0 {
		fmt.Fprintf(&b, "  Of the features of production it proves: %s.\n", strings.Join(k.Features, ", "))
	}
	section(&b, "workload", "keys of the phase's workload")
	workloadKeys(&b, gjson.ParseBytes(k.Schema), "")
	section(&b, "variables", "what checks can read, per level; unknown values make a check undecided")
	variables(&b, engine.Scope(nil).Vars())
	section(&b, "summary variables", "what checks under summary can read, once per phase, over its accepted levels")
	summaryVariables(&b)
	section(&b, "formulas", "figures by published methods: formula: ID in the phase, formulas.<id>.<name> in checks")
	for _, f := range formula.All() {
		item(&b, f.ID, f.Doc)
		for _, v := range engine.Scope(&f).Vars() {
			if name, ok := strings.CutPrefix(v.Path, "formulas."+f.Variable()+"."); ok {
				fmt.Fprintf(&b, "      %-22s %s\n", name, described(v))
			}
		}
	}
	section(&b, "functions", "the grammar is that of expr; what is not listed does not exist")
	for _, f := range functions {
		item(&b, f.form, f.doc)
	}
	section(&b, "distributions", "ttft.p95 and the like")
	item(&b, ".p50 .p90 .p95 .p99", "percentiles, by linear interpolation at (n-1)q; unknown with fewer than 5, 29, 59, 299 samples")
	item(&b, "p(dist, 97)", "any other percentile; it needs the smallest n with 1 - q^n >= 0.95")
	item(&b, ".mean .min .max", "need one sample")
	item(&b, ".n", "number of samples")
	section(&b, "guards", "built-in checks; tune or switch one off by its id under guards:, with because:")
	for _, g := range engine.Guards() {
		item(&b, fmt.Sprintf("%s (%s)", g.ID, g.Effect), g.Doc)
		for _, t := range g.Thresholds {
			fmt.Fprintf(&b, "      %-22s %s; default %g\n", t.Name, t.Doc, t.Default)
		}
	}
	section(&b, "states of a level", "")
	for _, s := range states {
		item(&b, s[0], s[1])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// explainFile lists the keys of scenario files, from their schema.
func explainFile(w io.Writer) error {
	data, err := schema.Bundle(kindSchemas())
	if err != nil {
		return err
	}
	bundle := gjson.ParseBytes(data)
	var b strings.Builder
	b.WriteString("Scenario files are YAML. In text values ${VAR} and ${VAR:-default} stand for variables of the\nenvironment, and $${ for ${. 2k is 2048; durations are written 500ms, 2.5s, 10m. Keys that begin\nwith x- hold anchors.\n")
	section(&b, "file", "keys at the top")
	keysOf(&b, bundle, bundle, "", 0)
	section(&b, "target", "the server under test")
	keysOf(&b, bundle, bundle.Get("$defs.target"), "", 1)
	section(&b, "phase", "keys of each of phases, and of defaults (but name, kind, workload, requires, checks, summary)")
	keysOf(&b, bundle, bundle.Get("$defs.phase"), "", 1)
	_, err = io.WriteString(w, b.String())
	return err
}

// keysOf lists an object's keys, and those below them down to a depth.
func keysOf(b *strings.Builder, bundle, object gjson.Result, prefix string, depth int) {
	object.Get("properties").ForEach(func(key, value gjson.Result) bool {
		inner := resolve(bundle, value)
		doc := value.Get("description").String()
		if doc == "" {
			doc = inner.Get("description").String()
		}
		name := prefix + key.String()
		item(b, name, doc)
		if depth > 0 && name != "workload" {
			keysOf(b, bundle, objectOf(bundle, inner), name+".", depth-1)
		}
		return true
	})
}

// resolve follows a reference into the bundle's definitions.
func resolve(bundle, value gjson.Result) gjson.Result {
	if name, ok := strings.CutPrefix(value.Get("$ref").String(), "#/$defs/"); ok {
		return bundle.Get("$defs." + name)
	}
	return value
}

// objectOf is a schema that may be an object, or the alternative of it that is one.
func objectOf(bundle, value gjson.Result) gjson.Result {
	for _, list := range []string{"anyOf", "oneOf"} {
		for _, one := range value.Get(list).Array() {
			if one = resolve(bundle, one); one.Get("properties").Exists() {
				return one
			}
		}
	}
	return value
}

func section(b *strings.Builder, name, about string) {
	fmt.Fprintf(b, "\n%s", strings.ToUpper(name))
	if about != "" {
		fmt.Fprintf(b, "  (%s)", about)
	}
	b.WriteString("\n")
}

func item(b *strings.Builder, name, doc string) {
	if len([]rune(name)) > 24 {
		fmt.Fprintf(b, "  %s\n%s\n", name, wrap(doc, strings.Repeat(" ", 28)))
		return
	}
	text := wrap(doc, strings.Repeat(" ", 28))
	fmt.Fprintf(b, "  %-25s %s\n", name, strings.TrimLeft(text, " "))
}

// wrap breaks a text into lines of at most 100 characters behind an indent.
func wrap(text, indent string) string {
	const width = 100
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(indent+line+" "+word)) > width {
			lines = append(lines, indent+line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, indent+line), "\n")
}

// workloadKeys lists the keys of a schema, nested ones with their path.
func workloadKeys(b *strings.Builder, schema gjson.Result, prefix string) {
	required := map[string]bool{}
	for _, name := range schema.Get("required").Array() {
		required[name.String()] = true
	}
	schema.Get("properties").ForEach(func(key, value gjson.Result) bool {
		name := prefix + key.String()
		doc := value.Get("description").String()
		if values := value.Get("enum").Array(); len(values) > 0 {
			var words []string
			for _, v := range values {
				words = append(words, v.String())
			}
			doc = strings.Join(words, " | ") + ". " + doc
		}
		if required[key.String()] {
			doc += " Required."
		}
		item(b, name, doc)
		workloadKeys(b, value, name+".")
		return true
	})
}

func variables(b *strings.Builder, vars []assert.Var) {
	for _, v := range vars {
		if strings.HasPrefix(v.Path, "baseline.") {
			continue
		}
		item(b, v.Path, described(v))
		if v.Type != "list" && v.Type != "record" {
			continue
		}
		for _, field := range v.Fields {
			name := field.Path
			fmt.Fprintf(b, "      %-22s %s\n", name, strings.TrimLeft(wrap(described(field), strings.Repeat(" ", 29)), " "))
		}
	}
	item(b, "baseline.*", "the same names, as the baseline file gives them for this level; ask known(baseline.x) where it may not")
}

// summaryVariables lists the variables of a phase as a whole.
func summaryVariables(b *strings.Builder) {
	for _, v := range engine.SummaryScope().Vars() {
		doc := described(v)
		if v.Type == "list" {
			doc += "; their fields are the variables of a level, as in all(levels, .ttft.p95 < s(2))"
		}
		item(b, v.Path, doc)
	}
}

// described is a variable's type, unit and definition.
func described(v assert.Var) string {
	is := v.Type
	if v.Unit != "" {
		is += ", " + v.Unit
	}
	if v.Planned {
		is += ", known before the run"
	}
	s := is + ": " + v.Doc
	if len(v.Allowed) > 0 {
		s += " (" + strings.Join(v.Allowed, " ") + ")"
	}
	return s
}

// functions are the functions and operators of checks. example is one that
// compiles, for the test.
var functions = []struct{ form, doc, example string }{
	{"and or not  && || !", "left to right: unknown or true is undecided, true or unknown is true", `not (error_ratio > 0) and ok_count > 0 or issued > 5`},
	{"== != < <= > >=", "within one type; chained comparisons too: ms(1) < ttft.p50 < s(1)", `0 <= error_ratio < 1`},
	{"in [..]", "one of a list", `all(requests, .finish_reason in ["stop", "length"])`},
	{"+ - * / %", "numbers; durations with durations, times and divided by numbers, divided by durations", `ttft.mean + 2 * tpot.mean < s(5)`},
	{"us(x) ms(x) s(x)", "a duration of x microseconds, milliseconds, seconds", `ttft.mean < ms(500)`},
	{"p(dist, x)", "the x-th percentile, 0 < x < 100", `p(ttft, 97) < s(1)`},
	{"known(x)", "whether x was measured; asking is not reading", `not known(cached_ratio) or cached_ratio < 0.1`},
	{"within(a, b, t)", "|a - b| <= t |b|, of numbers or durations", `within(output_tps, 100, 0.05)`},
	{"min(..) max(..) abs(x)", "of numbers or durations", `max(ttft.mean, tpot.mean) < s(1)`},
	{"len(x)", "number of elements of a list, or of characters of a text", `len(requests) == issued`},
	{"contains startsWith endsWith", "of texts", `none(requests, .content contains "�")`},
	{"matches", "a text and a regular expression", `none(requests, .content matches "<think>")`},
	{"all any none one (list, c)", "quantifiers; c reads an element's fields as .name", `all(requests, .ok)`},
	{"count(list, c)", "number of elements for which c holds", `count(requests, .ok) > 3`},
	{"filter(list, c)", "the elements for which c holds", `len(filter(requests, not .ok)) == 0`},
	{"sum(list, x) mean(list, x)", "of a number or duration of each element", `mean(requests, .ttft) < s(1)`},
}

// states are what can become of a level.
var states = [][2]string{
	{"accepted", "valid, correct, and every SLO holds: the figures may be quoted"},
	{"missed", "valid and correct, an SLO does not hold: figures shown as missed"},
	{"rejected", "output was wrong, requests failed over the error budget, or the server died: figures withheld"},
	{"invalid", "the measurement was not sound: figures withheld"},
	{"undecided", "a check or guard could not be decided: figures withheld"},
	{"incomplete, skipped", "stopped; not run, with the reason"},
}
