package chat

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// refused reads a response with another status than 200.
func (x *exchange) refused(ctx context.Context, resp *http.Response) {
	defer resp.Body.Close()
	x.reply.Status = resp.StatusCode
	x.retryAfter = resp.Header.Get("Retry-After")
	now := x.client.clock.Now()
	x.watch.enter(linger, func() Stamp { return now }, errLingered)
	body, coding := plainBody(resp)
	var said serverError
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		said.message = "what follows is no HTTP"
	case coding != "":
		said.message = "the body is encoded as " + coding
	default:
		// What could not be read is not missed: the status is known.
		data, _ := io.ReadAll(io.LimitReader(body, maxErrorBody))
		said = errorInBody(data)
	}
	if f := causeFault(ctx); f != nil && f.failure == Canceled {
		x.fault = f
		return
	}
	if resp.StatusCode/100 == 3 {
		said.message = redirectText(resp.Header.Get("Location"), said.message)
	}
	x.fault = &fault{failure: HTTPError, message: statusText(resp.StatusCode, said.message), code: said.code}
	x.again = isTransient(resp.StatusCode)
}

func statusText(status int, message string) string {
	text := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, http.StatusText(status)))
	if message == "" {
		return text
	}
	return text + ": " + message
}

// redirectText names the target of a redirect, which is not followed.
func redirectText(location, message string) string {
	target, err := url.Parse(location)
	if location == "" || err != nil {
		return message
	}
	return "redirects are not followed; this one leads to " + OneLine(Redacted(target), maxMessage)
}
