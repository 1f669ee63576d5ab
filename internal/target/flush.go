package target

import (
	"context"
	"fmt"
	"net/http"

	"scenario/internal/chat"
)

// Poster is a client that can also post.
type Poster interface {
	Client
	Post(ctx context.Context, endpoint int, path string, body []byte, limit int64) (status int, header http.Header, answer []byte, err error)
}

// flushPaths are where servers take an order to empty their prefix cache.
var flushPaths = map[string]string{"vllm": "/reset_prefix_cache", "sglang": "/flush_cache"}

// FlushError says why a prefix cache was not emptied.
type FlushError struct {
	Message string
	// Busy means that the server may do it when it has nothing else to do.
	Busy bool
}

func (e *FlushError) Error() string { return e.Message }

// Flush orders the server behind an endpoint to empty its prefix cache. Nothing is
// ordered while it works for someone, as far as its counters tell. That it took
// the order is no proof that it did it: vLLM says the same in either case. The
// error is a *FlushError, or ctx's.
func Flush(ctx context.Context, client Poster, facts *Facts, endpoint int) error {
	path, ok := flushPaths[facts.Server]
	if !ok {
		return &FlushError{Message: fmt.Sprintf("of a server of kind %s no way is known to empty its prefix cache", facts.Server)}
	}
	if n := working(ctx, client, facts, endpoint); n > 0 {
		return &FlushError{fmt.Sprintf("the server works on %.0f requests that are not of this run", n), true}
	}
	status, _, body, err := client.Post(ctx, endpoint, path, nil, 1<<16)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &FlushError{Message: fmt.Sprintf("POST %s: %s", path, err)}
	case status == http.StatusOK:
		return nil
	case status == http.StatusNotFound && facts.Server == "vllm":
		return &FlushError{Message: "vLLM has POST " + path + " only where it was started with VLLM_SERVER_DEV_MODE=1"}
	}
	return &FlushError{fmt.Sprintf("POST %s answers %d: %s", path, status, chat.OneLine(string(body), 200)), status == http.StatusBadRequest}
}

// working is how many requests a server has at this moment; 0 where it does not say.
func working(ctx context.Context, client Client, facts *Facts, endpoint int) float64 {
	n := 0.0
	for _, at := range facts.MetricsAt {
		if at.Endpoint != endpoint {
			continue
		}
		c, err := Read(ctx, client, at)
		if err != nil {
			continue
		}
		running, _ := c.Running.Number()
		waiting, _ := c.Waiting.Number()
		n += running + waiting
	}
	return n
}
