//go:build !(linux && (amd64 || arm64 || riscv64 || ppc64le || loong64 || s390x))

package nullserver

import "net"

// arrivals reads a connection and knows when it did so last.
type arrivals struct {
	conn net.Conn
	last int64 // as Now
}

func newArrivals(conn net.Conn) *arrivals { return &arrivals{conn: conn} }

// Read implements io.Reader.
func (a *arrivals) Read(p []byte) (int, error) {
	n, err := a.conn.Read(p)
	a.last = Now()
	return n, err
}
