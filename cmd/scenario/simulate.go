package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"scenario/internal/diag"
	"scenario/internal/simserver"
	"scenario/internal/spec"
)

func simulateCommand() *cobra.Command {
	var listen, name string
	c := &cobra.Command{
		Use:   "simulate",
		Short: "serve a simulated LLM deployment until interrupted",
		Long:  "simulate serves a simulated deployment on the OpenAI API, healthy or with one fault:\n\n" + personas(),
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			persona, ok := simserver.Find(name)
			if !ok {
				return unknownPersona(name)
			}
			if err := checkListen(listen); err != nil {
				return err
			}
			listener, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("--listen %s: %w", listen, err)
			}
			fmt.Fprintf(c.OutOrStdout(), "http://%s  (%s: %s)\n", listener.Addr(), persona.Name, persona.Doc)
			server := simserver.New(simserver.Healthy().With(persona))
			defer server.Close()
			err = server.Serve(c.Context(), listener)
			if c.Context().Err() != nil {
				return nil
			}
			return err
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8000", "`address` to serve on")
	c.Flags().StringVar(&name, "persona", "healthy", "fault to show")
	return c
}

// checkListen says how an address is written that is none.
func checkListen(address string) error {
	host, port, err := net.SplitHostPort(address)
	number, numeric := strconv.ParseUint(port, 10, 64)
	_, bare := strconv.ParseUint(address, 10, 16)
	switch {
	case bare == nil:
		return fmt.Errorf("--listen %[1]s: the host is missing: write 127.0.0.1:%[1]s", address)
	case err != nil && strings.Contains(err.Error(), "missing port"):
		return fmt.Errorf("--listen %[1]s: the port is missing: write %[1]s:8000", address)
	case err != nil || numeric != nil:
		return fmt.Errorf("--listen %s: write host and port, as in 127.0.0.1:8000", address)
	case number > 65535:
		return fmt.Errorf("--listen %s: a port is a number up to 65535: write %s", address, net.JoinHostPort(host, "8000"))
	}
	return nil
}

// personas lists the personas for help.
func personas() string {
	var b strings.Builder
	for _, p := range simserver.Personas() {
		fmt.Fprintf(&b, "  %-20s %s\n", p.Name, p.Doc)
	}
	return b.String()
}

func unknownPersona(name string) error {
	names := []string{"healthy"}
	for _, p := range simserver.Personas() {
		names = append(names, p.Name)
	}
	message := fmt.Sprintf("no such persona: %q", name)
	if near, ok := diag.Nearest(name, names); ok {
		message += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return errors.New(message + "; there are " + strings.Join(names, ", "))
}

// detachedPersona finds a persona among the files: --simulate alone takes none, so
// that a file may follow it.
func detachedPersona(persona string, files []string) error {
	for _, file := range files {
		if _, ok := simserver.Find(file); !ok || persona != "healthy" {
			continue
		}
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%[1]s is a persona, and no file: write --simulate=%[1]s", file)
		}
	}
	return nil
}

// simulation is a simulated server that runs inside this process.
type simulation struct {
	url    string
	server *simserver.Server
	served chan struct{}
}

// startSimulation serves on a free port of the loopback interface.
func startSimulation(ctx context.Context, persona simserver.Persona) (*simulation, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &simulation{
		url:    "http://" + listener.Addr().String(),
		server: simserver.New(simserver.Healthy().With(persona)),
		served: make(chan struct{}),
	}
	go func() {
		defer close(s.served)
		s.server.Serve(context.WithoutCancel(ctx), listener)
	}()
	return s, nil
}

func (s *simulation) stop() {
	s.server.Close()
	<-s.served
}

// loader reads scenarios as if their target were the simulated server. Variables
// that are not set are no hindrance: the simulation needs no key.
func (s *simulation) loader(l loader) loader {
	l.unset, l.simulated = "simulated", true
	l.set = append(l.set[:len(l.set):len(l.set)],
		"target.base_url="+strconv.Quote(s.url), "target.model="+strconv.Quote(simserver.Healthy().Model), "target.server=auto")
	return l
}

// isolate takes out of a scenario's target what belongs to the real one.
func isolate(s *spec.Scenario) {
	t := &s.Target
	t.APIKeyEnv, t.APIKeyHeader, t.Headers, t.TLS = spec.Text{}, "", nil, spec.TLS{}
	t.Proxy, t.MetricsURL, t.ContextTokens = spec.NewText("off"), spec.NewText("auto"), 0
}
