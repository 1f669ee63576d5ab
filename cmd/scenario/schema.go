package main

import (
	"github.com/spf13/cobra"

	"scenario/internal/engine"
	"scenario/schema"
)

func schemaCommand() *cobra.Command {
	var baseline, result bool
	c := &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of scenario files",
		Long: `schema prints the JSON Schema of scenario files with all kinds of this build, for
editors (yaml-language-server) and other tools; or, on demand, that of baseline
files or of result.json.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := exclusive(c, "baseline", "result"); err != nil {
				return err
			}
			var data []byte
			var err error
			switch {
			case baseline:
				data = schema.Baseline()
			case result:
				data, err = engine.ResultJSONSchema()
			default:
				data, err = schema.Bundle(kindSchemas())
			}
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(data)
			return err
		},
	}
	c.Flags().BoolVar(&baseline, "baseline", false, "the schema of baseline files")
	c.Flags().BoolVar(&result, "result", false, "the schema of result.json")
	return c
}
