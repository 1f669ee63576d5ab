package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"scenario/internal/chat"
	"scenario/internal/engine"
	"scenario/internal/spec"
	"scenario/internal/target"
)

// session is one probe under way: what is known, and the replies that later steps
// look at again.
type session struct {
	client *counted
	facts  *target.Facts
	report *Report

	completion *chat.Reply // streamed; nil: none was good
	question   *chat.Reply // streamed chat; nil: none was good
	short      *shortReply
	long       *chat.Reply // to the longer prompt; nil: none was good
	ids        []int       // of the tokenizer; nil: it has none
	failures   []*chat.Reply

	// What the target refuses, and is left out from then on.
	limitField    string // the one that it takes in the place of the dialect's
	noTemperature string // its words; "": it takes one
}

// shortReply is a reply to a short question, and how it was asked for.
type shortReply struct {
	extra  []chat.Field
	tokens int  // -1: not stated
	ended  bool // by itself, not at the limit
}

// counted counts and bounds the requests.
type counted struct {
	Client
	sent int
}

// patience is how often a request is sent again when a gateway answers that there
// were too many.
const patience = 2

const tooMany = "the probe has sent as many requests as it may"

func (c *counted) Get(ctx context.Context, endpoint int, path string, limit int64) (int, http.Header, []byte, error) {
	if c.sent >= mostRequests {
		return 0, nil, nil, &chat.CallError{Failure: chat.ClientError, Message: tooMany}
	}
	c.sent++
	return c.Client.Get(ctx, endpoint, path, limit)
}

// Post waits a moment and posts again when a gateway answers that there were too
// many requests.
func (c *counted) Post(ctx context.Context, endpoint int, path string, body []byte, limit int64) (int, http.Header, []byte, error) {
	for try := 0; ; try++ {
		if c.sent >= mostRequests {
			return 0, nil, nil, &chat.CallError{Failure: chat.ClientError, Message: tooMany}
		}
		c.sent++
		status, header, answer, err := c.Client.Post(ctx, endpoint, path, body, limit)
		if status != http.StatusTooManyRequests || try == patience {
			return status, header, answer, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return status, header, answer, err
		}
	}
}

func (c *counted) Do(ctx context.Context, r *chat.Request) *chat.Reply {
	if c.sent >= mostRequests {
		return &chat.Reply{Failure: chat.ClientError, Error: tooMany, Usage: chat.Usage{PromptTokens: -1, OutputTokens: -1, CachedTokens: -1, ReasoningTokens: -1}}
	}
	reply := c.Client.Do(ctx, r)
	c.sent += max(1, reply.Attempts)
	return reply
}

// question is what is asked of the server in one request.
type question struct {
	api        chat.API
	prompt     chat.Field
	limit      int
	limitField string // "": that of the dialect
	whole      bool   // not streamed
	hot        bool   // temperature 1 in the place of 0
	extra      []chat.Field
}

// send sends one request and keeps what is odd about its reply.
func (s *session) send(ctx context.Context, q question) *chat.Reply {
	c := engine.Composer{
		Model: s.facts.Model, API: q.api, LimitField: q.limitField, Stream: !q.whole,
		Temperature: spec.Optional[float64]{Set: true}, Retries: patience,
	}
	if q.hot {
		c.Temperature.Value = 1
	}
	if s.noTemperature != "" {
		c.Temperature = spec.Optional[float64]{}
	}
	c.LimitField = cmp.Or(c.LimitField, s.limitField, s.facts.LimitField())
	request, err := c.Request(0, []chat.Field{q.prompt}, q.limit, q.extra...)
	if err != nil { // the probe's own fields do not fail
		return &chat.Reply{Failure: chat.ClientError, Error: err.Error()}
	}
	reply := s.client.Do(ctx, request)
	if reply.Failure == chat.Canceled && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reply.Failure, reply.Error = chat.Timeout, "no whole reply within the time of the step"
	}
	if reply.Failure == chat.NoFailure {
		for _, note := range reply.Notes {
			if !slices.Contains(s.report.Quirks, note) {
				s.report.Quirks = append(s.report.Quirks, note)
			}
		}
		if s.facts.SystemFingerprint == "" {
			s.facts.SystemFingerprint = reply.SystemFingerprint
		}
	}
	return reply
}

// adapt leaves out what a reply says the target does not take. It reports whether
// there was anything to leave out.
func (s *session) adapt(r *chat.Reply) bool {
	message := strings.ToLower(r.Error)
	switch {
	case r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity:
	case strings.Contains(message, "max_completion_tokens") && s.limitField == "" && s.facts.LimitField() != "max_completion_tokens":
		s.limitField = "max_completion_tokens"
		return true
	case strings.Contains(message, "temperature") && s.noTemperature == "":
		s.noTemperature = shorten(r.Error)
		return true
	}
	return false
}

// text is a completion prompt, says a chat of one message.
func text(s string) chat.Field { return chat.Field{Name: "prompt", Value: s} }

func ids(list []int) chat.Field { return chat.Field{Name: "prompt", Value: list} }

func says(s string) chat.Field {
	quoted, _ := json.Marshal(s) // a string is always valid
	return chat.Field{Name: "messages", Value: json.RawMessage(`[{"role":"user","content":` + string(quoted) + `}]`)}
}

// good reports whether the reply is whole, and keeps it otherwise.
func (s *session) good(r *chat.Reply) bool {
	if r.Failure != chat.NoFailure {
		s.failures = append(s.failures, r)
		return false
	}
	return true
}

// failed is the finding of a reply that is none: no where the server said so,
// else unknown.
func failed(r *chat.Reply) Finding {
	switch {
	case r.Failure == chat.HTTPError && (r.Status == http.StatusNotFound || r.Status == http.StatusMethodNotAllowed || r.Status == http.StatusNotImplemented):
		return Finding{No, fmt.Sprintf("the server has no such API (status %d)", r.Status)}
	case r.Failure == chat.HTTPError && (r.Status == http.StatusBadRequest || r.Status == http.StatusUnprocessableEntity):
		return Finding{No, "refused: " + shorten(r.Error)}
	}
	return Finding{Unknown, r.Failure.String() + ": " + shorten(r.Error)}
}

// usable reports whether any reply was good.
func (s *session) usable() bool { return s.completion != nil || s.question != nil }

// refusal is why the target cannot be used, though it was found.
func (s *session) refusal(o Options) string {
	if len(s.failures) == 0 {
		return "no completion came"
	}
	last := s.failures[len(s.failures)-1]
	for _, r := range s.failures { // one that names the cause, where there is one
		if r.Status != 0 && r.Status != http.StatusNotFound {
			last = r
		}
	}
	message := "the target gives no completion: " + last.Failure.String() + ": " + last.Error
	if last.Status == http.StatusUnauthorized || last.Status == http.StatusForbidden {
		if o.Target.APIKeyEnv.Empty() {
			return message + ": name the variable that holds the key with --api-key-env"
		}
		return message + ": the key in " + o.Target.APIKeyEnv.String() + " is not accepted, or not set"
	}
	return message
}

// longest is how much of a server's own words is kept, in characters.
const longest = 160

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return s
}
