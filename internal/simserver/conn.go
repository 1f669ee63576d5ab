package simserver

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// memoryConn is one end of a connection in memory. Writes are buffered without
// limit and never wait for the peer; reads wait on a condition variable, which
// virtual time can see through.
type memoryConn struct {
	in, out       *pipe
	local, remote memoryAddr

	mu     sync.Mutex
	resets bool // Close announces a reset instead of the end
	closed bool
}

// newConnPair returns the two ends of a connection.
func newConnPair() (client, server net.Conn) {
	up, down := newPipe(), newPipe()
	return &memoryConn{in: down, out: up, local: "client", remote: "simserver"},
		&memoryConn{in: up, out: down, local: "simserver", remote: "client"}
}

func (c *memoryConn) Read(b []byte) (int, error) {
	n, err := c.in.read(b)
	return n, c.wrap("read", err)
}

func (c *memoryConn) Write(b []byte) (int, error) {
	n, err := c.out.write(b)
	return n, c.wrap("write", err)
}

// Close ends both directions. The peer still reads what was written before.
func (c *memoryConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.wrap("close", net.ErrClosed)
	}
	c.closed = true
	end := io.EOF
	if c.resets {
		end = syscall.ECONNRESET
	}
	c.out.close(end, net.ErrClosed)
	c.in.close(net.ErrClosed, syscall.EPIPE)
	return nil
}

// SetLinger with 0 makes Close look like a reset to the peer, as it does on a
// TCP connection; any other value undoes that.
func (c *memoryConn) SetLinger(seconds int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resets = seconds == 0
	return nil
}

func (c *memoryConn) LocalAddr() net.Addr  { return c.local }
func (c *memoryConn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets the read deadline; a write never waits.
func (c *memoryConn) SetDeadline(t time.Time) error      { return c.SetReadDeadline(t) }
func (c *memoryConn) SetWriteDeadline(t time.Time) error { return nil }

func (c *memoryConn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(t)
	return nil
}

// wrap gives an error the shape that errors of network connections have.
func (c *memoryConn) wrap(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &net.OpError{Op: op, Net: c.local.Network(), Source: c.local, Addr: c.remote, Err: err}
}

// pipe is one direction of a connection.
type pipe struct {
	mu       sync.Mutex
	changed  sync.Cond
	data     []byte
	readErr  error // what a reader gets when the data is used up; nil: open
	writeErr error
	expired  bool // the read deadline has passed
	alarm    *time.Timer
	deadline uint // counts the deadlines set, so that a late alarm knows it is stale
}

func newPipe() *pipe {
	p := &pipe{}
	p.changed.L = &p.mu
	return p
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case errors.Is(p.readErr, net.ErrClosed):
			return 0, p.readErr
		case p.expired:
			return 0, os.ErrDeadlineExceeded
		case len(b) == 0:
			return 0, nil
		case len(p.data) > 0:
			n := copy(b, p.data)
			p.data = p.data[n:]
			if len(p.data) == 0 {
				p.data = nil
			}
			return n, nil
		case p.readErr != nil:
			return 0, p.readErr
		}
		p.changed.Wait()
	}
}

func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.writeErr != nil {
		return 0, p.writeErr
	}
	p.data = append(p.data, b...)
	p.changed.Broadcast()
	return len(b), nil
}

// close ends the direction: a reader gets readErr, a writer writeErr. The side
// that closed first decides.
func (p *pipe) close(readErr, writeErr error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.readErr == nil || errors.Is(readErr, net.ErrClosed) {
		p.readErr = readErr
	}
	if p.writeErr == nil || errors.Is(writeErr, net.ErrClosed) {
		p.writeErr = writeErr
	}
	if p.alarm != nil {
		p.alarm.Stop()
	}
	p.changed.Broadcast()
}

func (p *pipe) setDeadline(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.alarm != nil {
		p.alarm.Stop()
	}
	p.deadline++
	current := p.deadline
	wait := time.Until(t)
	p.expired = !t.IsZero() && wait <= 0
	if !t.IsZero() && wait > 0 {
		p.alarm = time.AfterFunc(wait, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.expired = p.expired || current == p.deadline
			p.changed.Broadcast()
		})
	}
	p.changed.Broadcast()
}
