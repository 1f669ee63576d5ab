// Package probe finds out what an unknown server can do. In goes a client and
// what is known of the target; out comes a Report: what the server is, which APIs
// it has, what it honours, what it reports, and what scenarios can run on it.
// Each answer rests on a small request that was really sent, and on what came of
// it: that a server accepts a field proves nothing.
//
// A question is a Step. To ask another one, write its function beside those of
// its group (step_*.go) and add a line to Steps.
package probe

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"scenario/internal/chat"
	"scenario/internal/spec"
	"scenario/internal/target"
)

// Schema names the form of a Report.
const Schema = "scenario-probe/1"

const (
	// stepTime bounds a step, with all its requests.
	stepTime = 30 * time.Second
	// mostRequests bounds the whole probe.
	mostRequests = 60
)

// Client is what the probe needs of the client.
type Client interface {
	target.Client
	Post(ctx context.Context, endpoint int, path string, body []byte, limit int64) (status int, header http.Header, answer []byte, err error)
	Do(ctx context.Context, r *chat.Request) *chat.Reply
}

// Answer is what a step found.
type Answer string

// The answers. Unknown is no answer: the step failed, was cut short, or what came
// decides nothing.
const (
	Yes     Answer = "yes"
	No      Answer = "no"
	Unknown Answer = "unknown"
)

// Finding is the answer to one question.
type Finding struct {
	Answer Answer `json:"answer" doc:"yes, no, or unknown"`
	Detail string `json:"detail,omitempty" doc:"what was seen"`
}

// Report is all that a probe found out.
type Report struct {
	Schema   string             `json:"schema" doc:"scenario-probe/1"`
	URL      string             `json:"url" doc:"the base URL, without user, password and query values"`
	Usable   bool               `json:"usable" doc:"a completion works"`
	Reason   string             `json:"reason,omitempty" doc:"why the target is not usable"`
	Cut      bool               `json:"cut,omitempty" doc:"the time was over before the last step"`
	Requests int                `json:"requests" doc:"requests sent, all kinds together"`
	Seconds  float64            `json:"seconds" doc:"how long it took"`
	Target   *target.Facts      `json:"target" doc:"what the server says of itself; null: it was never reached"`
	Metrics  []string           `json:"metrics,omitempty" doc:"the metrics that the server's counters are read from"`
	Findings map[string]Finding `json:"findings" doc:"the answers, by the id of the step"`
	Quirks   []string           `json:"quirks,omitempty" doc:"what is odd about the replies"`
	Kinds    []KindAdvice       `json:"kinds,omitempty" doc:"which kinds of workload can run on the target"`
	Advice   []string           `json:"advice,omitempty" doc:"what a scenario for the target should set, or its operator"`
}

// Options are what the probe is told of the target.
type Options struct {
	Target  *spec.Target
	BaseURL string            // as it may be printed
	OnStep  func(name string) // called before each step; nil: nobody watches
}

// Run probes the target until it has asked everything or ctx is over. The error
// is ctx's, if ctx was canceled; a report is returned even then.
func Run(ctx context.Context, client Client, o Options) (*Report, error) {
	began := time.Now()
	r := &Report{Schema: Schema, URL: o.BaseURL, Findings: map[string]Finding{}}
	s := &session{client: &counted{Client: client}, report: r}
	s.find(ctx, o)
	if r.Target != nil {
		s.ask(ctx, o)
	}
	r.Requests, r.Seconds = s.client.sent, time.Since(began).Seconds()
	if r.Usable {
		r.advise()
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return r, ctx.Err()
	}
	return r, nil
}

// find asks the server what it is.
func (s *session) find(ctx context.Context, o Options) {
	o.step("what it is")
	facts, err := target.Discover(ctx, s.client, o.Target, []string{o.BaseURL})
	if err != nil {
		s.report.Reason = err.Error()
		if o.Target.APIKeyEnv.Empty() && strings.Contains(err.Error(), "target.api_key_env") {
			s.report.Reason += " (here: --api-key-env)"
		}
		if ctx.Err() != nil {
			s.report.Reason = "the target did not answer in time"
		}
		return
	}
	s.facts, s.report.Target = facts, facts
	if len(facts.MetricsAt) > 0 {
		if c, err := target.Read(ctx, s.client, facts.MetricsAt[0]); err == nil {
			s.report.Metrics = c.Names()
		}
	}
}

// ask takes the steps in order. Those after the APIs only make sense on a target
// that gave a reply.
func (s *session) ask(ctx context.Context, o Options) {
	for _, step := range Steps() {
		if step.Group != GroupAPIs && !s.usable() {
			break
		}
		if ctx.Err() != nil {
			s.report.Cut = true
			s.report.Findings[step.ID] = Finding{Unknown, "not asked: the time was over"}
			continue
		}
		o.step(step.Name)
		stepContext, cancel := context.WithTimeout(ctx, stepTime)
		s.report.Findings[step.ID] = step.run(stepContext, s)
		cancel()
	}
	s.report.Usable = s.usable()
	if !s.report.Usable {
		s.report.Reason = s.refusal(o)
	}
	slices.Sort(s.report.Quirks)
}

func (o Options) step(name string) {
	if o.OnStep != nil {
		o.OnStep(name)
	}
}
