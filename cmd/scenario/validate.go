package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"scenario/internal/report"
)

func validateCommand() *cobra.Command {
	var f loadFlags
	c := &cobra.Command{
		Use:   "validate FILE...",
		Short: "check scenario files; nothing is sent",
		Long:  "validate checks everything that can be checked without a server: YAML, keys, values,\nthe type of every expression, and that the planned load can decide every check.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			l := loader{flags: &f, set: f.overrides(c), env: os.LookupEnv}
			all, err := l.loadAll(files, c.ErrOrStderr())
			if err != nil {
				return err
			}
			for _, one := range all {
				one.close()
				fmt.Fprintf(c.OutOrStdout(), "%s: ok\n", one.file)
			}
			return nil
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
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			l := loader{flags: &f, set: f.overrides(c), env: os.LookupEnv}
			all, err := l.loadAll(files, c.ErrOrStderr())
			if err != nil {
				return err
			}
			palette := report.NewPalette(isTerminal(c.OutOrStdout()))
			for _, one := range all {
				one.close()
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
