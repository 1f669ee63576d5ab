package target

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"scenario/internal/chat"
	"scenario/internal/spec"
)

// bodyLimit bounds what a server may say about itself.
const bodyLimit = 4 << 20

// Client is what Discover needs of the client.
type Client interface {
	Get(ctx context.Context, endpoint int, path string, limit int64) (status int, header http.Header, body []byte, err error)
}

// Discover asks every endpoint for its models, settles which one requests name,
// and recognises the software. The error is an *Unusable, or ctx's.
//
// A target that does not list its models can still be used if the scenario
// names one: the first completion tells.
func Discover(ctx context.Context, client Client, t *spec.Target, baseURLs []string) (*Facts, error) {
	facts := &Facts{
		BaseURLs:      baseURLs,
		Server:        t.Server,
		Model:         t.Model.String(),
		ContextTokens: t.ContextTokens,
		Accelerators:  t.Accelerators,
		InsecureTLS:   t.TLS.InsecureSkipVerify,
	}
	for endpoint := range baseURLs {
		if err := models(ctx, client, endpoint, t, facts); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, err
		}
	}
	if facts.Server == "auto" {
		facts.Server = recognise(ctx, client, facts)
	}
	lookAtProcesses(ctx, client, t, facts)
	return facts, ctx.Err()
}

// models reads an endpoint's list of models.
func models(ctx context.Context, client Client, endpoint int, t *spec.Target, facts *Facts) error {
	where := facts.BaseURLs[endpoint]
	status, _, body, err := get(ctx, client, endpoint, "models")
	var call *chat.CallError
	switch {
	case errors.As(err, &call) && status == 0:
		return unusable(false, "%s cannot be reached: %s", where, call.Message)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return unauthorised(where, status, t)
	case status == http.StatusServiceUnavailable || status == http.StatusBadGateway || status == http.StatusGatewayTimeout:
		return unusable(false, "%s is not ready: GET models answers %d", where, status)
	case err != nil || status != http.StatusOK || !gjson.GetBytes(body, "data").IsArray():
		if facts.Model == "" {
			return unusable(false, "%s does not list its models (GET models answers %d), and the scenario names none: set target.model or --model", where, status)
		}
		facts.Notes = append(facts.Notes, fmt.Sprintf("%s does not list its models (status %d): that it serves %q rests on its replies", where, status, facts.Model))
		return nil
	}
	return settle(gjson.GetBytes(body, "data"), where, facts)
}

// settle picks the model and keeps what the list says of it.
func settle(data gjson.Result, where string, facts *Facts) error {
	var ids []string
	for _, m := range data.Array() {
		if id := name(m.Get("id")); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	// What the scenario names may be a path that is longer than a name.
	is := func(m gjson.Result) bool {
		return m.Get("id").String() == facts.Model || name(m.Get("id")) == facts.Model
	}
	switch {
	case facts.Model == "" && len(ids) == 1:
		facts.Model = ids[0]
	case facts.Model == "":
		return severalModels(ids)
	case !slices.ContainsFunc(data.Array(), is):
		return noSuchModel(facts.Model, ids)
	}
	for _, id := range ids {
		if !slices.Contains(facts.Models, id) {
			facts.Models = append(facts.Models, id)
		}
	}
	for _, m := range data.Array() {
		if !is(m) {
			continue
		}
		if facts.Server == "auto" {
			facts.Server = ownedBy(m.Get("owned_by").String())
		}
		facts.ModelRoot = name(m.Get("root"))
		context := int(m.Get("max_model_len").Int())
		if context > 0 && facts.ContextTokens > context {
			facts.Notes = append(facts.Notes, fmt.Sprintf("%s states a context of %d tokens, the scenario says %d: the smaller one counts", where, context, facts.ContextTokens))
			facts.ContextTokens = context
		}
		if context > 0 && (facts.ContextTokens == 0 || context < facts.ContextTokens) {
			facts.ContextTokens = context
		}
	}
	return nil
}

// name is what a server calls something: one line, of bounded length.
func name(v gjson.Result) string { return chat.OneLine(v.String(), 200) }

// unauthorised names the variable that holds the key.
func unauthorised(where string, status int, t *spec.Target) error {
	if t.APIKeyEnv.Empty() {
		return unusable(true, "%s wants a key (status %d): set target.api_key_env to the name of the variable that holds it", where, status)
	}
	return unusable(true, "%s does not accept the key in %s, or it is not set (status %d)", where, t.APIKeyEnv, status)
}

// ownedBy is the software that names itself as the owner of its models; auto
// where that says nothing.
func ownedBy(owner string) string {
	switch owner {
	case "vllm", "sglang", "llamacpp", "lmdeploy":
		return owner
	case "tensorrt_llm":
		return "trtllm"
	case "openai", "system", "openai-internal":
		return "openai"
	}
	return "auto"
}

// recognise asks for pages that only one kind of software has. None of them
// costs the server more than a lookup.
func recognise(ctx context.Context, client Client, facts *Facts) string {
	for _, sign := range []struct {
		server, path string
		fields       []string
	}{
		{"llamacpp", "/props", []string{"build_info", "total_slots"}},
		{"sglang", "/server_info", []string{"max_total_num_tokens"}},
		{"sglang", "/get_server_info", []string{"max_total_num_tokens"}},
		{"ollama", "/api/version", []string{"version"}},
	} {
		page := ask(ctx, client, sign.path)
		if !slices.ContainsFunc(sign.fields, func(field string) bool { return !page.Get(field).Exists() }) {
			return sign.server
		}
	}
	facts.Notes = append(facts.Notes, "the software behind the target could not be recognised: set target.server if you know it")
	return "unknown"
}

// askVersion is the version that a server states, and its context if it stands on
// the same page.
func askVersion(ctx context.Context, client Client, endpoint int, server string) (version string, context int) {
	ask := func(path string) gjson.Result { return askAt(ctx, client, endpoint, path) }
	switch server {
	case "vllm", "trtllm":
		version = name(ask("/version").Get("version"))
	case "sglang":
		version = name(ask("/server_info").Get("version"))
		if version == "" {
			version = name(ask("/get_server_info").Get("version"))
		}
	case "ollama":
		version = name(ask("/api/version").Get("version"))
	case "llamacpp":
		props := ask("/props")
		// The context of one slot; what the list of models calls n_ctx_train is
		// the model's, not the server's.
		return name(props.Get("build_info")), int(props.Get("default_generation_settings.n_ctx").Int())
	}
	return version, 0
}

// ask reads a page of JSON; what cannot be had is empty.
func ask(ctx context.Context, client Client, path string) gjson.Result {
	return askAt(ctx, client, 0, path)
}

func askAt(ctx context.Context, client Client, endpoint int, path string) gjson.Result {
	status, _, body, err := get(ctx, client, endpoint, path)
	if err != nil || status != http.StatusOK || !gjson.ValidBytes(body) {
		return gjson.Result{}
	}
	return gjson.ParseBytes(body)
}

// patience is how often a page is asked for again when a gateway answers that
// there were too many requests.
const patience = 3

func get(ctx context.Context, client Client, endpoint int, path string) (int, http.Header, []byte, error) {
	for try := 0; ; try++ {
		status, header, body, err := client.Get(ctx, endpoint, path, bodyLimit)
		if status != http.StatusTooManyRequests || try == patience {
			return status, header, body, err
		}
		timer := time.NewTimer(time.Second)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return status, header, body, ctx.Err()
		}
	}
}
