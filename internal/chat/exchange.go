package chat

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

const (
	// readSize is one read of a body: as much as a connection buffers.
	readSize = wireBuffer
	// maxErrorBody bounds what is read of the body of an HTTP error.
	maxErrorBody = 64 << 10
	// linger is how long the rest of an error is waited for, and lingerDone how
	// long the end of a response after [DONE]: a load waits for it.
	linger     = time.Second
	lingerDone = 20 * time.Millisecond
	// staleWindow is how soon after the write a kept connection must break for
	// it to have been closed by the server before it read the request; or twice
	// what it took to open, if that is longer. What took more may have been lost
	// by a server that had the request.
	staleWindow = 10 * time.Millisecond
)

// errLingered ends a response that was not closed in time and is not missed.
var errLingered = errors.New("the server left the response open")

// exchange is one attempt at a request.
type exchange struct {
	client *Client
	reply  *Reply
	watch  watch

	stamps *stamps // nil: no connection
	reused bool
	first  atomic.Int64 // stamp of the first byte of the response

	fault      *fault
	again      bool // a retry may help
	stale      bool // lost on a kept connection: to be sent on a fresh one
	retryAfter string
}

// newExchange begins an exchange under a context that its watch can end. done
// must be called when it is over.
func (c *Client) newExchange(ctx context.Context) (x *exchange, inner context.Context, done func()) {
	inner, cancel := context.WithCancelCause(ctx)
	x = &exchange{client: c, reply: &Reply{Usage: unknownUsage}}
	x.watch.clock, x.watch.cancel = c.clock, cancel
	return x, inner, func() {
		x.watch.stop()
		cancel(nil)
	}
}

// attempt sends the request once, on a fresh connection if it must be one, and
// reads what comes back.
func (c *Client) attempt(ctx context.Context, r *Request, fresh bool) *exchange {
	x, ctx, done := c.newExchange(ctx)
	defer done()
	resp, err := x.send(ctx, r, fresh)
	switch {
	case err != nil:
		x.fail(ctx, err)
	case resp.StatusCode != http.StatusOK:
		x.refused(ctx, resp)
	default:
		x.read(ctx, resp, r.Stream)
	}
	x.finish()
	return x
}

// send writes the request and waits for the header of the response.
func (x *exchange) send(ctx context.Context, r *Request, fresh bool) (*http.Response, error) {
	c := x.client
	e := &c.endpoints[r.Endpoint]
	if !e.proxied {
		return x.sendOwned(ctx, e, r, fresh)
	}
	req := newRequest(http.MethodPost, *e, e.urls[r.API], r.Body)
	via := c.kept
	if r.Stream {
		req.Header = e.stream
	}
	if fresh {
		via = c.fresh
	}
	return x.open(ctx, req, via, r.Stream)
}

// sendOwned sends the request on a connection of our own.
func (x *exchange) sendOwned(ctx context.Context, e *endpoint, r *Request, fresh bool) (*http.Response, error) {
	c := x.client
	start := c.clock.Now()
	x.watch.enter(c.limits.Connect, func() Stamp { return start }, c.connectLimit())
	var w *wire
	if !fresh {
		w = e.wires.take()
	}
	if w == nil {
		conn, err := c.dialEndpoint(ctx, e)
		if err != nil {
			return nil, err
		}
		w = newWire(conn)
	}
	x.stamps, x.reused = w.stamp.begin(), w.used
	w.used = true
	x.enterFirstToken(r.Stream)
	head := e.heads[r.API][0]
	if r.Stream {
		head = e.heads[r.API][1]
	}
	head = append(strconv.AppendInt(append(make([]byte, 0, len(head)+24), head...), int64(len(r.Body)), 10), "\r\n\r\n"...)
	return w.roundTrip(ctx, head, r.Body, e.wires.give, func() { x.first.Store(int64(x.stamps.lastRead())) })
}

// enterFirstToken bounds the wait that begins with the write of the request.
func (x *exchange) enterFirstToken(stream bool) {
	limit := x.client.limits.FirstToken
	if !stream {
		limit = 0
	}
	x.watch.enter(limit, x.stamps.written, &limitError{name: firstTokenName, what: "no token", limit: limit})
}

// newRequest builds an HTTP request. It has no way to read the body again, so the
// transport cannot send it twice.
func newRequest(method string, e endpoint, target *url.URL, body []byte) *http.Request {
	req := &http.Request{Method: method, URL: target, Host: e.host, Header: e.header}
	if len(body) > 0 {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return req
}

// open is send through a transport.
func (x *exchange) open(ctx context.Context, req *http.Request, via *http.Transport, stream bool) (*http.Response, error) {
	c := x.client
	start := c.clock.Now()
	x.watch.enter(c.limits.Connect, func() Stamp { return start }, c.connectLimit())
	trace := &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			x.stamps, x.reused = beginOn(info.Conn), info.Reused || info.WasIdle
			x.enterFirstToken(stream)
		},
		GotFirstResponseByte: func() { x.first.Store(int64(x.stamps.lastRead())) },
	}
	ctx = context.WithValue(httptrace.WithClientTrace(ctx, trace), attemptKey{}, ctx)
	return via.RoundTrip(req.WithContext(ctx))
}

// fail explains an exchange that brought no response.
func (x *exchange) fail(ctx context.Context, err error) {
	if x.fault = causeFault(ctx); x.fault != nil {
		err = context.Cause(ctx)
	} else {
		x.fault = ownFault(err)
	}
	var limit *limitError
	switch {
	case errors.As(err, &limit):
		x.fault = limit.fault()
		x.again = limit.name == connectName
	case x.fault != nil:
	case x.stamps == nil:
		var permanent bool
		x.fault, permanent = connectFault(err)
		x.again = !permanent
	case tlsText(err) != "":
		x.fault = &fault{failure: ConnectError, message: tlsText(err)}
	case x.first.Load() == 0 && isLost(err):
		x.fault = broken("%s before the first byte of the reply", lostText(err))
		x.again = true
		written := x.stamps.written()
		x.stale = x.reused && (written == 0 || x.client.clock.Now().Sub(written) < max(staleWindow, 2*x.stamps.dialled))
	default:
		x.fault = broken("%s", lostText(err))
	}
}

// read reads a response with status 200 to its end.
func (x *exchange) read(ctx context.Context, resp *http.Response, stream bool) {
	defer resp.Body.Close()
	x.reply.Status = resp.StatusCode
	d := newDecoder(resp.Header.Get("Content-Type"), stream)
	defer d.answer.write(x.reply)
	body, coding := plainBody(resp)
	if coding != "" {
		x.fault = broken("the body is encoded as %s, which was not asked for", coding)
		return
	}
	if _, zipped := body.(*gunzip); zipped {
		d.answer.notes.add("the server compressed the reply, although it was not asked to")
	}
	err := x.decode(d, body)
	if d.fault == nil {
		d.end(x.cut(ctx, err))
	}
	x.fault = d.fault
	if err == io.EOF && (resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0) {
		x.reply.Closed = x.stamps.lastRead()
	}
}

// decode feeds the decoder until the body ends or the decoder has had enough,
// and moves on to the timeouts that the progress of the stream calls for.
func (x *exchange) decode(d *decoder, body io.Reader) error {
	limits := x.client.limits
	buf := make([]byte, readSize)
	begun, ended := false, false
	for {
		n, err := body.Read(buf)
		at, before := x.stamps.lastRead(), len(d.answer.events)
		d.feed(buf[:n], at)
		if len(d.answer.events) > before && x.stamps.lastByKernel() {
			x.client.lags.add(x.client.clock.Now().Sub(at))
		}
		if x.reply.FirstParsed == 0 && len(d.answer.events) > 0 {
			x.reply.FirstParsed = x.client.clock.Now()
		}
		if err != nil || d.fault != nil {
			return err
		}
		if a := &d.answer; a.done && !ended {
			ended = true
			at := x.stamps.lastRead()
			x.watch.enter(lingerDone, func() Stamp { return at }, errLingered)
		} else if len(a.events) > 0 && !begun && !a.done {
			begun = true
			x.watch.enter(limits.Idle, x.stamps.lastRead, &limitError{name: idleName, what: "nothing came", limit: limits.Idle})
		}
	}
}

// cut is the fault of a body that did not end cleanly; nil for one that did.
func (x *exchange) cut(ctx context.Context, err error) *fault {
	if err == io.EOF {
		return nil
	}
	if context.Cause(ctx) == errLingered {
		return broken("%s", errLingered)
	}
	if f := causeFault(ctx); f != nil {
		return f
	}
	if f := ownFault(err); f != nil {
		return f
	}
	return broken("%s", lostText(err))
}

// finish writes what is known of every exchange into the reply.
func (x *exchange) finish() {
	r := x.reply
	if f := x.fault; f != nil {
		r.Failure, r.Error, r.Code = f.failure, f.message, f.code
	}
	r.FirstByte = Stamp(x.first.Load())
	if x.stamps == nil {
		return
	}
	r.Written = x.stamps.written()
	r.KernelReads, r.OtherReads = int(x.stamps.byKernel.Load()), int(x.stamps.byRead.Load())
	if r.Closed == 0 && r.Written != 0 {
		r.Closed = x.client.clock.Now()
	}
}
