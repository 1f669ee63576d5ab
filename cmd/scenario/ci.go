package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"scenario/internal/engine"
	"scenario/internal/report"
)

// reserveJUnit writes, before anything is sent, a file that says that nothing has
// been decided: one that is left from an earlier run, or by a run that is killed,
// is never read as a success.
func (f *runFlags) reserveJUnit(all []*loaded) error {
	if f.junit == "" {
		return nil
	}
	var results []*engine.Result
	for _, one := range all {
		result, err := one.undecided(engine.Verdict{
			Decision: engine.Incomplete, ExitCode: engine.ExitInterrupted, Reasons: []string{"the run has not ended"},
		})
		if err != nil {
			return err
		}
		results = append(results, result)
	}
	return f.writeJUnit(results)
}

func (f *runFlags) writeJUnit(results []*engine.Result) error {
	var b strings.Builder
	if err := report.JUnit(&b, results...); err != nil {
		return err
	}
	return writeFile(f.junit, b.String())
}

// tellCI gives a CI server what it reads: the JUnit file at its place, and within
// GitHub Actions annotations and the job's summary. The error says that the JUnit
// file, which was asked for, is not there.
func (f *runFlags) tellCI(runs []*prepared, stderr io.Writer) error {
	github := os.Getenv("GITHUB_ACTIONS") == "true"
	if f.junit == "" && !github {
		return nil
	}
	results, err := cleanResults(runs)
	if err != nil {
		return err
	}
	if github {
		// Not to stdout, which may hold JSON: GitHub reads commands from both.
		err := report.Annotations(stderr, os.Getenv("GITHUB_WORKSPACE"), results...)
		if path := os.Getenv("GITHUB_STEP_SUMMARY"); path != "" && err == nil {
			err = report.AppendSummary(path, results...)
		}
		if err != nil {
			fmt.Fprintln(stderr, "note: GitHub's summary can't be written:", plain(err))
		}
	}
	if f.junit == "" {
		return nil
	}
	return f.writeJUnit(results)
}

// cleanResults are the results of all runs without their secrets.
func cleanResults(runs []*prepared) ([]*engine.Result, error) {
	var results []*engine.Result
	for _, one := range runs {
		clean, err := one.undecided(engine.NotRun(one.info.Name))
		if one.result != nil {
			clean, err = report.Clean(one.result, one.link.client.Redactor())
		}
		if err != nil {
			return nil, err
		}
		results = append(results, clean)
	}
	return results, nil
}

// undecided is the result of a scenario of which nothing has been run, without
// secrets.
func (l *loaded) undecided(v engine.Verdict) (*engine.Result, error) {
	return report.Clean(&engine.Result{
		Schema: engine.ResultSchema, Tool: "scenario " + version(), Scenario: l.info, Verdict: v, Run: engine.RunInfo{Seed: l.plan.Seed},
	}, l.link.client.Redactor())
}
