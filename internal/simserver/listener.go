package simserver

import (
	"context"
	"net"
	"sync"
	"syscall"
)

// Listener accepts connections that live in memory. Its Dial is the other end:
// it fits http.Transport.DialContext, and whatever the address, it reaches this
// listener. Everything on it waits in ways that testing/synctest can see
// through, when the listener is made inside the bubble.
type Listener struct {
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

// NewListener returns an open listener.
func NewListener() *Listener {
	return &Listener{incoming: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects to the listener. It waits until the connection is accepted; on a
// closed listener it is refused, with an error that is syscall.ECONNREFUSED.
func (l *Listener) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	client, server := newConnPair()
	select {
	case <-l.closed: // first, since a select with several ready cases picks any
		return nil, l.refused(syscall.ECONNREFUSED)
	default:
	}
	select {
	case l.incoming <- server:
		return client, nil
	case <-l.closed:
		return nil, l.refused(syscall.ECONNREFUSED)
	case <-ctx.Done():
		return nil, l.refused(ctx.Err())
	}
}

func (l *Listener) refused(err error) error {
	return &net.OpError{Op: "dial", Net: l.Addr().Network(), Addr: l.Addr(), Err: err}
}

// Accept waits for the next connection. On a closed listener it returns an error
// that is net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.incoming:
		return conn, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "accept", Net: l.Addr().Network(), Addr: l.Addr(), Err: net.ErrClosed}
	}
}

// Close refuses all later calls of Dial. Connections that exist stay open.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr is a name, not an address that anyone else could dial.
func (l *Listener) Addr() net.Addr { return memoryAddr("simserver") }

// memoryAddr names one end of a connection in memory.
type memoryAddr string

// Network is "memory".
func (memoryAddr) Network() string { return "memory" }

// String is the name itself.
func (a memoryAddr) String() string { return string(a) }
