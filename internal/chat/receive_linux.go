//go:build linux && (amd64 || arm64 || riscv64 || ppc64le || loong64 || s390x)

package chat

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// receiver reads from a TCP socket and learns when the kernel received what it
// read (SO_TIMESTAMPNS). The reads are raw system calls: the socket does not
// block, so the scheduler need not be told of them.
type receiver struct {
	raw  syscall.RawConn
	time *kernelTime

	// One read's arguments and results: kept here, so that a read allocates
	// nothing. A connection is read by one goroutine at a time.
	msg     syscall.Msghdr
	iov     syscall.Iovec
	control [64]byte
	n       int
	errno   syscall.Errno
	recv    func(fd uintptr) bool
}

// newReceiver is nil where the kernel gives no stamps.
func newReceiver(conn *net.TCPConn, time *kernelTime) *receiver {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil
	}
	var optErr error
	err = raw.Control(func(fd uintptr) {
		optErr = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
	if err != nil || optErr != nil {
		return nil
	}
	r := &receiver{raw: raw, time: time}
	r.msg.Iov, r.msg.Iovlen = &r.iov, 1
	r.recv = r.receive
	return r
}

// read is one read, the moment its last packet arrived, and whether the kernel
// said so.
func (r *receiver) read(p []byte) (int, Stamp, bool, error) {
	r.iov.Base = &p[0]
	r.iov.SetLen(len(p))
	err := r.raw.Read(r.recv)
	r.iov.Base = nil
	switch {
	case err != nil:
		return 0, 0, false, err
	case r.errno != 0:
		return 0, 0, false, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("recvmsg", r.errno)}
	case r.n == 0:
		return 0, 0, false, io.EOF
	}
	stamp, ok := r.stamp()
	if !ok {
		at, _ := r.time.now()
		return r.n, at, false, nil
	}
	at, believed := r.time.arrival(stamp)
	return r.n, at, believed, nil
}

// receive is one system call; false: wait until there is something to read.
func (r *receiver) receive(fd uintptr) bool {
	for {
		r.msg.Control = &r.control[0]
		r.msg.SetControllen(len(r.control))
		n, _, errno := syscall.RawSyscall(syscall.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&r.msg)), 0)
		switch errno {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false
		}
		acquire(fd)
		r.n, r.errno = int(n), errno
		return true
	}
}

// stamp is the time in the control messages of the last read.
func (r *receiver) stamp() (int64, bool) {
	rest := r.control[:r.msg.Controllen]
	for len(rest) >= syscall.SizeofCmsghdr {
		h := (*syscall.Cmsghdr)(unsafe.Pointer(&rest[0]))
		size := int(h.Len)
		if size < syscall.SizeofCmsghdr || size > len(rest) {
			return 0, false
		}
		if h.Level == syscall.SOL_SOCKET && h.Type == syscall.SO_TIMESTAMPNS && size >= syscall.CmsgLen(16) {
			t := (*[2]int64)(unsafe.Pointer(&rest[syscall.CmsgLen(0)]))
			return t[0]*1e9 + t[1], true
		}
		rest = rest[min(len(rest), syscall.CmsgSpace(size-syscall.CmsgLen(0))):]
	}
	return 0, false
}
