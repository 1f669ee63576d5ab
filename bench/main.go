// Command bench measures this project's own client against a server that does
// nothing: how far its stamps are from the truth, what an event costs it, how much
// memory streams take. Each measurement is made by a client process and a server
// process of their own, each on a core of its own. One table comes out, with the
// target of every figure.
//
//	go run ./bench            the table
//	go run ./bench -json      the same figures as JSON
//	go run ./bench -quick     a few streams for a short time: does it work?
//
// What the figures are:
//
//   - arrival error: the client's stamp of an event, less the server's just before
//     it wrote the event, both on one clock; the kernel's way through the loopback
//     interface is in it
//   - ITL error: the difference of the client's and the server's time between two
//     events of a stream, without its sign
//   - TTFT error: the client's TTFT, less the server's time from the request's
//     arrival (as the kernel stamped it) to the write of the first event; without
//     its sign
//   - CPU per event: CPU time of the whole client process, from the first event of
//     all streams to the last, over the events; events per second and core is one over
//     that, in a load without pauses
//   - core in use: the same CPU time over the time that passed; from 80 % on, events wait
//     for the client, and its errors are those of the queue
//   - events per read: a client that is behind, as a neighbour on its core makes it,
//     reads several packets at once, which costs less than one after the other
//   - write and read of one event: what the kernel alone takes for both, on one
//     thread; it is the machine's part in the CPU above, and was 6.7 µs where the
//     targets were set
//   - allocations per event: in long streams, so that those of the request and of the
//     reply count little; allocations per request: those, in streams of four events
//   - memory: the largest resident set of the whole client process, while it sends and
//     receives
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) > 1 && (args[0] == roleServer || args[0] == roleClient) {
		return role(args[0], args[1], stdout, stderr)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	quick := flags.Bool("quick", false, "few streams for a short time")
	asJSON := flags.Bool("json", false, "print JSON instead of a table")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return 2
	}
	report, err := measure(cases(*quick), stderr)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	if *asJSON {
		encoder := json.NewEncoder(stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(report)
	} else {
		err = report.print(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// role is what a process that was started by this program does: it reads its
// orders from an argument.
func role(name, orders string, stdout, stderr io.Writer) int {
	var err error
	switch name {
	case roleServer:
		err = serve(orders, os.Stdin, stdout)
	default:
		err = drive(orders, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "bench %s: %v\n", name, err)
		return 1
	}
	return 0
}
