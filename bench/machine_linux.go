package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// placement says which core each process runs on.
type placement struct {
	pinned         bool
	server, client int
}

func (p placement) String() string {
	if !p.pinned {
		return "server and client share the cores"
	}
	return fmt.Sprintf("server on core %d, client on core %d", p.server, p.client)
}

// place gives the server and the client a core each, of those that this process may
// run on.
func place() placement {
	var allowed unix.CPUSet
	if unix.SchedGetaffinity(0, &allowed) != nil {
		return placement{}
	}
	var cores []int
	for core := range 1024 {
		if allowed.IsSet(core) {
			cores = append(cores, core)
		}
	}
	if len(cores) < 2 {
		return placement{}
	}
	return placement{pinned: true, server: cores[0], client: cores[1]}
}

// start starts a process on a core: it inherits the core from the thread that
// starts it.
func (p placement) start(cmd *exec.Cmd, core int) error {
	if !p.pinned {
		return cmd.Start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var old, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		return err
	}
	one.Set(core)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	defer unix.SchedSetaffinity(0, &old)
	return cmd.Start()
}

// residentBytes is the largest resident set that this process has had.
func residentBytes() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return kilobytes << 10
}
