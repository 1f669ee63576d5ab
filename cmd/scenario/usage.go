package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"scenario/internal/diag"
)

// What is wrong with a command line, in words.

// atLeast and atMost are cobra's rules for arguments.
func atLeast(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return fmt.Errorf("%[1]s takes a scenario file (scenario %[1]s --help)", c.Name())
		}
		return nil
	}
}

func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) <= n:
			return nil
		case n == 0:
			return fmt.Errorf("%[1]s takes no argument, and got %[2]q (scenario %[1]s --help)", c.Name(), args[0])
		}
		return fmt.Errorf("%[1]s takes at most %[2]d argument, not %[3]d (scenario %[1]s --help)", c.Name(), n, len(args))
	}
}

// exclusive refuses two options that contradict each other.
func exclusive(c *cobra.Command, one, other string) error {
	if c.Flags().Changed(one) && c.Flags().Changed(other) {
		return fmt.Errorf("--%s and --%s exclude each other: leave one out", one, other)
	}
	return nil
}

var invalidArgument = regexp.MustCompile(`(?s)^invalid argument "(.*)" for "(?:-\w, )?(--\S+)" flag: (.*)$`)

// flagError is what is wrong with an option.
func flagError(c *cobra.Command, err error) error {
	words := err.Error()
	if m := invalidArgument.FindStringSubmatch(words); m != nil {
		words = m[2] + " " + m[1] + ": " + m[3]
		if strings.HasPrefix(m[3], "strconv.ParseBool") {
			words = m[2] + "=" + m[1] + ": write " + m[2] + " alone, or leave it out"
		}
	}
	return fmt.Errorf("%s (%s --help lists the options)", words, c.CommandPath())
}

// unknownCommand puts cobra's complaint about a command into words, and leaves
// other errors as they are.
func unknownCommand(root *cobra.Command, err error) error {
	rest, ok := strings.CutPrefix(err.Error(), `unknown command "`)
	name, _, closed := strings.Cut(rest, `"`)
	if !ok || !closed {
		return err
	}
	return noCommand(root, name)
}

func noCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	message := fmt.Sprintf("there is no command %q", name)
	if near, ok := diag.Nearest(name, names); ok {
		return fmt.Errorf("%s (did you mean %q?)", message, near)
	}
	return fmt.Errorf("%s; there are %s", message, strings.Join(names, ", "))
}

// helpCommand is cobra's, but for a command that does not exist.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "show what a command does",
		Args:  atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, _, err := root.Find(args)
			if err != nil || c == nil || len(args) > 0 && c == root {
				return noCommand(root, args[0])
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// wait is a duration as an option takes it.
type wait time.Duration

func (w *wait) String() string { return time.Duration(*w).String() }

func (w *wait) Type() string { return "duration" }

var bareNumber = regexp.MustCompile(`^[0-9]+([.][0-9]+)?$`)

func (w *wait) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case bareNumber.MatchString(text) && text != "0":
		return fmt.Errorf("the unit is missing: write %ss", text)
	case err != nil:
		return errors.New("this is no duration: write 30s, 10m or 1h30m")
	case d < 0:
		return errors.New("a duration can't be negative: write 30s, 10m or 1h30m")
	}
	*w = wait(d)
	return nil
}
