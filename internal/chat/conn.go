package chat

import (
	"io"
	"net"
	"sync/atomic"
	"time"
)

// This file is the seam between the network and the measurement: everything else
// asks an exchange's stamps. A request is stamped at its first write. An arrival
// is stamped by the kernel where that can be had (receive_linux.go), else right
// after the read.
//
// A read that brings several events gives all of them the moment of its last
// packet. Through a transport (a proxy), so do all reads of one chunk.

// stampConn is a connection that notes when it was written to and read from.
type stampConn struct {
	net.Conn
	clock   Clock
	receive *receiver // nil: reads are stamped after they return
	dialled time.Duration
	now     atomic.Pointer[stamps]
}

// newStampConn stamps arrivals by the kernel if wanted and possible. dialled is
// how long the opening of conn took.
func newStampConn(conn net.Conn, clock Clock, kernel *kernelTime, dialled time.Duration) *stampConn {
	c := &stampConn{Conn: conn, clock: clock, dialled: dialled}
	if tcp, ok := conn.(*net.TCPConn); ok && kernel != nil {
		c.receive = newReceiver(tcp, kernel)
	}
	c.begin()
	return c
}

// stamps are the moments of one exchange. They belong to the exchange and not to
// its connection, which may serve the next one before the last stamp is looked at.
type stamps struct {
	dialled     time.Duration // what the connection took to open
	wrote, read atomic.Int64
	kernel      atomic.Bool  // the kernel stamped the last read
	byKernel    atomic.Int64 // reads that the kernel stamped
	byRead      atomic.Int64 // reads stamped after they returned
}

// written is the moment before the first write of the request; zero before it.
func (s *stamps) written() Stamp { return Stamp(s.wrote.Load()) }

// lastRead is the arrival of what the last read brought; zero before it.
func (s *stamps) lastRead() Stamp { return Stamp(s.read.Load()) }

// lastByKernel reports whether the kernel stamped the last read.
func (s *stamps) lastByKernel() bool { return s.kernel.Load() }

// arrived notes a read.
func (s *stamps) arrived(at Stamp, byKernel bool) {
	s.read.Store(int64(at))
	s.kernel.Store(byKernel)
	if byKernel {
		s.byKernel.Add(1)
	} else {
		s.byRead.Add(1)
	}
}

// begin starts the next exchange on the connection.
func (c *stampConn) begin() *stamps {
	s := &stamps{dialled: c.dialled}
	c.now.Store(s)
	return s
}

func (c *stampConn) Read(p []byte) (int, error) {
	if c.receive == nil || len(p) == 0 {
		n, err := c.Conn.Read(p)
		if n > 0 {
			c.now.Load().arrived(c.clock.Now(), false)
		}
		return n, err
	}
	n, at, byKernel, err := c.receive.read(p)
	if n > 0 {
		c.now.Load().arrived(at, byKernel)
	}
	return n, err
}

func (c *stampConn) Write(p []byte) (int, error) {
	c.stampWrite()
	return c.Conn.Write(p)
}

func (c *stampConn) stampWrite() {
	if s := c.now.Load(); s.wrote.Load() == 0 {
		s.wrote.Store(int64(c.clock.Now()))
	}
}

// writeTo writes a request to conn, which lies over c or is c itself: in one
// system call where it can be.
func (c *stampConn) writeTo(conn net.Conn, head, body []byte) error {
	if conn == net.Conn(c) {
		if tcp, ok := c.Conn.(*net.TCPConn); ok && !raceDetector {
			c.stampWrite()
			buffers := net.Buffers{head, body}
			_, err := buffers.WriteTo(tcp)
			return err
		}
	}
	if len(body) >= concurrentBody {
		if _, err := conn.Write(head); err != nil {
			return err
		}
		_, err := conn.Write(body)
		return err
	}
	_, err := conn.Write(append(append(make([]byte, 0, len(head)+len(body)), head...), body...))
	return err
}

// quiet reports whether an idle connection is still open and brings nothing that
// was not asked for, as far as can be seen. Over TLS (conn is not c) the peer may
// send session tickets.
func (c *stampConn) quiet(conn net.Conn) bool {
	n, err := peek(c.Conn)
	return err != io.EOF && (n == 0 || conn != net.Conn(c))
}

// beginOn starts the next exchange on the stampConn that lies under conn and its
// layers of TLS.
func beginOn(conn net.Conn) *stamps {
	for {
		switch c := conn.(type) {
		case *stampConn:
			return c.begin()
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return new(stamps)
		}
	}
}

// maxLag is the longest time between a packet's arrival and its reading that is
// believed; more is a clock that was set.
const maxLag = 10 * time.Second
