package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"scenario/internal/nullserver"
)

// The roles of the processes that this program starts of itself.
const (
	roleServer = "server"
	roleClient = "client"
)

// serve serves until its input ends.
func serve(orders string, in io.Reader, stdout io.Writer) error {
	var config nullserver.Config
	if err := json.Unmarshal([]byte(orders), &config); err != nil {
		return err
	}
	config.Exact = true
	server, err := nullserver.Start(config)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Fprintln(stdout, server.URL())
	_, err = io.Copy(io.Discard, in)
	return err
}

// once makes one measurement, with a server and a client process.
func once(l load, cores placement) (*sample, error) {
	l.Server.Exact = true
	config, err := json.Marshal(l.Server)
	if err != nil {
		return nil, err
	}
	server, err := process(roleServer, string(config))
	if err != nil {
		return nil, err
	}
	// The pacer needs a thread beside those that read requests, and nothing is
	// allocated for an event.
	server.Env = append(os.Environ(), "GOMAXPROCS=2", "GOGC=off")
	in, err := server.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cores.start(server, cores.server, l.pauses()); err != nil {
		return nil, err
	}
	defer server.Wait()
	defer in.Close()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the server does not start: %w", err)
	}
	orders, err := json.Marshal(order{l, strings.TrimSpace(address)})
	if err != nil {
		return nil, err
	}
	client, err := process(roleClient, string(orders))
	if err != nil {
		return nil, err
	}
	var found bytes.Buffer
	client.Stdout = &found
	if err := cores.start(client, cores.client, l.pauses()); err != nil {
		return nil, err
	}
	if err := client.Wait(); err != nil {
		return nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	s := &sample{}
	return s, json.Unmarshal(found.Bytes(), s)
}

// process is this program again, in a role.
func process(role, orders string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, role, orders)
	cmd.Stderr = os.Stderr
	return cmd, nil
}
