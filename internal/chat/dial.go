package chat

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"
)

// idleConnTimeout is how long a connection is kept without a request. It is
// below what servers keep theirs for (5 s is the shortest in use), so that one
// is not written to just as the server closes it.
const idleConnTimeout = 1500 * time.Millisecond

// transport makes a transport that speaks HTTP/1.1 only, keeps every connection
// it has opened, and neither decompresses nor asks for compression.
func (c *Client) transport(proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:               proxy,
		DialContext:         c.dial,
		DialTLSContext:      c.dialTLS,
		TLSClientConfig:     c.tls, // for a server behind a proxy
		TLSHandshakeTimeout: c.limits.Connect,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 1 << 20,
		IdleConnTimeout:     idleConnTimeout,
		Protocols:           protocols,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
			if r.StatusCode != http.StatusOK {
				return &proxyRefusal{status: r.StatusCode}
			}
			return nil
		},
	}
}

func clientTLS(cfg *tls.Config) *tls.Config {
	if cfg == nil {
		cfg = new(tls.Config)
	}
	cfg = cfg.Clone()
	cfg.NextProtos = []string{"http/1.1"}
	return cfg
}

// attemptKey is the key of the context of the attempt that a dial is for. The
// transport gives a dial a context that outlives the attempt.
type attemptKey struct{}

// dialLimit bounds the opening of a connection by the connect timeout and by the
// attempt it is for.
func (c *Client) dialLimit(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stopTimer := func() bool { return true }
	if c.limits.Connect > 0 {
		stopTimer = time.AfterFunc(c.limits.Connect, func() { cancel(c.connectLimit()) }).Stop
	}
	stopAttempt := func() bool { return true }
	if attempt, ok := ctx.Value(attemptKey{}).(context.Context); ok {
		stopAttempt = context.AfterFunc(attempt, func() { cancel(context.Cause(attempt)) })
	}
	return ctx, func() {
		stopTimer()
		stopAttempt()
		cancel(nil)
	}
}

func (c *Client) connectLimit() *limitError {
	return &limitError{name: connectName, what: "no connection", limit: c.limits.Connect}
}

func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, done := c.dialLimit(ctx)
	defer done()
	return c.open(ctx, network, address, nil)
}

// dialEndpoint opens a connection of our own to an endpoint, TLS included. Only
// what arrives in plain is stamped by the kernel.
func (c *Client) dialEndpoint(ctx context.Context, e *endpoint) (net.Conn, error) {
	if e.base.Scheme == "https" {
		return c.dialTLS(ctx, "tcp", e.address)
	}
	ctx, done := c.dialLimit(ctx)
	defer done()
	return c.open(ctx, "tcp", e.address, c.kernel)
}

func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, done := c.dialLimit(ctx)
	defer done()
	conn, err := c.open(ctx, network, address, nil)
	if err != nil {
		return nil, err
	}
	cfg := c.tls
	if cfg.ServerName == "" {
		cfg = cfg.Clone()
		cfg.ServerName, _, _ = net.SplitHostPort(address)
	}
	secure := tls.Client(conn, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, dialError(ctx, err)
	}
	return secure, nil
}

// open dials and puts the stamps under everything that is built on the connection.
func (c *Client) open(ctx context.Context, network, address string, kernel *kernelTime) (net.Conn, error) {
	start := c.clock.Now()
	conn, err := c.dialer(ctx, network, address)
	if err != nil {
		return nil, dialError(ctx, err)
	}
	return newStampConn(conn, c.clock, kernel, c.clock.Now().Sub(start)), nil
}

// dialError prefers what ended the context to the error that came of it.
func dialError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
