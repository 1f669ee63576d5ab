package simserver

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tidwall/gjson"
)

func TestRoutes(t *testing.T) {
	cfg := Healthy()
	cfg.APIKey = "letmein"
	silent := cfg
	silent.Tokenize, silent.Metrics, silent.ResetCache = false, false, false
	const key = "Bearer letmein"
	for _, c := range []struct {
		name, method, path, key string
		cfg                     Config
		status                  int
		body                    string
	}{
		{"health", "GET", "/health", "", cfg, 200, ""},
		{"version", "GET", "/version", "", cfg, 200, `{"version":"0.32.0+sim"}`},
		{"models", "GET", "/v1/models", key, cfg, 200, `{"object":"list","data":[{"id":"sim-1","object":"model",` +
			`"created":946684800,"owned_by":"vllm","root":"sim-1","parent":null,"max_model_len":32768,"permission":[]}]}`},
		{"scheme in small letters", "GET", "/v1/models", "bearer letmein", cfg, 200, ""},
		{"no key", "GET", "/v1/models", "", cfg, 401, `{"error":"Unauthorized"}`},
		{"wrong key", "POST", "/v1/completions", "Bearer letmeout", cfg, 401, `{"error":"Unauthorized"}`},
		{"wrong scheme", "GET", "/v1/models", "Basic letmein", cfg, 401, `{"error":"Unauthorized"}`},
		{"no key on an unknown path", "GET", "/v1/nothing", "", cfg, 401, `{"error":"Unauthorized"}`},
		{"unknown path", "GET", "/v1/nothing", key, cfg, 404, `{"detail":"Not Found"}`},
		{"root", "GET", "/", "", cfg, 404, `{"detail":"Not Found"}`},
		{"trailing slash", "GET", "/v1/models/", key, cfg, 404, `{"detail":"Not Found"}`},
		{"wrong method", "GET", "/v1/completions", key, cfg, 405, `{"detail":"Method Not Allowed"}`},
		{"wrong method on health", "POST", "/health", "", cfg, 405, `{"detail":"Method Not Allowed"}`},
		{"tokenize needs no key", "POST", "/tokenize", "", cfg, 200, `{"count":1,"max_model_len":32768,"tokens":[22377],"token_strs":null}`},
		{"tokenize is off", "POST", "/tokenize", "", silent, 404, `{"detail":"Not Found"}`},
		{"detokenize is off", "POST", "/detokenize", "", silent, 404, `{"detail":"Not Found"}`},
		{"metrics need no key", "GET", "/metrics", "", cfg, 200, ""},
		{"metrics are off", "GET", "/metrics", "", silent, 404, `{"detail":"Not Found"}`},
		{"the cache reset says nothing", "POST", "/reset_prefix_cache", "", cfg, 200, ""},
		{"the cache reset is off", "POST", "/reset_prefix_cache", "", silent, 404, `{"detail":"Not Found"}`},
		{"no key is set", "GET", "/v1/models", "Bearer any", Healthy(), 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := serve(t, c.cfg)
				request, err := http.NewRequestWithContext(t.Context(), c.method, "http://sim"+c.path, strings.NewReader(`{"prompt":"the"}`))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", c.key)
				response, err := r.client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				body, err := io.ReadAll(response.Body)
				if err != nil {
					t.Fatal(err)
				}
				if response.StatusCode != c.status || c.body != "" && string(body) != c.body {
					t.Errorf("%d %s, want %d %s", response.StatusCode, body, c.status, c.body)
				}
				if response.Header.Get("Server") != "scenario-sim" {
					t.Errorf("the server calls itself %q", response.Header.Get("Server"))
				}
			})
		})
	}
}

func TestBodyMustBeJSONByItsType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		response, err := r.client.Post("http://sim/v1/completions", "text/plain", strings.NewReader(`{"prompt":"a"}`))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != 400 || !strings.Contains(gjson.GetBytes(body, "error.message").String(), "Unsupported Media Type") {
			t.Errorf("%d %s", response.StatusCode, body)
		}
	})
}

func TestTokensGoThereAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		for body, want := range map[string]struct {
			status int
			body   string
		}{
			`{"tokens":[22377,22378]}`:             {200, `{"prompt":"the the"}`},
			`{"tokens":[]}`:                        {200, `{"prompt":""}`},
			`{"model":"sim-1","tokens":[1,22377]}`: {200, `{"prompt":"the"}`},
			`{"model":"other","tokens":[]}`:        {404, ""},
			`{"tokens":"the"}`:                     {400, ""},
			`{"tokens":[-1]}`:                      {400, ""},
			`{"tokens":[9999999]}`:                 {400, ""},
			`{}`:                                   {400, ""},
		} {
			g := r.send(t.Context(), http.MethodPost, "/detokenize", body)
			if g.status != want.status || want.body != "" && g.body != want.body {
				t.Errorf("%s got %d %s", body, g.status, g.body)
			}
		}
	})
}
