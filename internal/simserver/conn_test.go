package simserver

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// connect returns the two ends of a connection through a listener.
func connect(t *testing.T) (client, server net.Conn) {
	t.Helper()
	listener := NewListener()
	accepted := make(chan net.Conn)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			t.Error(err)
		}
		accepted <- conn
	}()
	client, err := listener.Dial(t.Context(), "tcp", "anywhere:80")
	if err != nil {
		t.Fatal(err)
	}
	return client, <-accepted
}

func TestConnectionCarriesBytesBothWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := connect(t)
		for range 2 {
			big := make([]byte, 1<<20) // more than any reader has asked for yet
			if n, err := client.Write(big); n != len(big) || err != nil {
				t.Fatal(n, err)
			}
			if _, err := io.ReadFull(server, big); err != nil {
				t.Fatal(err)
			}
			client, server = server, client
		}
		if client.LocalAddr().String() != server.RemoteAddr().String() || client.LocalAddr().Network() != "memory" {
			t.Errorf("%v is %v to the other end", client.LocalAddr(), server.RemoteAddr())
		}
	})
}

func TestReadWaitsForAWriteAndForItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := connect(t)
		buffer := make([]byte, 8)
		start := time.Now()
		time.AfterFunc(time.Second, func() { _, _ = server.Write([]byte("late")) })
		if n, err := client.Read(buffer); n != 4 || err != nil || time.Since(start) != time.Second {
			t.Errorf("read %d, %v after %v", n, err, time.Since(start))
		}
		for name, deadline := range map[string]time.Duration{"ahead": time.Minute, "past": -time.Second} {
			start := time.Now()
			if err := client.SetReadDeadline(start.Add(deadline)); err != nil {
				t.Fatal(err)
			}
			_, err := client.Read(buffer)
			var timeout net.Error
			if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
				t.Errorf("deadline %s: %v", name, err)
			}
			if waited := time.Since(start); waited != max(0, deadline) {
				t.Errorf("deadline %s: it waited %v", name, waited)
			}
		}
		if err := client.SetDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Hour, func() { _, _ = server.Write([]byte("x")) })
		if n, err := client.Read(buffer); n != 1 || err != nil {
			t.Errorf("without a deadline: %d, %v", n, err)
		}
	})
}

func TestDeadlineSetWhileAReadWaitsCutsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := connect(t)
		if err := client.SetReadDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		time.AfterFunc(time.Second, func() { _ = client.SetReadDeadline(time.Unix(1, 0)) })
		if _, err := client.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestCloseEndsBothEnds(t *testing.T) {
	for name, c := range map[string]struct {
		linger int
		end    error // what the peer reads after the data
	}{
		"in peace": {-1, io.EOF},
		"by reset": {0, syscall.ECONNRESET},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, server := connect(t)
				waits := make(chan error)
				go func() {
					_, err := server.Read(make([]byte, 1))
					waits <- err
				}()
				synctest.Wait()
				if _, err := server.Write([]byte("last words")); err != nil {
					t.Fatal(err)
				}
				if err := server.(interface{ SetLinger(int) error }).SetLinger(c.linger); err != nil {
					t.Fatal(err)
				}
				if err := server.Close(); err != nil {
					t.Fatal(err)
				}
				if err := <-waits; !errors.Is(err, net.ErrClosed) {
					t.Errorf("the closer's own read ended with %v", err)
				}
				if err := server.Close(); !errors.Is(err, net.ErrClosed) {
					t.Errorf("a second close gave %v", err)
				}
				if _, err := server.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
					t.Errorf("the closer's own write gave %v", err)
				}
				buffer := make([]byte, 100)
				if n, err := client.Read(buffer); string(buffer[:n]) != "last words" || err != nil {
					t.Errorf("the peer read %q, %v", buffer[:n], err)
				}
				if _, err := client.Read(buffer); !errors.Is(err, c.end) {
					t.Errorf("then it read %v, want %v", err, c.end)
				}
				if _, err := client.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
					t.Errorf("the peer's write gave %v", err)
				}
			})
		})
	}
}

func TestClosedListenerRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := NewListener()
		waits := make(chan error, 2)
		go func() {
			_, err := listener.Accept()
			waits <- err
		}()
		synctest.Wait()
		for range 2 {
			if err := listener.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := <-waits; !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept gave %v", err)
		}
		if _, err := listener.Dial(t.Context(), "tcp", "sim:80"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial gave %v", err)
		}
	})
}

func TestDialGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := NewListener()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := listener.Dial(ctx, "tcp", "sim:80"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("dial gave %v", err)
		}
	})
}
