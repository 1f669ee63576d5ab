package chat

import (
	"context"
	"fmt"
	"time"
)

// Do sends a request and reads its reply to the end. Whatever goes wrong is a
// Failure of the reply, which is never nil. Do returns once the reply is over,
// or soon after ctx is. The request's body must not be changed even then: a server
// that answered early may still be reading it.
func (c *Client) Do(ctx context.Context, r *Request) *Reply {
	c.spending.begin(1)
	defer c.spending.begin(-1)
	reply := c.do(ctx, r)
	c.redact(reply)
	return reply
}

func (c *Client) do(ctx context.Context, r *Request) *Reply {
	if r.Endpoint < 0 || r.Endpoint >= len(c.endpoints) || int(r.API) >= len(c.endpoints[0].urls) {
		return &Reply{
			Failure: ClientError,
			Error:   fmt.Sprintf("no base URL %d, or no API %d", r.Endpoint, r.API),
			Usage:   unknownUsage,
		}
	}
	ctx, cancel := withLimit(ctx, c.limits.Request)
	defer cancel()

	var first *Reply
	written, reconnects := Stamp(0), 0
	for n := 1; ; n++ {
		x := c.attempt(ctx, r, false)
		if written == 0 {
			written = x.reply.Written
		}
		if x.stale {
			reconnects++
			x = c.attempt(ctx, r, true)
		}
		reply := x.reply
		c.spending.add(reply)
		reply.Attempts, reply.Reconnects = n, reconnects
		if written != 0 {
			reply.Written = written
		}
		if first == nil {
			first = reply
		} else {
			reply.FirstFailure, reply.FirstError = first.Failure, first.Error
		}
		if !x.again || n > r.Retries {
			return reply
		}
		wait := retryWait(x.retryAfter, n, time.Now())
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait || r.MaxRetryWait > 0 && wait > r.MaxRetryWait {
			reply.Notes = append(reply.Notes, "not tried again: the wait of "+shortDuration(wait)+" is beyond the time the request has")
			return reply
		}
		if !sleep(ctx, wait) {
			f := causeFault(ctx)
			reply.Failure, reply.Error = f.failure, f.message+" while waiting to try again, after: "+reply.Error
			return reply
		}
	}
}

// withLimit bounds a call by the request timeout.
func withLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, &limitError{name: requestName, what: "no end", limit: limit})
}

// redact takes the secrets of the configuration out of everything a server could
// have echoed them in.
func (c *Client) redact(r *Reply) {
	for _, s := range []*string{
		&r.Error, &r.FirstError, &r.Code, &r.Content, &r.Reasoning, &r.FinishReason, &r.Model, &r.SystemFingerprint,
	} {
		*s = c.redactor.String(*s)
	}
	for i := range r.Notes {
		r.Notes[i] = c.redactor.String(r.Notes[i])
	}
	for i := range r.ToolCalls {
		call := &r.ToolCalls[i]
		call.ID, call.Name = c.redactor.String(call.ID), c.redactor.String(call.Name)
		call.Arguments = c.redactor.String(call.Arguments)
	}
}
