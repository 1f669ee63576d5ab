package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"scenario/internal/metric"
	"scenario/internal/target"
)

// retryEvery is the pause between two looks at a target that does not work yet.
const retryEvery = 2 * time.Second

// preflight finds the target and lets each phase send one small session. It
// returns, per phase, why the phase must be skipped (empty: it can run). The
// error says that the target cannot be used at all.
func (r *Runner) preflight(ctx context.Context) (*target.Facts, []string, error) {
	deadline := time.Now().Add(r.Wait)
	for {
		facts, reasons, err := r.look(ctx)
		var unusable *target.Unusable
		switch {
		case err == nil:
			return facts, reasons, nil
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case errors.As(err, &unusable) && unusable.Settled, !time.Now().Before(deadline):
			return nil, nil, err
		}
		r.observe(Waiting{err.Error()})
		if !sleep(ctx, min(retryEvery, max(time.Until(deadline), time.Millisecond))) {
			return nil, nil, ctx.Err()
		}
	}
}

// look is one attempt of the preflight.
func (r *Runner) look(ctx context.Context) (*target.Facts, []string, error) {
	facts, err := target.Discover(ctx, r.Client, &r.Plan.Scenario.Target, r.BaseURLs)
	if err != nil {
		return nil, nil, err
	}
	r.fits = map[*PhasePlan]*PromptFit{}
	reasons := make([]string, len(r.Plan.Phases))
	answered := false
	var refused error
	for i, ph := range r.Plan.Phases {
		p := &phaseRun{runner: r, plan: ph, heads: map[string]int{}, compose: NewComposer(ph.Spec, ph.API, facts.Model, facts.LimitField())}
		reason, err := p.unable(facts), error(nil)
		if reason == "" {
			reason, err = p.fit(ctx)
		}
		if reason == "" && err == nil {
			reason, err = p.try(ctx, facts)
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		reasons[i] = reason
		if err != nil {
			refused = err
			continue
		}
		answered = true
	}
	if !answered && refused != nil {
		return nil, nil, refused
	}
	return facts, reasons, nil
}

// unable is why a target of its kind cannot do what the phase needs.
func (p *phaseRun) unable(facts *target.Facts) string {
	if len(p.plan.Levels) == 0 || !facts.NoIDs() {
		return ""
	}
	switch profile := p.plan.Levels[0].Profile; {
	case profile.TokenIDs:
		return fmt.Sprintf("a target of kind %s takes no token ids and cannot force a length: use prompt: {text: story, tokens: …} and ignore_eos: false", facts.Server)
	case profile.Forced:
		return fmt.Sprintf("a target of kind %s cannot force a length: write ignore_eos: false", facts.Server)
	}
	return ""
}

// try sends one small session of a phase to every endpoint. It returns why the
// phase must be skipped, and an error if the target gave no whole reply.
func (p *phaseRun) try(ctx context.Context, facts *target.Facts) (string, error) {
	for endpoint := range p.runner.endpoints() {
		requests, err := p.probe(ctx, Place{Index: endpoint})
		if err != nil {
			return "", err
		}
		for _, r := range requests {
			reason, err := p.inspect(r, facts)
			if reason != "" || err != nil {
				return reason, err
			}
		}
	}
	return "", nil
}

// inspect reads the reply to a small session: does it prove that the target can
// do what the phase needs?
func (p *phaseRun) inspect(r *metric.Request, facts *target.Facts) (string, error) {
	where := p.runner.BaseURLs[r.Endpoint]
	status, _ := r.Status.Number()
	ids := r.Asked.PromptTokens > 0 && r.Asked.PromptTolerance == 0
	switch {
	case r.Failed() && ids && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity):
		if strings.Contains(strings.ToLower(r.Error), "vocabulary") {
			return fmt.Sprintf("the prompt has ids outside of the target's vocabulary (%s): choose smaller ones", r.Error), nil
		}
		if !aboutPrompts(r.Error) {
			return "the target refuses the phase's request: " + r.Error, nil
		}
		return fmt.Sprintf("the target takes no prompt of token ids (%s): use prompt: {text: story, tokens: …}", r.Error), nil
	case r.Failed():
		return "the first request of the phase failed: " + r.Outcome + ": " + r.Error, p.refusal(r, where, int(status))
	}
	if facts.SystemFingerprint == "" {
		facts.SystemFingerprint = r.SystemFingerprint
	}
	prompt, promptKnown := r.PromptTokens.Number()
	output, outputKnown := r.OutputTokens.Number()
	note := func(format string, args ...any) {
		facts.Notes = append(facts.Notes, "phase "+p.plan.Spec.Name+": "+fmt.Sprintf(format, args...))
	}
	switch {
	case !promptKnown || !outputKnown:
		note("replies state no usable usage: lengths and token rates are unknown")
	case ids && prompt != float64(r.Asked.PromptTokens):
		note("the target counted %.0f prompt tokens for %d ids", prompt, r.Asked.PromptTokens)
	}
	if outputKnown && r.Asked.Forced && output < float64(r.Asked.OutputTokens) {
		return fmt.Sprintf("the target does not honour ignore_eos: it stopped after %.0f of %d tokens: use prompt: {text: story, tokens: …} and ignore_eos: false", output, r.Asked.OutputTokens), nil
	}
	return "", nil
}

// aboutPrompts reports whether a server's refusal can be of a prompt of token ids.
func aboutPrompts(message string) bool {
	for _, word := range []string{"prompt", "token", "input", "string", "array", "list", "type"} {
		if strings.Contains(strings.ToLower(message), word) {
			return true
		}
	}
	return false
}

// refusal is why a target that answered the first request so cannot be used.
func (p *phaseRun) refusal(r *metric.Request, where string, status int) error {
	t := &p.runner.Plan.Scenario.Target
	settled := false
	message := fmt.Sprintf("%s gives no completion: %s: %s", where, r.Outcome, r.Error)
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		settled = true
		if t.APIKeyEnv.Empty() {
			message += ": set target.api_key_env to the name of the variable that holds the key"
		} else {
			message += ": the key in " + t.APIKeyEnv.String() + " is not accepted, or not set"
		}
	case status == http.StatusNotFound:
		message += fmt.Sprintf(" (the scenario asks for model %q)", p.compose.Model)
	}
	return &target.Unusable{Message: message, Settled: settled}
}

// spareDescriptors are what a process opens beside its connections to the target.
const spareDescriptors = 32

// misfit is why a level cannot be run on this target or from this machine.
func (r *Runner) misfit(l *LevelPlan) string {
	need := l.Profile.PromptTokens + l.Profile.OutputTokens
	switch {
	case r.facts.ContextTokens > 0 && need > r.facts.ContextTokens:
		return fmt.Sprintf("prompt and output take %d tokens, the target's context is %d", need, r.facts.ContextTokens)
	case r.Descriptors > 0 && l.width()+spareDescriptors > r.Descriptors:
		return fmt.Sprintf("%d connections need %d file descriptors, this process may open %d: raise its limit (ulimit -n)", l.width(), l.width()+spareDescriptors, r.Descriptors)
	}
	return ""
}
