package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"scenario/internal/chat"
	"scenario/internal/diag"
	"scenario/internal/engine"
	"scenario/internal/formula"
	"scenario/internal/spec"
	"scenario/internal/workloads"
)

// loadFlags are the options that change how a scenario is read.
type loadFlags struct {
	set     []string
	baseURL string
	model   string
	seed    string
	phases  []string
	when    string
	nonce   string
}

func (f *loadFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.set, "set", nil, "override a value: `path=value`, as in phases.decode.concurrency=[1, 4] (repeatable)")
	c.Flags().StringVar(&f.baseURL, "base-url", "", "override target.base_url")
	c.Flags().StringVar(&f.model, "model", "", "override target.model")
	c.Flags().StringVar(&f.seed, "seed", "", "override the run seed, a `number`")
	c.Flags().StringArrayVar(&f.phases, "phase", nil, "run only this phase and what it requires (repeatable)")
	c.Flags().StringVar(&f.when, "when", "", "run only the levels where this expression over planned values holds, as in \"concurrency <= 8\"")
}

// loader reads files as the options say.
func (f *loadFlags) loader(c *cobra.Command) (loader, error) {
	set, err := f.overrides(c)
	return loader{flags: f, set: set, env: os.LookupEnv}, err
}

// shortFlag is an option that stands for a --set, if it has a path.
type shortFlag struct{ name, value, path string }

func (f *loadFlags) short() []shortFlag {
	return []shortFlag{{"base-url", f.baseURL, "target.base_url"}, {"model", f.model, "target.model"}, {"when", f.when, ""}, {"seed", f.seed, "seed"}}
}

// attribute names the option that was written in place of the --set that it stands
// for.
func (f *loadFlags) attribute(faults diag.List) {
	for _, flag := range f.short() {
		for i := range faults {
			if flag.value != "" && flag.path != "" && faults[i].Pos.File == "--set "+flag.path {
				faults[i].Pos.File = "--" + flag.name
			}
		}
	}
}

// overrides are the --set options, those that stand for one included.
func (f *loadFlags) overrides(c *cobra.Command) ([]string, error) {
	set := f.set[:len(f.set):len(f.set)]
	for _, flag := range f.short() {
		switch {
		case !c.Flags().Changed(flag.name):
		case flag.value == "":
			return nil, fmt.Errorf("--%s is empty: a variable that is not set? Leave the option out to run what the file says", flag.name)
		case flag.name == "seed":
			set = append(set, "seed="+flag.value)
		case flag.path != "":
			set = append(set, flag.path+"="+strconv.Quote(flag.value))
		}
	}
	return set, nil
}

// loaded is a scenario file that can be run.
type loaded struct {
	file     string
	plan     *engine.Plan
	info     engine.ScenarioInfo
	baseline *engine.BaselineInfo
	link     *connection
}

// loader reads scenario files; env finds variables.
type loader struct {
	flags     *loadFlags
	set       []string
	env       func(string) (string, bool)
	unset     string // what an unset variable without a default is; empty: an error
	simulated bool   // the target will not be the file's
}

// load reads a scenario, its baseline, and makes the plan. The list holds every
// fault; the scenario is nil when one is an error.
func (l loader) load(file, nonce string) (*loaded, diag.List) {
	src, faults := spec.ReadFile(file)
	if faults.HasErrors() {
		return nil, faults
	}
	return l.read(file, src, nonce)
}

// read is load of a file whose bytes are known.
func (l loader) read(file string, src []byte, nonce string) (*loaded, diag.List) {
	out, faults := l.plan(file, src, nonce)
	l.flags.attribute(faults)
	return out, faults
}

func (l loader) plan(file string, src []byte, nonce string) (*loaded, diag.List) {
	s, faults := spec.Load(file, src, l.options())
	if s == nil {
		return nil, faults
	}
	out := &loaded{file: file, info: engine.ScenarioInfo{Name: s.Name, Description: s.Description, File: file, SHA256: digest(src)}}
	if l.simulated {
		isolate(s)
	}
	baseline, more := out.readBaseline(s)
	faults = append(faults, more...)
	plan, more := engine.NewPlan(s, baseline, engine.PlanOptions{
		Kinds: workloads.Kinds(), Phases: l.flags.phases, When: l.flags.when, Nonce: nonce, Dir: filepath.Dir(file),
		NoBaseline: more.HasErrors(),
	})
	faults = append(faults, more...)
	out.plan = plan
	out.link, more = newConnection(&s.Target, filepath.Dir(file))
	faults = append(faults, more...)
	faults.Sort()
	if faults.HasErrors() {
		out.close()
		return nil, faults
	}
	return out, faults
}

// close ends the connection.
func (l *loaded) close() {
	if l.link != nil {
		l.link.client.Close()
	}
}

// readBaseline reads the scenario's baseline file, if it has one.
func (l *loaded) readBaseline(s *spec.Scenario) (*spec.Baseline, diag.List) {
	if s.Baseline.Empty() {
		return nil, nil
	}
	path := beside(filepath.Dir(l.file), s.Baseline)
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, diag.List{whole(s.Baseline, fmt.Sprintf("the baseline %s can't be read: %s", path, plain(err)), "the path is relative to the scenario's folder")}
	}
	b, faults := spec.LoadBaseline(path, src)
	if b == nil {
		return nil, faults
	}
	l.baseline = &engine.BaselineInfo{
		File: path, SHA256: digest(src), Source: b.Source,
		Model: b.Model, Hardware: b.Hardware, Engine: b.Engine, Method: b.Method, Origin: b.Origin,
	}
	for _, part := range []struct{ name, value string }{
		{"model", b.Model}, {"hardware", b.Hardware}, {"engine", b.Engine}, {"method", b.Method}, {"origin", b.Origin},
	} {
		if part.value == "" {
			l.baseline.Unstated = append(l.baseline.Unstated, part.name)
		}
	}
	return b, faults
}

// options is the language of this build.
func (l loader) options() spec.Options {
	o := spec.Options{
		Kinds: kindSchemas(), Formulas: formula.IDs(),
		LaterKinds: workloads.Later(), LaterGuards: engine.LaterGuards(), LaterFormulas: formula.Later(),
		Env: l.env, Unset: l.unset, Set: l.set, CheckURL: checkURL, CheckExpr: engine.CheckExpr,
	}
	for _, g := range engine.Guards() {
		schema := spec.GuardSchema{ID: g.ID}
		for _, t := range g.Thresholds {
			schema.Thresholds = append(schema.Thresholds, spec.ThresholdSchema{Name: t.Name, Min: t.Min, Max: t.Max})
		}
		o.Guards = append(o.Guards, schema)
	}
	return o
}

func kindSchemas() []spec.KindSchema {
	var list []spec.KindSchema
	for _, k := range workloads.Kinds() {
		list = append(list, spec.KindSchema{Name: k.Name, Schema: k.Schema})
	}
	return list
}

func checkURL(raw string) (message, fix string) {
	_, err := chat.ParseBaseURL(raw)
	var fault *chat.URLError
	if errors.As(err, &fault) {
		return fault.Message, fault.Fix
	}
	if err != nil {
		return err.Error(), ""
	}
	return "", ""
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// nonce is that of the i-th file: two files of one run share no prompt.
func (l loader) nonce(i int) string {
	if i == 0 || l.flags.nonce == "" {
		return l.flags.nonce
	}
	return fmt.Sprintf("%s.%d", l.flags.nonce, i)
}

// loadAll reads every file and prints the faults of all. It returns an error
// when one of them cannot be run.
func (l loader) loadAll(files []string, stderr io.Writer) ([]*loaded, error) {
	if len(files) == 0 {
		return nil, errors.New("no scenario file given")
	}
	var all []*loaded
	bad := false
	for i, file := range files {
		one, faults := l.load(file, l.nonce(i))
		io.WriteString(stderr, faults.String())
		if one == nil {
			bad = true
			continue
		}
		all = append(all, one)
	}
	if bad {
		for _, one := range all {
			one.close()
		}
		return nil, exitStatus(engine.ExitUsage)
	}
	return all, nil
}
