package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"scenario/internal/engine"
	"scenario/internal/nap"
	"scenario/internal/report"
	"scenario/internal/simserver"
)

// runFlags are the options of `scenario run`.
type runFlags struct {
	loadFlags
	out      string
	wait     wait
	deadline wait
	simulate string
	json     bool
	quiet    bool
	noColor  bool
	junit    string

	began time.Time // what the deadline counts from
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run FILE...",
		Short: "run scenarios against a server and give one verdict",
		Long: `run checks the scenario files, sends nothing if one has a fault, runs them one after
the other and gives one verdict over all. Each leaves a folder with result.json,
requests.jsonl, report.md, junit.xml and scenario.yaml. Within GitHub Actions it also
writes annotations and the job's summary.`,
		Example: `  scenario run scenarios/quickstart.yaml --simulate
  scenario run gate.yaml --base-url http://127.0.0.1:8000 --wait 10m`,
		Args: atLeast(1),
		RunE: func(c *cobra.Command, files []string) error {
			return f.run(c, files)
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.nonce, "nonce", "", "use the random prompts of the run with this nonce again")
	c.Flags().StringVar(&f.out, "out", "runs", "`folder` that the run's own folder is made in")
	c.Flags().Var(&f.wait, "wait", "wait so long for a target that does not work yet, as in 10m")
	c.Flags().Var(&f.deadline, "deadline", "stop after so long, as in 2h: what isn't done by then is incomplete or skipped, and the run not GO")
	c.Flags().StringVar(&f.simulate, "simulate", "", "run against a simulated server instead, healthy or with the fault of a `persona`")
	c.Flags().Lookup("simulate").NoOptDefVal = "healthy"
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON instead of tables")
	c.Flags().BoolVar(&f.quiet, "quiet", false, "print the verdict alone")
	c.Flags().StringVar(&f.junit, "junit", "", "also write the results of all files as JUnit XML to this `file`")
	c.Flags().BoolVar(&f.noColor, "no-color", false, "no colour, even on a terminal")
	return c
}

func (f *runFlags) run(c *cobra.Command, files []string) error {
	ctx, stdout, stderr := c.Context(), c.OutOrStdout(), c.ErrOrStderr()
	f.began = time.Now()
	if err := exclusive(c, "json", "quiet"); err != nil {
		return err
	}
	l, err := f.loader(c)
	if err != nil {
		return err
	}
	if f.nonce == "" {
		f.nonce = newNonce()
	}
	simulated := c.Flags().Changed("simulate")
	if simulated {
		if err := detachedPersona(f.simulate, files); err != nil {
			return err
		}
		persona, ok := simserver.Find(f.simulate)
		if !ok {
			return unknownPersona(f.simulate)
		}
		server, err := startSimulation(ctx, persona)
		if err != nil {
			return err
		}
		defer server.stop()
		l = server.loader(l)
	}
	all, err := l.loadAll(files, stderr)
	if err != nil {
		return err
	}
	if err := f.reserveJUnit(all); err != nil {
		return err
	}
	runs, err := f.prepare(all, l.set)
	for _, one := range runs {
		defer one.close()
	}
	if err != nil {
		return err
	}
	var verdicts []engine.Verdict
	for _, one := range runs {
		if ctx.Err() != nil {
			verdicts = append(verdicts, engine.NotRun(one.info.Name))
			continue
		}
		verdicts = append(verdicts, f.one(ctx, one, stdout, stderr))
	}
	return f.finish(verdicts, runs, stdout, stderr)
}

// finish prints and writes what is said once over all files.
func (f *runFlags) finish(verdicts []engine.Verdict, runs []*prepared, stdout, stderr io.Writer) error {
	verdict := engine.Combined(verdicts)
	if err := f.tellCI(runs, stderr); err != nil {
		fmt.Fprintln(stderr, "scenario:", err)
		if verdict.ExitCode == engine.ExitGo { // whoever reads the file would not know
			verdict = engine.Verdict{Decision: engine.Invalid, ExitCode: engine.ExitInvalid, Reasons: []string{err.Error()}}
		}
	}
	switch {
	case f.json:
		if err := printJSON(stdout, verdict, runs); err != nil {
			return err
		}
	case len(runs) > 1:
		fmt.Fprintf(stdout, "\n%s over %d scenarios\n", verdict.Decision, len(runs))
	}
	if verdict.ExitCode != engine.ExitGo {
		return exitStatus(verdict.ExitCode)
	}
	return nil
}

// prepared is a scenario that is ready to be run.
type prepared struct {
	*loaded
	id        string
	files     *report.Files
	overrides []string
	result    *engine.Result // once it has been run
}

// prepare makes the runs' folders: after this nothing but the target can keep a
// scenario from being run.
func (f *runFlags) prepare(all []*loaded, overrides []string) ([]*prepared, error) {
	var runs []*prepared
	for _, l := range all {
		id := runID(l.plan.Scenario.Name, time.Now())
		folder, err := filepath.Abs(filepath.Dir(l.file))
		if err != nil {
			return runs, fmt.Errorf("the scenario's folder can't be found: %w", err)
		}
		files, err := report.NewFiles(filepath.Join(f.out, id), l.plan.Scenario.ResolvedFrom(folder), l.link.client.Redactor())
		if err != nil {
			return runs, fmt.Errorf("the run's folder can't be made: %w", err)
		}
		runs = append(runs, &prepared{loaded: l, id: id, files: files, overrides: maskOverrides(overrides)})
	}
	return runs, nil
}

// one runs one scenario and prints its report.
func (f *runFlags) one(ctx context.Context, p *prepared, stdout, stderr io.Writer) engine.Verdict {
	redactor := p.link.client.Redactor()
	out, errs := redactor.Writer(stdout), redactor.Writer(stderr)
	defer out.Close()
	defer errs.Close()
	for _, note := range p.link.notes {
		fmt.Fprintln(errs, "note:", note)
	}
	terminal := isTerminal(stderr)
	runner := &engine.Runner{
		Plan: p.plan, Client: p.link.client, Clock: p.link.clock, Store: p.files, Wait: time.Duration(f.wait), Deadline: time.Duration(f.deadline), Began: f.began, Nap: nap.Sleep, BaseURLs: p.link.baseURLs,
		Scenario: p.info, Baseline: p.baseline, Tool: "scenario " + version(), Descriptors: descriptorLimit(),
		Info: engine.RunInfo{ID: p.id, Simulated: f.simulate, Overrides: p.overrides},
	}
	if f.simulate == "" {
		runner.Calibrate = calibrate
	}
	if !f.quiet && !f.json {
		runner.Observer = report.NewLive(errs, terminal, report.NewPalette(terminal && f.colour()))
	}
	result, err := runner.Run(ctx)
	if err = errors.Join(err, p.files.Close()); err != nil {
		fmt.Fprintln(errs, "scenario: the run's files are not complete:", err)
	}
	p.result = result
	if err := f.print(out, result, p.files.Dir, isTerminal(stdout)); err != nil {
		fmt.Fprintln(errs, "scenario: the report can't be printed:", err)
	}
	return result.Verdict
}

func (f *runFlags) print(w io.Writer, result *engine.Result, dir string, terminal bool) error {
	switch {
	case f.json: // printed once over all files
		return nil
	case f.quiet:
		_, err := fmt.Fprintln(w, result.Verdict.Decision)
		return err
	}
	if err := report.Terminal(w, result, report.NewPalette(terminal && f.colour())); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", filepath.Join(dir, "result.json"))
	return err
}

// printJSON prints the result as it is stored; over several files, all of them
// with the verdict over all.
func printJSON(w io.Writer, verdict engine.Verdict, runs []*prepared) error {
	all := struct {
		Verdict engine.Verdict    `json:"verdict"`
		Runs    []json.RawMessage `json:"runs"`
	}{verdict, nil}
	for _, one := range runs {
		if one.result == nil {
			continue // not run
		}
		data, err := report.JSON(one.result, one.link.client.Redactor())
		if err != nil {
			return err
		}
		all.Runs = append(all.Runs, data)
	}
	if len(runs) == 1 && len(all.Runs) == 1 {
		_, err := w.Write(append(all.Runs[0], '\n'))
		return err
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(all)
}

// colour reports whether colour is wanted at all.
func (f *runFlags) colour() bool { return coloured(f.noColor) }

func coloured(refused bool) bool {
	_, off := os.LookupEnv("NO_COLOR")
	return !refused && !off
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
