// Package chat is the streaming client of an OpenAI-compatible server. In goes a
// Request, whose body is ready to be written; out comes a Reply: the text, the
// tool calls and the counts the server sent, and the moments they arrived at.
//
// A reply's life, and the files that tell it:
//
//	do.go, retry.go    attempts, and the waits between them
//	exchange.go, …     one attempt: write, read, and the fault if there is one
//	wire.go, wires.go  connections that are owned, and the pool of idle ones
//	dial.go            how they are opened; requests through a proxy
//	conn.go, …         the stamps of writes and reads (kerneltime.go, receive_*.go)
//	watch.go           the timeouts
//	decoder.go, sse.go bytes to events, wherever the reads split them
//	answer.go, …       events to text, reasoning, tool calls and usage
//	judge.go           was it complete?
//	redact.go          no secret of the configuration in what comes out
//
// Nothing a server sends makes Do fail in another way than by a Failure in the
// reply, and nothing that a server left out is filled in.
package chat

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config says where requests go and how.
type Config struct {
	BaseURLs  []*url.URL                            // as ParseBaseURL returns them; Request.Endpoint chooses
	Key       string                                // empty: none is sent
	KeyHeader string                                // the header for Key; empty: Authorization, as a bearer token
	Headers   map[string]string                     // sent with every request; they win over the client's own
	TLS       *tls.Config                           // nil: the defaults
	Proxy     func(*http.Request) (*url.URL, error) // nil: none
	Timeouts  Timeouts
	// Dial opens connections; nil stands for a net.Dialer.
	Dial      func(ctx context.Context, network, address string) (net.Conn, error)
	Clock     Clock  // nil: NewClock()
	UserAgent string // empty: "scenario"
	// ReadStamps stamps every arrival after the read, even where the kernel
	// would say when it received it.
	ReadStamps bool
}

// Timeouts bound a request. Zero is no bound.
type Timeouts struct {
	Connect    time.Duration // dial and TLS handshake
	FirstToken time.Duration // from the write of a streamed request to its first token event
	Idle       time.Duration // after the first token event, between two reads that bring bytes
	Request    time.Duration // the whole call, with its retries and the waits between them
}

// Client sends requests. It is safe for concurrent use, and keeps as many
// connections as requests were in flight at once.
type Client struct {
	endpoints []endpoint
	tls       *tls.Config
	limits    Timeouts
	dialer    func(ctx context.Context, network, address string) (net.Conn, error)
	clock     Clock
	redactor  *Redactor

	kernel *kernelTime // nil: arrivals are stamped after the read
	lags   lags

	spending spending

	// Requests through a proxy, and calls that are not measured: these have
	// connections of their own, so that none waits for one that they took.
	kept  *http.Transport // keeps connections alive between requests
	fresh *http.Transport // opens one for each request
	aside *http.Transport // keeps connections alive between calls of Get and Post
}

// endpoint is one base URL with all that is the same for every request to it.
type endpoint struct {
	base   *url.URL
	urls   [2]*url.URL // by API
	host   string      // for the Host header; empty: that of the URL
	header http.Header
	stream http.Header // header, for a streamed reply

	proxied bool         // its requests go through a transport
	address string       // host:port to dial
	heads   [2][2][]byte // what a request begins with, by API and by whether it is streamed
	wires   *wires
}

// New makes a client. It fails on a configuration that no request could be made
// with; the error names the setting and never its value.
func New(cfg Config) (*Client, error) {
	if len(cfg.BaseURLs) == 0 {
		return nil, errors.New("no base URL")
	}
	c := &Client{
		tls:      clientTLS(cfg.TLS),
		limits:   cfg.Timeouts,
		dialer:   cfg.Dial,
		clock:    cfg.Clock,
		redactor: NewRedactor(secretsOf(cfg)),
	}
	if c.clock == nil {
		c.clock = NewClock()
	}
	if c.dialer == nil {
		c.dialer = new(net.Dialer).DialContext
	}
	if real, ok := c.clock.(interface{ wall() (Stamp, int64) }); ok && !cfg.ReadStamps {
		c.kernel = newKernelTime(real.wall)
	}
	for i, base := range cfg.BaseURLs {
		e, err := newEndpoint(cfg, base)
		if err != nil {
			return nil, fmt.Errorf("base URL %d: %w", i, err)
		}
		c.endpoints = append(c.endpoints, e)
	}
	c.kept, c.fresh, c.aside = c.transport(cfg.Proxy), c.transport(cfg.Proxy), c.transport(cfg.Proxy)
	c.fresh.MaxIdleConnsPerHost = -1
	return c, nil
}

// Redactor takes this client's secrets out of what is written elsewhere.
func (c *Client) Redactor() *Redactor { return c.redactor }

// Close closes the connections that are kept. Calls must have returned before.
func (c *Client) Close() {
	c.kept.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
	c.aside.CloseIdleConnections()
	for _, e := range c.endpoints {
		e.wires.close()
	}
}

func newEndpoint(cfg Config, base *url.URL) (endpoint, error) {
	if base == nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return endpoint{}, errors.New("not a URL of ParseBaseURL")
	}
	e := endpoint{base: base}
	for api := range e.urls {
		u, err := url.Parse(URLFor(base, API(api)))
		if err != nil {
			return endpoint{}, errors.New("not a URL of ParseBaseURL")
		}
		e.urls[api] = u
	}
	header, err := newHeader(cfg, base)
	if err != nil {
		return endpoint{}, err
	}
	if e.host = header.Get("Host"); e.host != "" {
		header.Del("Host")
	}
	e.header, e.stream = header, header.Clone()
	if header.Get("Accept") == "" {
		e.header.Set("Accept", "application/json")
		e.stream.Set("Accept", "text/event-stream, application/json")
	}
	e.wires = new(wires)
	e.proxied = needsTransport(cfg, base)
	e.address = addressOf(base)
	for api, u := range e.urls {
		e.heads[api] = [2][]byte{requestHead(u, e.host, e.header), requestHead(u, e.host, e.stream)}
	}
	return e, nil
}

// needsTransport reports whether requests to a base URL go through a proxy, or to
// a host name that must be translated first.
func needsTransport(cfg Config, base *url.URL) bool {
	if strings.IndexFunc(base.Host, func(r rune) bool { return r >= 0x80 }) >= 0 {
		return true
	}
	if cfg.Proxy == nil {
		return false
	}
	proxy, err := cfg.Proxy(&http.Request{Method: http.MethodPost, URL: base, Header: http.Header{}})
	return proxy != nil || err != nil
}

// addressOf is the host and port of a URL.
func addressOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// requestHead is a request up to the value of its Content-Length.
func requestHead(u *url.URL, host string, header http.Header) []byte {
	if host == "" {
		host = u.Host
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\n", u.RequestURI(), host)
	header.Write(&b) // header names and values have been checked
	b.WriteString("Content-Length: ")
	return b.Bytes()
}

func newHeader(cfg Config, base *url.URL) (http.Header, error) {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	// A compressed stream would arrive in lumps.
	h.Set("Accept-Encoding", "identity")
	h.Set("User-Agent", "scenario")
	if cfg.UserAgent != "" {
		h.Set("User-Agent", cfg.UserAgent)
	}
	switch {
	case cfg.Key != "" && cfg.KeyHeader != "":
		if !isHeaderName(cfg.KeyHeader) {
			return nil, fmt.Errorf("%q is not a header name", cfg.KeyHeader)
		}
		h.Set(cfg.KeyHeader, cfg.Key)
	case cfg.Key != "":
		h.Set("Authorization", "Bearer "+cfg.Key)
	case base.User != nil:
		password, _ := base.User.Password()
		h.Set("Authorization", basicAuth(base.User.Username(), password))
	}
	if !isHeaderValue(cfg.Key) {
		return nil, errors.New("the key has a line break or another control character")
	}
	for name, value := range cfg.Headers {
		if !isHeaderName(name) {
			return nil, fmt.Errorf("%q is not a header name", name)
		}
		if !isHeaderValue(value) {
			return nil, fmt.Errorf("the value of header %s has a line break or another control character", name)
		}
		h.Set(name, value)
	}
	return h, nil
}

func basicAuth(user, password string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return r.Header.Get("Authorization")
}

// isHeaderName reports whether s is a token of RFC 9110, section 5.6.2.
func isHeaderName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}

func isHeaderValue(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }) < 0
}
