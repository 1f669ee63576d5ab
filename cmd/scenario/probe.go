package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"scenario/internal/chat"
	"scenario/internal/engine"
	"scenario/internal/probe"
	"scenario/internal/spec"
	"scenario/internal/target"
	"scenario/internal/workloads"
)

// probeFlags are the options of `scenario probe`.
type probeFlags struct {
	model        string
	apiKeyEnv    string
	apiKeyHeader string
	server       string
	caFile       string
	insecure     bool
	timeout      time.Duration
	json         bool
	noColor      bool
}

func probeCommand() *cobra.Command {
	var f probeFlags
	c := &cobra.Command{
		Use:   "probe URL",
		Short: "find out what a server is and what it can do",
		Long: `probe sends a few dozen small requests to a server and says what it found: its
software, model, context and KV capacity, its APIs, what it honours and reports,
and which kinds of scenario can run on it. Each answer rests on what came back, not
on what was accepted. Exit status 0: a completion works; 5: none does.

answers, and how they are found:

` + questions() + `
--json prints one object:

` + fields(),
		Example: `  scenario probe http://127.0.0.1:8000
  scenario probe https://api.example.com/v1 --model m --api-key-env MY_KEY --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("probe takes one URL, not %d (scenario probe --help)", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().StringVar(&f.model, "model", "", "`id` of the model; needed if the server lists several")
	c.Flags().StringVar(&f.apiKeyEnv, "api-key-env", "", "`name` of the environment variable that holds the key")
	c.Flags().StringVar(&f.apiKeyHeader, "api-key-header", "", "`header` that carries the key, in the place of Authorization: Bearer")
	c.Flags().StringVar(&f.server, "server", "auto", "the software, if it is not to be found out: "+strings.Join(servers, ", "))
	c.Flags().StringVar(&f.caFile, "ca-file", "", "PEM `file` with the authorities to trust")
	c.Flags().BoolVar(&f.insecure, "insecure-skip-verify", false, "do not check the server's certificate")
	c.Flags().DurationVar(&f.timeout, "timeout", 3*time.Minute, "give up the steps that are left after this time; each step has 30s")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object instead of tables")
	c.Flags().BoolVar(&f.noColor, "no-color", false, "no colour, even on a terminal")
	return c
}

// servers are the values of --server, as of target.server.
var servers = []string{"auto", "vllm", "sglang", "llamacpp", "trtllm", "ollama", "lmdeploy", "openai"}

// questions lists the steps for help.
func questions() string {
	var b strings.Builder
	for _, s := range probe.Steps() {
		fmt.Fprintf(&b, "  %-22s %s\n", s.ID, s.Doc)
	}
	return b.String()
}

// fields lists what --json prints, from the doc tags of its structs.
func fields() string {
	var b strings.Builder
	list := func(t reflect.Type, before string) {
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if doc := f.Tag.Get("doc"); doc != "" {
				fmt.Fprintf(&b, "  %-26s %s\n", before+name, doc)
			}
		}
	}
	list(reflect.TypeFor[probe.Report](), "")
	list(reflect.TypeFor[probe.Finding](), "findings.ID.")
	list(reflect.TypeFor[probe.KindAdvice](), "kinds[].")
	list(reflect.TypeFor[target.Facts](), "target.")
	return b.String()
}

func (f *probeFlags) run(c *cobra.Command, url string) error {
	if f.timeout <= 0 {
		return errors.New("--timeout wants a time above 0, as in 3m")
	}
	link, t, err := f.connect(url)
	if err != nil {
		return err
	}
	defer link.client.Close()
	redactor := link.client.Redactor()
	out, stderr := redactor.Writer(c.OutOrStdout()), redactor.Writer(c.ErrOrStderr())
	defer out.Close()
	defer stderr.Close()
	for _, note := range link.notes {
		fmt.Fprintln(stderr, "note:", note)
	}
	if f.insecure {
		fmt.Fprintln(stderr, "note: the server's certificate is not checked")
	}
	ctx, cancel := context.WithTimeout(c.Context(), f.timeout)
	defer cancel()
	watch, done := watcher(stderr, isTerminal(c.ErrOrStderr()))
	r, err := probe.Run(ctx, link.client, probe.Options{Target: t, BaseURL: link.baseURLs[0], OnStep: watch})
	done()
	if err != nil && c.Context().Err() != nil {
		return exitStatus(engine.ExitInterrupted)
	}
	r.Kinds = slices.DeleteFunc(r.Kinds, func(k probe.KindAdvice) bool { return !available(k.Kind) })
	if f.json {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(r)
	} else {
		err = printProbe(out, r, isTerminal(c.OutOrStdout()) && !f.noColor && os.Getenv("NO_COLOR") == "")
	}
	switch {
	case err != nil:
		return err
	case !r.Usable:
		return exitStatus(engine.ExitUnusable)
	}
	return nil
}

// available reports whether this build has a kind of workload.
func available(kind string) bool {
	return slices.ContainsFunc(workloads.Kinds(), func(k engine.Kind) bool { return k.Name == kind })
}

var nameOfVariable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// connect makes the client for the URL. What is wrong with the options is an error
// that shows no value that could be a secret.
func (f *probeFlags) connect(url string) (*connection, *spec.Target, error) {
	_, err := chat.ParseBaseURL(url)
	if err != nil {
		return nil, nil, err
	}
	if name := f.apiKeyEnv; name != "" && (!nameOfVariable.MatchString(name) || len(name) > 40 && os.Getenv(name) == "") {
		return nil, nil, errors.New("--api-key-env wants the name of the variable that holds the key, not the key")
	}
	if !slices.Contains(servers, f.server) {
		return nil, nil, fmt.Errorf("--server %q is unknown; there are %s", f.server, strings.Join(servers, ", "))
	}
	const limit = 30 * time.Second
	t := &spec.Target{
		BaseURLs: []spec.Text{spec.NewText(url)}, Model: spec.NewText(f.model), Server: f.server,
		APIKeyEnv: spec.NewText(f.apiKeyEnv), APIKeyHeader: f.apiKeyHeader,
		TLS:   spec.TLS{CAFile: spec.NewText(f.caFile), InsecureSkipVerify: f.insecure},
		Proxy: spec.NewText("env"), MetricsURL: spec.NewText("auto"),
		Timeouts: spec.Timeouts{Connect: 10 * time.Second, FirstToken: limit, Idle: limit, Request: limit},
	}
	link, faults := newConnection(t, ".")
	if faults.HasErrors() {
		return nil, nil, errors.New(faults[0].Message)
	}
	return link, t, nil
}

// watcher shows the step under way, on a terminal.
func watcher(w io.Writer, terminal bool) (watch func(string), done func()) {
	if !terminal {
		return nil, func() {}
	}
	const line = "\r\x1b[K"
	return func(step string) { fmt.Fprintf(w, "%s%s …", line, step) }, func() { io.WriteString(w, line) }
}
