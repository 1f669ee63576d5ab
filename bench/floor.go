package main

import (
	"encoding/json"
	"io"
	"net"
	"time"
)

// floorName is the load of the floor.
const floorName = "one thread, without any client"

// floor is what the kernel alone takes to write and to read an event of the usual
// length over the loopback interface, on one core: the machine's part in all
// figures below. The targets were set where it was 6.7 µs.
func floor(stdout io.Writer, rounds int) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	near, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return err
	}
	defer near.Close()
	far, err := listener.Accept()
	if err != nil {
		return err
	}
	defer far.Close()
	event, buf := make([]byte, 265), make([]byte, 4096)
	start := time.Now()
	for range rounds {
		if _, err := far.Write(event); err != nil {
			return err
		}
		if _, err := io.ReadFull(near, buf[:len(event)]); err != nil {
			return err
		}
	}
	took := time.Since(start)
	return json.NewEncoder(stdout).Encode(sample{CPU: took.Seconds() * 1e6 / float64(rounds), Events: rounds, KernelShare: 1})
}
