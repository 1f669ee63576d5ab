//go:build unix

package chat

import (
	"io"
	"net"
	"syscall"
)

// peek looks whether an idle connection has something to read, without taking it:
// how much (at most a byte), and io.EOF if the peer has closed it. A connection
// that cannot be looked at has nothing.
func peek(conn net.Conn) (n int, err error) {
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return 0, nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, nil
	}
	var errno error
	var b [1]byte
	err = raw.Control(func(fd uintptr) {
		n, _, errno = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	switch {
	case err != nil:
		return 0, io.EOF
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
		return 0, nil
	case errno != nil || n == 0:
		return 0, io.EOF
	}
	return n, nil
}
