package chat

import (
	"context"
	"io"
	"log"
	"net"
	"testing"
)

// tcpPair is the two ends of a TCP connection.
func tcpPair(t *testing.T) (client, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- conn
	}()
	client, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return client, <-accepted
}

// dialTo is a dial function that hands out one connection.
func dialTo(conn net.Conn) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return conn, nil }
}

// quiet takes what a server of the standard library has to say about a client
// that fails on purpose.
var quiet = log.New(io.Discard, "", 0)
