package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"scenario/internal/chat"
	"scenario/internal/diag"
	"scenario/internal/engine"
	"scenario/internal/report"
)

// reportFlags are the options of `scenario report`.
type reportFlags struct {
	format  string
	out     string
	runs    string
	noColor bool
}

func reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report [RUN]",
		Short: "show a run that was made before",
		Long: `report shows a stored run again, from its result.json alone. RUN is the run's folder
or its result.json; without it, the newest run is taken. Of a run that did not come
to its end the report is made too, and the exit status is 2.`,
		Example: `  scenario report
  scenario report runs/20261201T100000Z-gate-89ea --format junit --out junit.xml`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.report(args, c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&f.format, "format", "terminal", strings.Join(formats(), ", "))
	c.Flags().StringVar(&f.out, "out", "", "write to this `file` instead of the screen")
	c.Flags().StringVar(&f.runs, "runs", "runs", "`folder` in which the newest run is looked for")
	c.Flags().BoolVar(&f.noColor, "no-color", false, "no colour, even on a terminal")
	return c
}

func formats() []string { return []string{"terminal", "json", "junit", "markdown", "github"} }

func (f *reportFlags) report(args []string, stdout io.Writer) error {
	if !slices.Contains(formats(), f.format) {
		message := fmt.Sprintf("no such format: %q", f.format)
		if near, ok := diag.Nearest(f.format, formats()); ok {
			message += fmt.Sprintf(" (did you mean %q?)", near)
		}
		return errors.New(message + "; there is " + strings.Join(formats(), ", "))
	}
	path := ""
	if len(args) > 0 {
		path = args[0]
	} else {
		var err error
		if path, err = newestRun(f.runs); err != nil {
			return err
		}
	}
	path, result, err := readRun(path)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := f.render(&b, result, f.out == "" && isTerminal(stdout)); err != nil {
		return err
	}
	if f.out != "" {
		err = writeFile(f.out, b.String())
	} else {
		_, err = io.WriteString(stdout, b.String())
	}
	if err != nil {
		return err
	}
	return ended(path, result)
}

func (f *reportFlags) render(w io.Writer, r *engine.Result, terminal bool) error {
	switch f.format {
	case "json":
		data, err := report.JSON(r, (*chat.Redactor)(nil)) // it holds no secret any more
		if err != nil {
			return err
		}
		_, err = w.Write(append(data, '\n'))
		return err
	case "junit":
		return report.JUnit(w, r)
	case "markdown":
		return report.Markdown(w, r)
	case "github":
		return report.Annotations(w, os.Getenv("GITHUB_WORKSPACE"), r)
	}
	return report.Terminal(w, r, report.NewPalette(terminal && coloured(f.noColor)))
}

// ended says of a run that did not come to its end what its report is worth.
func ended(path string, r *engine.Result) error {
	switch {
	case r.Run.Interrupted:
		return fmt.Errorf("%s: the run was interrupted: this is what was measured until then", path)
	case !r.Run.Complete:
		return fmt.Errorf("%s: the run has not ended: it still goes on, or was killed", path)
	}
	return nil
}

// readRun reads the result of a run, given by its folder or by the file.
func readRun(path string) (file string, r *engine.Result, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return path, nil, fmt.Errorf("%s: %s", path, plain(err))
	}
	if info.IsDir() {
		path = filepath.Join(path, "result.json")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return path, nil, fmt.Errorf("%s: %s", path, plain(err))
	}
	if r, err = engine.DecodeResult(data); err != nil {
		return path, nil, fmt.Errorf("%s: %w", path, err)
	}
	return path, r, nil
}

// newestRun is the folder of the run that was begun last: folders are named by
// when that was.
func newestRun(runs string) (string, error) {
	results, err := filepath.Glob(filepath.Join(escapeGlob(runs), "*", "result.json"))
	if err != nil || len(results) == 0 {
		return "", fmt.Errorf("there is no run in the folder %s: name one, or the folder with --runs", runs)
	}
	return filepath.Dir(slices.Max(results)), nil
}

// escapeGlob makes a path stand for itself in a pattern.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // has no escapes there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// writeFile writes a report where it was asked for, for its owner alone.
func writeFile(path, text string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		return fmt.Errorf("%s can't be written: %s", path, plain(err))
	}
	return nil
}
