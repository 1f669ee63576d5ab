package chat

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// CallError says why a call of Get or Post brought no answer, or not all of one.
type CallError struct {
	Failure Failure
	Message string
}

func (e *CallError) Error() string { return e.Message }

// callLimit bounds a call of Get or Post: it is about the server, and no reason to
// wait for as long as for a reply.
const callLimit = 30 * time.Second

// Get asks a server about itself. A path with a slash in front is below the
// server's root ("/version"), which is the base URL without its version segment;
// a whole URL is asked as it is; any other path is below the base URL ("models").
// Key, headers, TLS, proxy and the connect and request timeouts are those of Do,
// the latter no longer than 30 s; key and headers go to a whole URL only if it is
// of the same scheme, host and port. At most limit bytes of the body are returned,
// as they came: they are not redacted. The error is a *CallError; one about the
// body comes with the status, the header and what was read. An answer of any
// status is no error.
func (c *Client) Get(ctx context.Context, endpoint int, path string, limit int64) (status int, header http.Header, body []byte, err error) {
	return c.call(ctx, http.MethodGet, endpoint, path, nil, limit)
}

// Post is Get with a JSON body. It is not repeated, except on a fresh connection
// when a kept one turns out to have been closed.
func (c *Client) Post(ctx context.Context, endpoint int, path string, body []byte, limit int64) (status int, header http.Header, answer []byte, err error) {
	return c.call(ctx, http.MethodPost, endpoint, path, body, limit)
}

func (c *Client) call(ctx context.Context, method string, endpoint int, path string, body []byte, most int64) (int, http.Header, []byte, error) {
	if endpoint < 0 || endpoint >= len(c.endpoints) {
		return 0, nil, nil, &CallError{ClientError, fmt.Sprintf("no base URL %d", endpoint)}
	}
	limit := c.limits.Request
	if limit <= 0 || limit > callLimit {
		limit = callLimit
	}
	ctx, cancel := withLimit(ctx, limit)
	defer cancel()
	e := c.endpoints[endpoint]
	target, redactor := resource(e.base, path), (*Redactor)(nil)
	if elsewhere, ok := wholeURL(path); ok {
		e, redactor = beside(e, elsewhere)
		bare := *elsewhere
		bare.User, bare.Fragment = nil, ""
		target = &bare
	}
	status, header, answer, x := c.callOnce(ctx, newRequest(method, e, target, body), most, c.aside)
	if x.stale {
		status, header, answer, x = c.callOnce(ctx, newRequest(method, e, target, body), most, c.fresh)
	}
	if x.fault != nil {
		return status, header, answer, &CallError{x.fault.failure, redactor.String(c.redactor.String(x.fault.message))}
	}
	return status, header, answer, nil
}

func (c *Client) callOnce(ctx context.Context, req *http.Request, limit int64, via *http.Transport) (int, http.Header, []byte, *exchange) {
	x, ctx, done := c.newExchange(ctx)
	defer done()
	resp, err := x.open(ctx, req, via, false)
	if err != nil {
		x.fail(ctx, err)
		return 0, nil, nil, x
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp.StatusCode, resp.Header, nil, x // what follows is no HTTP
	}
	plain, coding := plainBody(resp)
	if coding != "" {
		x.fault = broken("the body is encoded as %s, which was not asked for", coding)
		return resp.StatusCode, resp.Header, nil, x
	}
	body, err := io.ReadAll(io.LimitReader(plain, limit+1))
	switch {
	case int64(len(body)) > limit:
		body = body[:limit]
		x.fault = broken("the body is longer than %d bytes", limit)
	case err != nil:
		x.fault = x.cut(ctx, err)
	}
	return resp.StatusCode, resp.Header, body, x
}

// wholeURL is the URL that a path is, if it is one.
func wholeURL(path string) (*url.URL, bool) {
	if !strings.HasPrefix(path, "http://") && !strings.HasPrefix(path, "https://") {
		return nil, false
	}
	u, err := url.Parse(path)
	return u, err == nil && u.Host != ""
}

// beside is an endpoint for a URL that need not be of the same server, and what
// takes the URL's own secrets out of messages.
func beside(e endpoint, u *url.URL) (endpoint, *Redactor) {
	if u.Scheme != e.base.Scheme || addressOf(u) != addressOf(e.base) {
		header := http.Header{}
		for _, name := range []string{"Accept", "Accept-Encoding", "User-Agent"} {
			header[name] = e.header[name]
		}
		e.header, e.host = header, ""
	}
	if u.User != nil {
		password, _ := u.User.Password()
		e.header = e.header.Clone()
		e.header.Set("Authorization", basicAuth(u.User.Username(), password))
	}
	return e, NewRedactor(secretsOf(Config{BaseURLs: []*url.URL{u}}))
}

// resource is the URL that a path of Get means.
func resource(base *url.URL, path string) *url.URL {
	if strings.HasPrefix(path, "/") {
		return below(serverRoot(base), path)
	}
	return below(base, "/"+path)
}
