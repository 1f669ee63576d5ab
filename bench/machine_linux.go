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
	first          bool // above all ordinary processes, while there are pauses to let others run
	server, client int
}

func (p placement) String() string {
	switch {
	case !p.pinned:
		return "server and client share the cores"
	case !p.first:
		return fmt.Sprintf("server on core %d, client on core %d, at the priority of their neighbours", p.server, p.client)
	}
	return fmt.Sprintf("server on core %d, client on core %d, at real-time priority where paced", p.server, p.client)
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
	return placement{pinned: true, first: mayBeFirst(), server: cores[0], client: cores[1]}
}

// mayBeFirst tries it on a thread that ends afterwards.
func mayBeFirst() bool {
	may := make(chan bool)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this function
		may <- beFirst() == nil
	}()
	return <-may
}

// beFirst gives this thread the lowest of the real-time priorities that is not
// shared with all kinds of housekeeping.
func beFirst() error {
	return unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 10}, 0)
}

// start starts a process on a core, and above others if it leaves them time. It
// inherits both from the thread that starts it, which ends afterwards.
func (p placement) start(cmd *exec.Cmd, core int, pauses bool) error {
	if !p.pinned {
		return cmd.Start()
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		var one unix.CPUSet
		one.Set(core)
		err := unix.SchedSetaffinity(0, &one)
		if err == nil && p.first && pauses {
			err = beFirst()
		}
		if err == nil {
			err = cmd.Start()
		}
		started <- err
	}()
	return <-started
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
