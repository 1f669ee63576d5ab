package spec

import (
	"fmt"
	"strings"

	"scenario/internal/diag"
	"scenario/schema"
)

// Baseline is one baseline file: figures to compare a run with.
type Baseline struct {
	At     At
	File   string
	Source string // published

	// What the source states; empty where it does not.
	Model, Hardware, Engine, Method, Origin string

	Phases []BaselinePhase
}

// BaselinePhase is the figures of one phase. It belongs to the scenario's phase
// called Name, else to the only one of Kind.
type BaselinePhase struct {
	At         At
	Name, Kind Text
	Formula    Text // id of the method that computed the figures; empty: none
	Note       string
	Levels     []BaselineLevel
	Figures    Figures // of the phase as a whole
}

// BaselineLevel is the figures of one level. Rate is in requests per second, and
// either it or Concurrency is given; Length is in tokens, 0 if it is not given.
type BaselineLevel struct {
	At          At
	Concurrency int
	Rate        float64
	Length      int
	Note        string
	Excluded    string // why the level must not be compared with; empty: it may
	Figures     Figures
}

// Figures are numbers by name. A name is the dotted path of the keys it stands
// under, as checks write it: ttft.p95. Which names exist is for the caller to
// say. A figure that was not published is absent, never 0.
type Figures struct {
	Values    map[string]float64 // durations in nanoseconds
	Durations map[string]bool    // the figures that are written as durations
	Places    map[string]At
}

// IsBaseline reports whether the bytes are meant as a baseline file and not as a
// scenario: they have a source at the top, and no target.
func IsBaseline(src []byte) bool {
	root := parse("", src, "file", newFaults())
	return root != nil && isBaseline(root)
}

func isBaseline(root *node) bool {
	return root.entry("source") != nil && root.entry("target") == nil
}

// LoadBaseline reads one baseline file. The list holds every fault found, sorted
// by place; the baseline is nil when any of them is an error.
func LoadBaseline(file string, src []byte) (*Baseline, diag.List) {
	rules, err := compile(schema.Baseline())
	if err != nil {
		return nil, diag.List{{Message: "the schema can't be used: " + err.Error()}}
	}
	return loadBaseline(file, src, rules)
}

// loadBaseline is LoadBaseline with the schema compiled.
func loadBaseline(file string, src []byte, rules *ruleset) (*Baseline, diag.List) {
	f := newFaults()
	b := buildBaseline(file, src, rules, f)
	f.list.Sort()
	if f.list.HasErrors() {
		return nil, f.list
	}
	return b, f.list
}

func buildBaseline(file string, src []byte, rules *ruleset, f *faults) *Baseline {
	root := parse(file, src, "baseline", f)
	if root == nil {
		return nil
	}
	if source := root.get("source"); source != nil && source.text == "recorded" {
		f.add(source, `"source: recorded" is not available yet in this version`, "")
	}
	refuseNoFigures(root, f)
	if err := rules.check(root, f); err != nil {
		f.note(diag.Diagnostic{Pos: diag.Pos{File: file}, Message: "the file can't be checked: " + err.Error()})
		return nil
	}
	return readBaseline(At{node: root}, file, f)
}

// readBaseline turns the tree into a baseline. What the schema refused is left
// out.
func readBaseline(root At, file string, f *faults) *Baseline {
	b := &Baseline{At: root, File: file}
	for name, into := range map[string]*string{
		"source": &b.Source, "model": &b.Model, "hardware": &b.Hardware,
		"engine": &b.Engine, "method": &b.Method, "origin": &b.Origin,
	} {
		*into = root.Key(name).Text().String()
	}
	phases := root.Key("phases")
	for i := range phases.Len() {
		if item := phases.Item(i); item.node.form == mapForm {
			b.Phases = append(b.Phases, readPhase(item, f))
		}
	}
	return b
}

func readPhase(at At, f *faults) BaselinePhase {
	p := BaselinePhase{At: at, Name: at.Key("name").Text(), Kind: at.Key("kind").Text(), Formula: at.Key("formula").Text()}
	p.Note = at.Key("note").Text().String()
	p.Figures = readFigures(at, baselinePhaseKeys, f)
	levels := at.Key("levels")
	first := map[string]At{}
	for i := range levels.Len() {
		item := levels.Item(i)
		if item.node.form != mapForm || !f.clean(item.node) {
			continue
		}
		level := readLevel(item, f)
		axes := fmt.Sprintf("concurrency %d", level.Concurrency)
		if level.Concurrency == 0 {
			axes = fmt.Sprintf("rate %g", level.Rate)
		}
		if level.Length > 0 {
			axes += fmt.Sprintf(" and length %d", level.Length)
		}
		if other, twice := first[axes]; twice {
			f.note(item.Diagnose(fmt.Sprintf("the level of %s stands at %s already", axes, other.Pos()), "keep one of the two"))
			continue
		}
		first[axes] = item
		p.Levels = append(p.Levels, level)
	}
	return p
}

func readLevel(at At, f *faults) BaselineLevel {
	level := BaselineLevel{At: at, Note: at.Key("note").Text().String(), Excluded: at.Key("excluded").Text().String()}
	d := &decoder{f}
	var length Tokens
	for name, read := range map[string]func(At){
		"concurrency": func(a At) { d.value(a, valueOf(&level.Concurrency)) },
		"rate":        func(a At) { d.value(a, valueOf(&level.Rate)) },
		"length":      func(a At) { d.value(a, valueOf(&length)) },
	} {
		if value := at.Key(name); value.Exists() {
			read(value)
		}
	}
	level.Length = int(length)
	if rate := at.Key("rate"); rate.Exists() && at.Key("concurrency").Exists() {
		f.add(rate.key, "a level has a concurrency or a rate, not both", "remove one of the two")
	}
	level.Figures = readFigures(at, baselineLevelKeys, f)
	return level
}

// readFigures collects all keys of a mapping but its own as figures.
func readFigures(at At, own []string, f *faults) Figures {
	figures := Figures{Values: map[string]float64{}, Durations: map[string]bool{}, Places: map[string]At{}}
	skip := map[string]bool{}
	for _, name := range own {
		skip[name] = true
	}
	for _, e := range at.node.entries {
		if !skip[e.key.text] && !f.bad[e.key] {
			figures.read(At{node: e.value, key: e.key}, e.key.text, f)
		}
	}
	return figures
}

// read adds the figures at one key.
func (g Figures) read(at At, path string, f *faults) {
	n := at.node
	switch {
	case f.bad[n]:
	case strings.Contains(at.key.text, "."):
		f.add(at.key, fmt.Sprintf("a figure's name is written key by key, not as %q", at.key.text), "write "+nested(at.key.text))
	case n.form == mapForm:
		for _, e := range n.entries {
			g.read(At{node: e.value, key: e.key}, path+"."+e.key.text, f)
		}
	case n.form == intForm, n.form == floatForm:
		g.Values[path], g.Places[path] = n.float(), at
	case n.form == textForm:
		d, words := parseDuration(n)
		if words != "" {
			f.add(n, at.key.text+" "+words+"; found "+n.found(), "")
			return
		}
		g.Values[path], g.Places[path] = float64(d), at
		g.Durations[path] = true
	}
}

// nested shows how a dotted name is written.
func nested(path string) string {
	parts := strings.Split(path, ".")
	return strings.Join(parts, ": {") + ": …" + strings.Repeat("}", len(parts)-1)
}
