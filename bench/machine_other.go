//go:build !linux

package main

import "os/exec"

// placement says which core each process runs on: on this system, any.
type placement struct{ server, client int }

func (placement) String() string { return "server and client share the cores" }

func place() placement { return placement{} }

func (placement) start(cmd *exec.Cmd, _ int, _ bool) error { return cmd.Start() }

// residentBytes is not measured on this system.
func residentBytes() int64 { return 0 }
