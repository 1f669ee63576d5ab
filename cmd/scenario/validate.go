package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"scenario/internal/diag"
	"scenario/internal/engine"
	"scenario/internal/report"
	"scenario/internal/spec"
)

func validateCommand() *cobra.Command {
	var f loadFlags
	c := &cobra.Command{
		Use:   "validate FILE...",
		Short: "check scenario files; nothing is sent",
		Long:  "validate checks everything that can be checked without a server: YAML, keys, values,\nthe type of every expression, and that the planned load can decide every check.",
		Args:  atLeast(1),
		RunE: func(c *cobra.Command, files []string) error {
			l, err := f.loader(c)
			if err != nil {
				return err
			}
			return validate(l, files, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f.add(c)
	return c
}

func planCommand() *cobra.Command {
	var f loadFlags
	c := &cobra.Command{
		Use:   "plan FILE...",
		Short: "show what a run would send; nothing is sent",
		Args:  atLeast(1),
		RunE: func(c *cobra.Command, files []string) error {
			l, err := f.loader(c)
			if err != nil {
				return err
			}
			all, err := l.loadAll(files, c.ErrOrStderr())
			if err != nil {
				return err
			}
			palette := report.NewPalette(isTerminal(c.OutOrStdout()))
			for i, one := range all {
				one.close()
				if i > 0 {
					fmt.Fprintln(c.OutOrStdout())
				}
				if err := report.Plan(c.OutOrStdout(), one.plan, palette); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.add(c)
	return c
}

// validate checks scenario and baseline files, all of them.
func validate(l loader, files []string, stdout, stderr io.Writer) error {
	bad := false
	for _, file := range files {
		var faults diag.List
		kind := ""
		if src, unreadable := spec.ReadFile(file); unreadable.HasErrors() {
			faults = unreadable
		} else if spec.IsBaseline(src) {
			_, faults = spec.LoadBaseline(file, src)
			kind = " (a baseline)"
		} else {
			var one *loaded
			if one, faults = l.read(file, src, ""); one != nil {
				one.close()
			}
		}
		io.WriteString(stderr, faults.String())
		if faults.HasErrors() {
			bad = true
			continue
		}
		fmt.Fprintf(stdout, "%s: ok%s\n", file, kind)
	}
	if bad {
		return exitStatus(engine.ExitUsage)
	}
	return nil
}
