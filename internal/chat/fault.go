package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// fault is what ended a request: the failure, and what to tell people.
type fault struct {
	failure Failure
	message string
	code    string // the server's, if it gave one
}

func broken(format string, args ...any) *fault {
	return &fault{failure: StreamBroken, message: fmt.Sprintf(format, args...)}
}

// carriedError is the fault of a reply that carries an error where its answer
// should be.
func carriedError(e serverError) *fault {
	f := broken("the reply carries an error: %s", orElse(e.message, "no message"))
	f.code = e.code
	return f
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// causeFault is the fault of a context that ended: one of our timeouts, or else
// the run was stopped. It is nil for one that has not ended, or that ended
// because nothing more was wanted.
func causeFault(ctx context.Context) *fault {
	var limit *limitError
	switch cause := context.Cause(ctx); {
	case cause == nil, errors.Is(cause, errLingered):
		return nil
	case errors.As(cause, &limit):
		return limit.fault()
	}
	return &fault{failure: Canceled, message: "canceled"}
}

// ownErrors are the errors of a machine that is out of something, or does not
// let its programs out. They say nothing about the server.
var ownErrors = []syscall.Errno{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM,
	syscall.EADDRNOTAVAIL, syscall.EADDRINUSE, syscall.EAGAIN,
	syscall.EPERM, syscall.EACCES,
}

// ownFault is the fault of an error of this machine, or nil.
func ownFault(err error) *fault {
	var name *net.DNSError
	isName := errors.As(err, &name)
	for _, errno := range ownErrors {
		// A name lookup keeps the text of its error and loses the number.
		if errors.Is(err, errno) || isName && strings.Contains(name.Err, errno.Error()) {
			return &fault{failure: ClientError, message: "this machine, not the server: " + errno.Error() + ownHint(errno)}
		}
	}
	return nil
}

func ownHint(errno syscall.Errno) string {
	switch errno {
	case syscall.EMFILE, syscall.ENFILE:
		return " (raise the limit of open files, ulimit -n)"
	case syscall.EADDRNOTAVAIL, syscall.EADDRINUSE:
		return " (out of local ports)"
	}
	return ""
}

// isLost reports whether an error means that the peer closed or reset the
// connection.
func isLost(err error) bool {
	for _, lost := range []error{
		io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed,
		syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED,
	} {
		if errors.Is(err, lost) {
			return true
		}
	}
	// net/http has no value for it.
	return strings.Contains(err.Error(), "server closed idle connection")
}

// lostText says in words how the connection was lost.
func lostText(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return "the connection was reset"
	case isLost(err):
		return "the connection was closed"
	}
	return "the response is malformed: " + plainText(err)
}

// plainText is the text of an error of net/http without the names of its layers.
func plainText(err error) string {
	s := err.Error()
	for _, layer := range []string{"net/http: ", "HTTP/1.x transport connection broken: ", "Transport failed to read from server: ", "http: "} {
		s = strings.TrimPrefix(s, layer)
	}
	return OneLine(s, maxMessage)
}
