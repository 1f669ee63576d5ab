//go:build linux && amd64

package chat

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// TestArrivalIsTheKernels: what waits in the socket while nobody reads has the
// moment of its arrival, not that of its reading.
func TestArrivalIsTheKernels(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		conn, _ := l.Accept()
		accepted <- conn
	}()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	far := <-accepted
	defer far.Close()

	clock := NewClock().(monotonic)
	conn := newStampConn(near, clock, newKernelTime(clock.wall), 0)
	if conn.receive == nil {
		t.Skip("this kernel gives no receive stamps")
	}
	s := conn.begin()
	buf := make([]byte, 16)
	for range 20 {
		before := clock.Now()
		if _, err := far.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		written := clock.Now()
		// On the loopback the packet has arrived when the write returns. Let some
		// time pass that a stamp after the read would include.
		for clock.Now().Sub(written) < 3*time.Millisecond {
		}
		if n, err := conn.Read(buf); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if at := s.lastRead(); s.lastByKernel() && (at < before || at > written+Stamp(time.Millisecond)) {
			t.Errorf("written from %d to %d, arrived %d", before, written, at)
		}
	}
	// The first packets may come before the kernel has begun to stamp.
	if n := s.byKernel.Load(); n < 10 {
		t.Errorf("%d of 20 reads stamped by the kernel", n)
	}
	far.Close()
	if n, err := conn.Read(buf); n != 0 || err == nil {
		t.Errorf("after the end: %d bytes, %v", n, err)
	}
}

func TestReadsOfAResetAndADeadline(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 1)
			_, _ = conn.Read(buf)
			if buf[0] == 'r' {
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
			}
		}
	}()
	clock := NewClock().(monotonic)
	dial := func(first string) *stampConn {
		near, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { near.Close() })
		_, _ = near.Write([]byte(first))
		return newStampConn(near, clock, newKernelTime(clock.wall), 0)
	}
	if _, err := dial("r").Read(make([]byte, 1)); err == nil || !isLost(err) || lostText(err) != "the connection was reset" {
		t.Errorf("a reset reads as %v", err)
	}
	waiting := dial("w")
	_ = waiting.SetReadDeadline(time.Unix(1, 0))
	if _, err := waiting.Read(make([]byte, 1)); err == nil || isLost(err) {
		t.Errorf("a deadline in the past reads as %v", err)
	}
}

func TestRepliesSayWhoStampedThem(t *testing.T) {
	base, _ := countingServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, c("a"), finish("stop"), done)
	})
	for _, readStamps := range []bool{false, true} {
		client := newClient(t, Config{BaseURLs: []*url.URL{base}, ReadStamps: readStamps})
		kernel, other := 0, 0
		for range 10 {
			got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true})
			if got.Failure != NoFailure {
				t.Fatal(got.Failure, got.Error)
			}
			kernel, other = kernel+got.KernelReads, other+got.OtherReads
		}
		// The first packets may come before the kernel has begun to stamp.
		if readStamps && kernel > 0 || !readStamps && kernel == 0 {
			t.Errorf("read stamps %v: %d reads stamped by the kernel, %d others", readStamps, kernel, other)
		}
		if n := client.TakeLag().Count(); n == 0 != readStamps {
			t.Errorf("read stamps %v: the lag of %d reads is known", readStamps, n)
		}
	}
}
