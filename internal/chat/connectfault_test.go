package chat

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestErrorsOfThisMachine(t *testing.T) {
	errs := []error{
		&net.OpError{Op: "dial", Net: "tcp", Err: errors.Join(syscall.EMFILE)},
		&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ENFILE},
		&net.OpError{Op: "dial", Net: "tcp", Err: syscall.EADDRNOTAVAIL},
		syscall.ENOBUFS, syscall.ENOMEM,
		&net.DNSError{Name: "server", Err: "dial udp 10.0.0.1:53: socket: too many open files"},
	}
	for _, err := range errs {
		client := clientOf(t, "http://server", Timeouts{}, func(context.Context, string, string) (net.Conn, error) { return nil, err })
		got := client.Do(t.Context(), &Request{Retries: 5})
		if got.Failure != ClientError || got.Attempts != 1 || !strings.HasPrefix(got.Error, "this machine, not the server") {
			t.Errorf("%v: got %v %q after %d attempts", err, got.Failure, got.Error, got.Attempts)
		}
	}
}

func TestConnectErrors(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{&net.DNSError{Name: "server", Err: "no such host", IsNotFound: true}, `cannot resolve the host name "server": no such host`},
		{&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 80}, Err: syscall.EHOSTUNREACH}, "cannot connect to 10.0.0.1:80: no route to host"},
		{syscall.ETIMEDOUT, "cannot connect: connection timed out"},
		{io.EOF, "cannot connect: the connection was closed"},
	}
	for _, tt := range tests {
		client := clientOf(t, "http://server", Timeouts{Connect: time.Minute}, func(context.Context, string, string) (net.Conn, error) { return nil, tt.err })
		if got := client.Do(t.Context(), &Request{}); got.Failure != ConnectError || got.Error != tt.want {
			t.Errorf("%v: got %v %q, want %q", tt.err, got.Failure, got.Error, tt.want)
		}
	}
	t.Run("a port that nobody listens on", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		client := clientOf(t, "http://"+l.Addr().String(), Timeouts{}, nil)
		want := "cannot connect to " + l.Addr().String() + ": connection refused"
		if got := client.Do(t.Context(), &Request{}); got.Failure != ConnectError || got.Error != want || got.Written != 0 || got.Closed != 0 {
			t.Errorf("got %v %q, want %q", got.Failure, got.Error, want)
		}
	})
}
