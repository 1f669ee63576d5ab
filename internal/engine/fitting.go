package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/tidwall/gjson"

	"scenario/internal/chat"
	"scenario/internal/metric"
)

// Fitter is a Workload whose prompts are texts, which have a length in tokens only
// by the target's tokenizer. Fit is called once, before any session is made. Its
// error says why the texts cannot be brought to their length.
type Fitter interface {
	Fit(ctx context.Context, counter Counter) (*PromptFit, error)
}

// Counter counts the tokens of a request's prompt, which is given by its fields,
// as the target counts them: what its template adds is in it.
type Counter interface {
	Count(ctx context.Context, prompt []chat.Field) (int, error)
}

// TextPrompt puts a text into the fields that an API takes prompts in: as a prompt,
// or as the one message of a chat.
func TextPrompt(api chat.API, text string) []chat.Field {
	if api == chat.Chat {
		message := []chat.Field{{Name: "role", Value: "user"}, {Name: "content", Value: text}}
		return []chat.Field{{Name: "messages", Value: [][]chat.Field{message}}}
	}
	return []chat.Field{{Name: "prompt", Value: text}}
}

// PromptFit is how text prompts were brought to their length.
type PromptFit struct {
	Tokens    int    `json:"tokens" doc:"tokens that every prompt should have"`
	Tolerance int    `json:"tolerance" doc:"tokens that one may miss it by"`
	Counted   []int  `json:"counted" doc:"tokens of the prompts that were counted at the end"`
	Around    int    `json:"around" doc:"tokens of a prompt that are not text: the chat template and the instruction"`
	By        string `json:"by" doc:"who counts: tokenize (the target's tokenizer, which agrees with its usage), tokenize-alone (its replies state no usage) or usage (of requests that ask for one token)" enum:"tokenize|tokenize-alone|usage"`
}

// fit fits the phase's prompts to the target, if they are texts. It returns why the
// phase must be skipped, and an error if the target gave no whole reply.
func (p *phaseRun) fit(ctx context.Context) (string, error) {
	fitter, ok := p.plan.Workload.(Fitter)
	if !ok {
		return "", nil
	}
	counter, err := p.newCounter(ctx)
	if err == nil {
		var fit *PromptFit
		if fit, err = fitter.Fit(ctx, counter); err == nil && fit != nil {
			fit.By = counter.by
			p.runner.fits[p.plan] = fit
		}
	}
	var failed *failedCount
	switch {
	case err == nil:
		return "", nil
	case errors.As(err, &failed):
		status, _ := failed.request.Status.Number()
		return "the prompt's tokens could not be counted: " + err.Error(), p.refusal(failed.request, p.runner.BaseURLs[0], int(status))
	}
	return "the prompt cannot be brought to its length: " + err.Error(), nil
}

// failedCount is a request that was to count tokens and failed.
type failedCount struct{ request *metric.Request }

func (e *failedCount) Error() string { return e.request.Outcome + ": " + e.request.Error }

// counting implements Counter.
type counting struct {
	phase *phaseRun
	by    string
}

// newCounter finds out who counts. A tokenizer is believed where it agrees with the
// usage of a request, since it may leave the template or the start mark out.
func (p *phaseRun) newCounter(ctx context.Context) (*counting, error) {
	c := &counting{phase: p, by: "usage"}
	prompt := TextPrompt(p.plan.API, "The quick brown fox jumps over the lazy dog.")
	used, usageErr := c.byUsage(ctx, prompt)
	var failed *failedCount
	if errors.As(usageErr, &failed) || ctx.Err() != nil {
		return nil, usageErr
	}
	counted, err := c.byTokenizer(ctx, prompt)
	switch {
	case err == nil && usageErr == nil && counted == used:
		c.by = "tokenize"
	case usageErr == nil:
	case err == nil:
		c.by = "tokenize-alone"
	default:
		return nil, fmt.Errorf("%w, and %w", usageErr, err)
	}
	return c, nil
}

// Count implements Counter.
func (c *counting) Count(ctx context.Context, prompt []chat.Field) (int, error) {
	if c.by == "usage" {
		return c.byUsage(ctx, prompt)
	}
	return c.byTokenizer(ctx, prompt)
}

// byUsage sends the prompt and asks for one token.
func (c *counting) byUsage(ctx context.Context, prompt []chat.Field) (int, error) {
	request, err := c.phase.compose.Request(0, prompt, 1)
	if err != nil {
		return 0, err
	}
	x := &asideExchange{runner: c.phase.runner, retries: probeRetries}
	r, ok := x.Send(ctx, request)
	switch {
	case !ok:
		return 0, ctx.Err()
	case r.Failed():
		return 0, &failedCount{r}
	}
	n, known := r.PromptTokens.Number()
	if !known {
		return 0, errors.New("replies state no prompt tokens")
	}
	return int(n), nil
}

// mostTokenizerAnswer bounds the page of a tokenizer: a million ids.
const mostTokenizerAnswer = 16 << 20

// byTokenizer asks /tokenize, in the forms of vLLM and SGLang (prompt, messages)
// and of llama.cpp (content) at once: each ignores the other's fields.
func (c *counting) byTokenizer(ctx context.Context, prompt []chat.Field) (int, error) {
	fields := append([]chat.Field{{Name: "model", Value: c.phase.compose.Model}}, prompt...)
	for _, f := range prompt {
		if f.Name == "prompt" {
			fields = append(fields, chat.Field{Name: "content", Value: f.Value}, chat.Field{Name: "add_special", Value: true})
		}
	}
	for _, f := range c.phase.compose.Body {
		if f.Name == "chat_template_kwargs" && !f.Unset {
			fields = append(fields, chat.Field{Name: f.Name, Value: json.RawMessage(f.Value)})
		}
	}
	body, err := chat.Encode(fields)
	if err != nil {
		return 0, err
	}
	status, _, answer, err := c.phase.runner.Client.Post(ctx, 0, "/tokenize", body, mostTokenizerAnswer)
	switch {
	case err != nil:
		return 0, err
	case status != http.StatusOK:
		return 0, fmt.Errorf("/tokenize answers %d", status)
	}
	page := gjson.ParseBytes(answer)
	if count := page.Get("count"); count.Type == gjson.Number && count.Int() > 0 {
		return int(count.Int()), nil
	}
	if n := page.Get("tokens.#").Int(); n > 0 {
		return int(n), nil
	}
	return 0, errors.New("/tokenize states no count")
}
