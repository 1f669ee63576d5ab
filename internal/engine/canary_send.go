package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"scenario/internal/canary"
	"scenario/internal/chat"
	"scenario/internal/metric"
	"scenario/internal/spec"
)

// Limits of a canary's answer, in tokens: 64, and 1,024 for a model that thinks
// before it answers and can't be told not to.
const (
	canaryAnswerTokens   = 64
	canaryThinkingTokens = 1024
)

// canaryTries is how often a canary that is sent alone is tried again, where the
// target asks for it.
const canaryTries = probeRetries

// manner is a way to ask a question.
type manner struct {
	api   chat.API
	off   []chat.Field // what switches thinking off
	limit int
}

// manners are the ways to ask in a phase, the first that works is the one. In a
// completion the model goes on with examples, and does not come to think. In a
// chat it is told not to, in its server's way.
func (p *phaseRun) manners() []manner {
	if p.plan.API == chat.Completions {
		return []manner{{api: chat.Completions, limit: canaryAnswerTokens}}
	}
	var list []manner
	if off := thinkingOff(p.runner.facts.Server); off != nil {
		list = append(list, manner{chat.Chat, off, canaryAnswerTokens})
	}
	thinking := canaryThinkingTokens
	if context := p.runner.facts.ContextTokens; context > 0 {
		thinking = min(thinking, context/2)
	}
	return append(list, manner{chat.Chat, nil, canaryAnswerTokens}, manner{chat.Chat, nil, thinking})
}

// thinkingOff are the fields by which a server is told that its model is not to
// think; nil: none are known. Templates ignore the names that are not theirs.
func thinkingOff(server string) []chat.Field {
	switch server {
	case "vllm", "sglang", "llamacpp", "trtllm", "lmdeploy":
		return []chat.Field{{Name: "chat_template_kwargs", Value: []chat.Field{{Name: "enable_thinking", Value: false}, {Name: "thinking", Value: false}}}}
	case "ollama":
		return []chat.Field{{Name: "reasoning_effort", Value: "none"}}
	}
	return nil
}

// ofTheLoad are the fields of a phase's body that shape its own requests, and
// would spoil a canary.
var ofTheLoad = []string{
	"prompt", "messages", "max_tokens", "max_completion_tokens", "min_tokens", "ignore_eos", "stop", "stop_token_ids",
	"temperature", "n", "best_of", "echo", "suffix", "logprobs", "top_logprobs", "prompt_logprobs", "response_format",
	"structured_outputs", "guided_json", "guided_regex", "guided_choice", "guided_grammar", "tools", "tool_choice", "stream", "stream_options",
}

// canaryBody is the phase's body as far as it is about how the server is spoken to.
func (m manner) body(body []spec.BodyField) []spec.BodyField {
	return slices.DeleteFunc(slices.Clone(body), func(f spec.BodyField) bool {
		return slices.Contains(ofTheLoad, f.Name) || slices.ContainsFunc(m.off, func(off chat.Field) bool { return off.Name == f.Name })
	})
}

// mannerKey tells phases apart whose canaries are asked differently.
func (p *phaseRun) mannerKey() string {
	var key strings.Builder
	fmt.Fprint(&key, p.plan.API, p.plan.Spec.Stream, p.plan.Spec.Temperature.Set)
	for _, f := range (manner{}).body(p.plan.Spec.Body) {
		fmt.Fprintf(&key, "|%s=%s %v", f.Name, f.Value, f.Unset)
	}
	return key.String()
}

// request is the request for a task.
func (p *phaseRun) canaryRequest(m manner, task canary.Task, endpoint int) (*chat.Request, error) {
	compose := *p.compose
	compose.API, compose.Body = m.api, m.body(p.plan.Spec.Body)
	if compose.Temperature.Set {
		compose.Temperature.Value = 0
	}
	if m.api == chat.Completions {
		return compose.Request(endpoint, []chat.Field{{Name: "prompt", Value: task.Opening}}, m.limit, chat.Field{Name: "stop", Value: []string{"\n"}})
	}
	return compose.Request(endpoint, TextPrompt(chat.Chat, task.Message), m.limit, m.off...)
}

// canaryAnswer is what came of one canary.
type canaryAnswer struct {
	task    canary.Task
	request *metric.Request
	text    string // the answer
	right   bool
	foreign string // a code of another canary in the answer; empty: none
}

// words say what came in place of the answer.
func (a canaryAnswer) words() string {
	if a.request.Failed() {
		return fmt.Sprintf("first wrong: %s: %s", a.request.Outcome, a.request.Error)
	}
	return fmt.Sprintf("first wrong: %s asked for %s, got %s", a.task.Kind, a.task.Answer, excerpt(a.text))
}

// send sends one canary. False: the run was stopped meanwhile.
func (p *phaseRun) send(ctx context.Context, m manner, task canary.Task, endpoint, retries int) (canaryAnswer, bool) {
	request, err := p.canaryRequest(m, task, endpoint)
	if err != nil {
		return canaryAnswer{task: task, request: notSent(Place{Endpoint: endpoint}, err)}, true
	}
	x := &asideExchange{runner: p.runner, retries: retries}
	r, ok := x.Send(ctx, request)
	if !ok {
		return canaryAnswer{}, false
	}
	a := canaryAnswer{task: task, request: r, text: r.Content}
	if m.api == chat.Completions {
		a.text = canary.FirstLine(r.Content)
	}
	if !r.Failed() {
		a.right = task.Right(a.text)
		a.foreign = p.runner.canaries.source.Foreign(task, a.text, int(p.runner.canaries.issued.Load()))
	}
	return a, true
}

// alone sends canaries to one endpoint, one at a time. It gives up on a target
// that hangs.
func (p *phaseRun) alone(ctx context.Context, m manner, tasks []canary.Task, endpoint int) []canaryAnswer {
	var answers []canaryAnswer
	inRow := 0
	for _, task := range tasks {
		a, ok := p.send(ctx, m, task, endpoint, canaryTries)
		if !ok {
			return answers
		}
		answers = append(answers, a)
		if inRow++; a.request.Outcome != metric.OutcomeTimeout {
			inRow = 0
		}
		if inRow >= hangs(1) {
			return answers
		}
	}
	return answers
}
