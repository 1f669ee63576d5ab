// Command scenario decides whether an LLM deployment may go to production: it
// runs the phases of scenario files against an OpenAI-compatible server and gives
// one verdict, GO, NO-GO or INVALID, as its exit status. `scenario help` lists
// what it can do.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"scenario/internal/engine"
)

func main() {
	log.SetOutput(io.Discard) // net/http writes there of connections; every fault is in the result
	ctx, stop := interruptible()
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// interruptible is a context that the first signal cancels; the second one ends
// the process at once.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		fmt.Fprintln(os.Stderr, "\nstopping: what was measured is kept (again to stop at once)")
		cancel()
		<-signals
		os.Exit(engine.ExitInterrupted)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

// run is the program: everything but the process around it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:   "scenario",
		Short: "decide whether an LLM deployment may go to production",
		Long: `scenario runs scenario files against an OpenAI-compatible LLM server and gives one
verdict: GO, NO-GO or INVALID. No speed is printed for a server whose output is
wrong or whose measurement is not sound.

exit status:
  0    GO
  1    NO-GO: an SLO was missed
  2    usage or scenario error; nothing was sent
  3    NO-GO: output was wrong, requests failed, or the server died
  4    INVALID: something that counts could not be decided
  5    the target was never usable (unreachable, unauthorised, no such model)
  130  interrupted`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(runCommand(), validateCommand(), planCommand(), explainCommand(), initCommand(), probeCommand(), reportCommand(), schemaCommand(), simulateCommand())
	root.SetHelpCommand(helpCommand(root))
	root.SetFlagErrorFunc(flagError)
	root.DisableSuggestions = true // unknownCommand makes its own
	err := root.ExecuteContext(ctx)
	var status exitStatus
	switch {
	case err == nil:
		return engine.ExitGo
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintln(stderr, "scenario:", unknownCommand(root, err))
	return engine.ExitUsage
}

// exitStatus ends the program with a status; what there is to say has been said.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// version is the program's version as the Go tool recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
