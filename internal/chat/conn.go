package chat

import (
	"net"
	"sync/atomic"
)

// This file is the seam between the network and the measurement. Everything
// else asks an exchange's stamps, so a finer source of time (receive stamps of
// the kernel, say) replaces this file and nothing more.
//
// One limit comes with reading through net/http: a chunk of the chunked coding
// that holds several events and arrives in several reads is handed over when it
// is whole, so its events share the stamp of the last of those reads. The sender
// had all of them when it wrote the chunk's length, so no pause of the server is
// ever hidden by it.

// stampConn is a connection that notes when it was written to and read from.
type stampConn struct {
	net.Conn
	clock Clock
	now   atomic.Pointer[stamps]
}

func newStampConn(conn net.Conn, clock Clock) *stampConn {
	c := &stampConn{Conn: conn, clock: clock}
	c.begin()
	return c
}

// stamps are the moments of one exchange. They belong to the exchange and not to
// its connection, which may serve the next one before the last stamp is looked at.
type stamps struct{ wrote, read atomic.Int64 }

// written is the moment before the first write of the request; zero before it.
func (s *stamps) written() Stamp { return Stamp(s.wrote.Load()) }

// lastRead is the moment after the last read that brought bytes; zero before it.
func (s *stamps) lastRead() Stamp { return Stamp(s.read.Load()) }

// begin starts the next exchange on the connection.
func (c *stampConn) begin() *stamps {
	s := new(stamps)
	c.now.Store(s)
	return s
}

func (c *stampConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.now.Load().read.Store(int64(c.clock.Now()))
	}
	return n, err
}

func (c *stampConn) Write(p []byte) (int, error) {
	if s := c.now.Load(); s.wrote.Load() == 0 {
		s.wrote.Store(int64(c.clock.Now()))
	}
	return c.Conn.Write(p)
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
