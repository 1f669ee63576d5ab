package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"scenario/scenarios"
)

func initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "write a first scenario to start from",
		Args:  atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := "scenario.yaml"
			if len(args) == 1 {
				name = args[0]
			}
			first, err := scenarios.Files.ReadFile("quickstart.yaml")
			if err != nil {
				return err
			}
			// The schema stands elsewhere than beside the user's file.
			_, first, _ = bytes.Cut(first, []byte("\n#\n"))
			f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s is there already; it is left as it is", name)
			}
			if err != nil {
				return err
			}
			_, err = f.Write(first)
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: now try  scenario run %s --simulate\n(for an editor: scenario schema > scenario.schema.json, and a first line\n# yaml-language-server: $schema=scenario.schema.json)\n", name, name)
			return nil
		},
	}
}
