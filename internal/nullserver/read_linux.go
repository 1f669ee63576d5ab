//go:build linux && (amd64 || arm64 || riscv64 || ppc64le || loong64 || s390x)

package nullserver

import (
	"io"
	"net"
	"syscall"
	"time"
	"unsafe"
)

// arrivals reads a connection and knows when the kernel received what was read
// last: that a busy server reads late must not pass for the client's error.
type arrivals struct {
	conn net.Conn
	raw  syscall.RawConn
	last int64 // as Now; zero: not known
}

func newArrivals(conn net.Conn) *arrivals {
	a := &arrivals{conn: conn}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return a
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return a
	}
	err = raw.Control(func(fd uintptr) {
		if syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1) == nil {
			a.raw = raw
		}
	})
	if err != nil {
		a.raw = nil
	}
	return a
}

// Read implements io.Reader.
func (a *arrivals) Read(p []byte) (int, error) {
	if a.raw == nil {
		n, err := a.conn.Read(p)
		a.last = Now()
		return n, err
	}
	var n, control int
	var failed error
	buf := make([]byte, 64)
	err := a.raw.Read(func(fd uintptr) bool {
		n, control, _, _, failed = syscall.Recvmsg(int(fd), p, buf, syscall.MSG_DONTWAIT)
		return failed != syscall.EAGAIN && failed != syscall.EINTR
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, failed
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	a.last = Now() - (time.Now().UnixNano() - received(buf[:control]))
	return n, nil
}

// received is the wall clock's time in the control messages of a read; now where
// there is none.
func received(control []byte) int64 {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return time.Now().UnixNano()
	}
	for _, m := range messages {
		if m.Header.Level == syscall.SOL_SOCKET && m.Header.Type == syscall.SO_TIMESTAMPNS && len(m.Data) >= 16 {
			t := (*[2]int64)(unsafe.Pointer(&m.Data[0]))
			return t[0]*1e9 + t[1]
		}
	}
	return time.Now().UnixNano()
}
