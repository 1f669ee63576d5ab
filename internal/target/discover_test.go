package target

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"scenario/internal/chat"
	"scenario/internal/spec"
)

// page is one answer of a server.
type page struct {
	status int
	body   string
}

// site answers by endpoint and path; what it does not have is not found.
type site struct {
	pages  map[string]page
	asked  []string
	refuse int // so many answers of 429 come first
}

func (s *site) Get(_ context.Context, endpoint int, path string, _ int64) (int, http.Header, []byte, error) {
	s.asked = append(s.asked, path)
	if s.refuse > 0 {
		s.refuse--
		return http.StatusTooManyRequests, nil, nil, nil
	}
	if endpoint > 0 {
		path = "second:" + path
	}
	p, ok := s.pages[path]
	switch {
	case !ok:
		return http.StatusNotFound, nil, []byte(`{"detail":"Not Found"}`), nil
	case p.status == 0:
		return 0, nil, nil, &chat.CallError{Failure: chat.ConnectError, Message: p.body}
	}
	return p.status, nil, []byte(p.body), nil
}

// listing is a list of one model.
func listing(id, owner, more string) page {
	return page{200, `{"object":"list","data":[{"id":"` + id + `","owned_by":"` + owner + `"` + more + `}]}`}
}

func TestDiscover(t *testing.T) {
	for name, c := range map[string]struct {
		pages   map[string]page
		target  spec.Target
		server  string
		version string
		context int
		note    string
	}{
		"vllm": {
			pages:  map[string]page{"models": listing("m", "vllm", `,"max_model_len":8192,"root":"/models/m"`), "/version": {200, `{"version":"0.32.0"}`}},
			server: "vllm", version: "0.32.0", context: 8192,
		},
		"sglang by its old page": {
			pages:  map[string]page{"models": listing("m", "sglang", `,"max_model_len":4096`), "/get_server_info": {200, `{"version":"0.5.16","max_total_num_tokens":100}`}},
			server: "sglang", version: "0.5.16", context: 4096,
		},
		"llama.cpp": {
			pages: map[string]page{
				"models": listing("m", "llamacpp", `,"meta":{"n_ctx_train":131072}`),
				"/props": {200, `{"build_info":"b1234-abc","total_slots":4,"default_generation_settings":{"n_ctx":8192}}`},
			},
			server: "llamacpp", version: "b1234-abc", context: 8192,
		},
		"ollama, told by its own page": {
			pages:  map[string]page{"models": listing("m", "library", ""), "/api/version": {200, `{"version":"0.17.0"}`}},
			server: "ollama", version: "0.17.0",
		},
		"a gateway": {
			pages:  map[string]page{"models": listing("m", "someone", "")},
			server: "unknown", note: "could not be recognised",
		},
		"a page where JSON should be": {
			pages:  map[string]page{"models": listing("m", "someone", ""), "/props": {200, "<html>"}, "/server_info": {200, "{"}},
			server: "unknown", note: "could not be recognised",
		},
		"no list of models": {
			pages:  map[string]page{"/version": {200, `{"version":"1"}`}},
			target: spec.Target{Model: spec.NewText("m"), Server: "vllm"},
			server: "vllm", version: "1", note: "does not list its models (status 404)",
		},
		"the scenario's context is the smaller": {
			pages:  map[string]page{"models": listing("m", "vllm", `,"max_model_len":8192`)},
			target: spec.Target{ContextTokens: 2048},
			server: "vllm", context: 2048,
		},
		"the scenario's context is too large": {
			pages:  map[string]page{"models": listing("m", "vllm", `,"max_model_len":8192`)},
			target: spec.Target{ContextTokens: 16384},
			server: "vllm", context: 8192, note: "the smaller one counts",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.target.Server == "" {
				c.target.Server = "auto"
			}
			facts, err := Discover(t.Context(), &site{pages: c.pages}, &c.target, []string{"http://h/v1"})
			if err != nil {
				t.Fatal(err)
			}
			if facts.Server != c.server || facts.Version != c.version || facts.ContextTokens != c.context || facts.Model != "m" {
				t.Errorf("facts %+v", facts)
			}
			if notes := strings.Join(facts.Notes, "\n"); c.note == "" && notes != "" || !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

func TestUnusableTargets(t *testing.T) {
	two := page{200, `{"data":[{"id":"served-a"},{"id":"served-b"}]}`}
	keyed := spec.Target{APIKeyEnv: spec.NewText("MY_KEY")}
	for name, c := range map[string]struct {
		pages   map[string]page
		target  spec.Target
		want    string
		settled bool
	}{
		"nobody there":             {map[string]page{"models": {0, "connection refused"}}, spec.Target{}, "cannot be reached: connection refused", false},
		"still loading":            {map[string]page{"models": {503, ""}}, spec.Target{}, "is not ready", false},
		"a key is wanted":          {map[string]page{"models": {401, ""}}, spec.Target{}, "set target.api_key_env", true},
		"the key is refused":       {map[string]page{"models": {403, ""}}, keyed, "does not accept the key in MY_KEY", true},
		"several models":           {map[string]page{"models": two}, spec.Target{}, `one of "served-a", "served-b"`, true},
		"another model":            {map[string]page{"models": two}, spec.Target{Model: spec.NewText("served-c")}, `the scenario asks for "served-c", the target lists "served-a", "served-b" (did you mean "served-a"?)`, true},
		"no model yet":             {map[string]page{"models": {200, `{"data":[]}`}}, spec.Target{}, "lists no models, and the scenario names none", false},
		"a named one, and none":    {map[string]page{"models": {200, `{"data":[]}`}}, spec.Target{Model: spec.NewText("m")}, `asks for "m", and the target lists no models`, false},
		"names over several lines": {map[string]page{"models": {200, `{"data":[{"id":"a\n\u001b[31mb"},{"id":"c"}]}`}}, spec.Target{}, `one of "a [31mb", "c"`, true},
		"no list and no name":      {nil, spec.Target{}, "does not list its models", false},
		"a second one without it": {
			map[string]page{"models": listing("m", "vllm", ""), "second:models": listing("n", "vllm", "")}, spec.Target{}, `the scenario asks for "m", the target lists "n"`, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.target.Server = "auto"
			_, err := Discover(t.Context(), &site{pages: c.pages}, &c.target, []string{"http://h/v1", "http://i/v1"})
			var unusable *Unusable
			if !errors.As(err, &unusable) || !strings.Contains(unusable.Message, c.want) || unusable.Settled != c.settled {
				t.Errorf("error %+v, want %q, settled %v", err, c.want, c.settled)
			}
		})
	}
}

func TestWhatAServerSaysIsOneLineOfBoundedLength(t *testing.T) {
	long := strings.Repeat("dir/", 100) + "model"
	data, err := json.Marshal(map[string]any{"data": []any{
		map[string]any{"id": long, "owned_by": "vllm", "root": "a\nb\x1b[31m" + long, "max_model_len": 4096}, map[string]any{"id": "x\ty"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]page{"models": {200, string(data)}, "/version": {200, `{"version":"1\n\u0007` + long + `"}`}}
	facts, err := Discover(t.Context(), &site{pages: pages}, &spec.Target{Server: "auto", Model: spec.NewText(long)}, []string{"http://h/v1"})
	if err != nil {
		t.Fatal(err)
	}
	if facts.Model != long || facts.ContextTokens != 4096 {
		t.Errorf("the model that the scenario names was not found: %+v", facts)
	}
	for _, said := range append(facts.Models, facts.ModelRoot, facts.Version) {
		if utf8.RuneCountInString(said) > 201 || strings.ContainsFunc(said, unicode.IsControl) {
			t.Errorf("%q is not one line of at most 200 characters", said)
		}
	}
	if facts.Models[1] != "x y" || !strings.HasPrefix(facts.ModelRoot, "a b [31mdir/") || !strings.HasPrefix(facts.Version, "1 dir/") {
		t.Errorf("got %+v", facts)
	}
}

func TestAModelThatIsListedTwice(t *testing.T) {
	pages := map[string]page{"models": {200, `{"data":[{"id":"m","owned_by":"vllm"},{"id":"m","owned_by":"vllm"}]}`}}
	facts, err := Discover(t.Context(), &site{pages: pages}, &spec.Target{Server: "auto"}, []string{"http://h/v1"})
	if err != nil || facts.Model != "m" || len(facts.Models) != 1 {
		t.Errorf("got %+v, %v", facts, err)
	}
}

func TestAGatewaysLimitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{pages: map[string]page{"models": listing("m", "vllm", "")}, refuse: 2}
		began := time.Now()
		if _, err := Discover(t.Context(), s, &spec.Target{Server: "auto"}, []string{"http://h/v1"}); err != nil {
			t.Fatal(err)
		}
		if passed := time.Since(began); passed != 2*time.Second {
			t.Errorf("waited %v, want 2s", passed)
		}
	})
}

func TestDialects(t *testing.T) {
	for server, field := range map[string]string{"openai": "max_completion_tokens", "vllm": "max_tokens", "unknown": "max_tokens"} {
		f := Facts{Server: server}
		if got := f.LimitField(); got != field {
			t.Errorf("%s: %s, want %s", server, got, field)
		}
		if f.NoIDs() != (server == "openai") {
			t.Errorf("%s: NoIDs is %v", server, f.NoIDs())
		}
	}
}
