package main

import (
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
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := "scenario.yaml"
			if len(args) == 1 {
				name = args[0]
			}
			first, err := scenarios.Files.ReadFile("quickstart.yaml")
			if err != nil {
				return err
			}
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
			fmt.Fprintf(c.OutOrStdout(), "%s: now try  scenario run %s --simulate\n", name, name)
			return nil
		},
	}
}
