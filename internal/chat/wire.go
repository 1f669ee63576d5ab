package chat

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	// wireBuffer is the read buffer of a connection: events are small, and one
	// usually comes alone.
	wireBuffer = 2 << 10
	// maxHeader bounds the header of a response.
	maxHeader = 1 << 20
	// maxInterim bounds the 1xx responses before the real one.
	maxInterim = 8
	// concurrentBody is the size from which a request's body is written beside the
	// reading of the response, so that a server that answers before it has read
	// all of it is heard.
	concurrentBody = 64 << 10
	// lastWords is how long a response is waited for on a connection that could
	// not be written to: servers refuse a body by an answer and a close.
	lastWords = 50 * time.Millisecond
)

// wire is one connection to an endpoint. It is owned: by the pool while it is
// idle, by one exchange while it is in use. So it needs no goroutine of its own.
type wire struct {
	conn  net.Conn   // what is spoken on: the connection, or TLS over it
	stamp *stampConn // under it
	head  headLimit
	br    *bufio.Reader

	used  bool      // has carried an exchange
	since time.Time // idle from then on
}

func newWire(conn net.Conn) *wire {
	w := &wire{conn: conn, stamp: stampUnder(conn)}
	w.head.r, w.head.left = conn, -1
	w.br = bufio.NewReaderSize(&w.head, wireBuffer)
	return w
}

// stampUnder is the stampConn under conn and its layer of TLS.
func stampUnder(conn net.Conn) *stampConn {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return conn.(*stampConn)
}

// headLimit bounds what is read of a header; negative is no bound.
type headLimit struct {
	r    io.Reader
	left int
}

var errHeaderTooLong = errors.New("the header is too long")

func (l *headLimit) Read(p []byte) (int, error) {
	if l.left < 0 {
		return l.r.Read(p)
	}
	if l.left == 0 {
		return 0, errHeaderTooLong
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// abort ends whatever is waited for on the wire, now and from now on.
func (w *wire) abort() { w.conn.SetDeadline(time.Unix(1, 0)) }

// roundTrip writes a request and reads the header of the response. first is
// called when the response's first byte has been read. The body of the response
// must be closed; until then the wire is in use. keep takes the wire back after
// that if it can carry another exchange.
func (w *wire) roundTrip(ctx context.Context, head, body []byte, keep func(*wire), first func()) (*http.Response, error) {
	b := &wireBody{wire: w, keep: keep}
	b.unwatch = context.AfterFunc(ctx, w.abort)
	err := b.write(head, body)
	if err != nil && ctx.Err() != nil {
		b.Close()
		return nil, err
	}
	if err != nil {
		w.conn.SetReadDeadline(time.Now().Add(lastWords))
	}
	resp, readErr := w.response(first)
	if readErr != nil {
		b.Close()
		if err != nil {
			return nil, err
		}
		return nil, readErr
	}
	if err != nil {
		w.conn.SetReadDeadline(time.Time{})
		if ctx.Err() != nil {
			w.abort()
		}
		b.spoilt = true
	}
	b.body = resp.Body
	if len(resp.TransferEncoding) > 0 && resp.Body != http.NoBody { // chunked: net/http refuses any other
		b.body = &chunkedBody{r: w.br}
	}
	b.spoilt = b.spoilt || resp.Close || resp.StatusCode < http.StatusOK
	resp.Body = b
	return resp, nil
}

// response reads headers until the one of the real response.
func (w *wire) response(first func()) (*http.Response, error) {
	if _, err := w.br.Peek(1); err != nil {
		return nil, err
	}
	first()
	for range maxInterim {
		w.head.left = maxHeader
		resp, err := http.ReadResponse(w.br, posted)
		w.head.left = -1
		if err != nil {
			return nil, err
		}
		if resp.StatusCode/100 != 1 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, nil
		}
	}
	return nil, errors.New("too many 1xx responses")
}

// posted tells http.ReadResponse the method that a response answers.
var posted = &http.Request{Method: http.MethodPost}

// wireBody is the body of a response, and the end of the exchange on its wire.
type wireBody struct {
	wire    *wire
	body    io.Reader
	unwatch func() bool // false: the wire was aborted
	keep    func(*wire) // takes the wire back
	written chan error  // of a body that is written beside the reading
	ended   bool        // the body was read to its end
	spoilt  bool        // the connection can't carry another exchange
	closed  bool
}

// write writes the request, beside the reading of the response if it is long.
func (b *wireBody) write(head, body []byte) error {
	if len(body) < concurrentBody {
		return b.wire.stamp.writeTo(b.wire.conn, head, body)
	}
	b.written = make(chan error, 1)
	go func() { b.written <- b.wire.stamp.writeTo(b.wire.conn, head, body) }()
	return nil
}

func (b *wireBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if err == io.EOF {
		b.ended = true
	}
	return n, err
}

// Close gives the wire back if it can be used again, and closes it otherwise. It
// returns when nothing of the exchange is under way any more.
func (b *wireBody) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	watched := b.unwatch()
	sent := true
	if b.written != nil {
		select {
		case err := <-b.written:
			sent = err == nil
		default:
			b.wire.conn.Close()
			<-b.written
			return nil
		}
	}
	if watched && sent && b.ended && !b.spoilt && b.keep != nil && b.wire.br.Buffered() == 0 {
		b.keep(b.wire)
		return nil
	}
	return b.wire.conn.Close()
}
