package probe_test

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/chat"
	"scenario/internal/probe"
	"scenario/internal/simserver"
	"scenario/internal/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// world is a server in memory, in virtual time.
type world struct {
	server  simserver.Config
	handler http.Handler // serves in the simulated server's place
	target  spec.Target
	timeout time.Duration
}

// probe runs the probe in a bubble.
func (w world) probe(t *testing.T) *probe.Report {
	t.Helper()
	var report *probe.Report
	synctest.Test(t, func(t *testing.T) {
		listener := simserver.NewListener()
		served := make(chan struct{})
		stop := w.serve(t, listener, served)
		defer func() { stop(); <-served }()
		client, err := chat.New(chat.Config{
			BaseURLs: []*url.URL{{Scheme: "http", Host: "sim", Path: "/v1"}}, Dial: listener.Dial,
			Timeouts: chat.Timeouts{Connect: time.Second, FirstToken: 30 * time.Second, Idle: 30 * time.Second, Request: 30 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if w.target.Server == "" {
			w.target.Server = "auto"
		}
		ctx := t.Context()
		if w.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, w.timeout)
			defer cancel()
		}
		if report, err = probe.Run(ctx, client, probe.Options{Target: &w.target, BaseURL: "http://sim/v1"}); err != nil {
			t.Fatal(err)
		}
	})
	return report
}

func (w world) serve(t *testing.T, listener *simserver.Listener, served chan struct{}) (stop func()) {
	if w.handler != nil {
		server := &http.Server{Handler: w.handler}
		go func() { defer close(served); server.Serve(listener) }()
		return func() { server.Close() }
	}
	server := simserver.New(w.server)
	go func() { defer close(served); server.Serve(t.Context(), listener) }()
	return server.Close
}

func TestWholeReport(t *testing.T) {
	metrics := `vllm:num_requests_running 0
vllm:cache_config_info{block_size="16",num_gpu_blocks="1000"} 1
process_start_time_seconds 1796000000
`
	server := odd{reasoning: "reasoning_content", call: `{"city":"Paris"}`, metrics: metrics, window: 512, noDone: true}
	report := world{handler: server}.probe(t)
	report.Seconds = 0 // of virtual time, but not always the same
	got, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "report.json")
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestEveryStepIsAnsweredAndCounted(t *testing.T) {
	report := world{server: simserver.Healthy()}.probe(t)
	ids := map[string]bool{}
	for _, s := range probe.Steps() {
		if ids[s.ID] || s.Doc == "" || s.Name == "" {
			t.Errorf("step %+v", s)
		}
		ids[s.ID] = true
		if report.Findings[s.ID].Answer == "" {
			t.Errorf("%s is not answered", s.ID)
		}
	}
	if report.Requests < len(ids) || report.Requests > 60 {
		t.Errorf("%d requests", report.Requests)
	}
}

func TestFaultsAreFound(t *testing.T) {
	for persona, want := range map[string]struct {
		step   string
		answer probe.Answer
		detail string
		kind   probe.Answer // of fixed-token
	}{
		"healthy":            {"ignore-eos", probe.Yes, "without it", probe.Yes},
		"ignores-ignore-eos": {"ignore-eos", probe.No, "accepted and ignored", probe.No},
		"short-prompt":       {"exact-length", probe.No, "of 400 tokens it took 200", probe.No},
	} {
		t.Run(persona, func(t *testing.T) {
			p, ok := simserver.Find(persona)
			if !ok {
				t.Fatal("no such persona")
			}
			r := world{server: simserver.Healthy().With(p)}.probe(t)
			found := r.Findings[want.step]
			if !r.Usable || found.Answer != want.answer || !strings.Contains(found.Detail, want.detail) {
				t.Errorf("usable %v, %s: %+v", r.Usable, want.step, found)
			}
			if r.Kinds[0].Kind != "fixed-token" || r.Kinds[0].Runs != want.kind {
				t.Errorf("kinds %+v", r.Kinds)
			}
		})
	}
}

func TestConfigurationsAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		bend   func(*simserver.Config)
		step   string
		answer probe.Answer
		detail string
	}{
		"no cached tokens":           {func(c *simserver.Config) { c.ReportCached = false }, "cached-tokens", probe.No, "does not state"},
		"no prefix cache":            {func(c *simserver.Config) { c.PrefixCache = false }, "cached-tokens", probe.Yes, "stated, and 0"},
		"no tokenizer":               {func(c *simserver.Config) { c.Tokenize = false }, "tokenize", probe.No, "/tokenize answers 404"},
		"ids without a tokenizer":    {func(c *simserver.Config) { c.Tokenize = false }, "token-ids", probe.Yes, "32 ids"},
		"eight tokens per event":     {func(c *simserver.Config) { c.StreamInterval = 8 }, "tokens-per-event", probe.No, "tokens in"},
		"a short context":            {func(c *simserver.Config) { c.Context = 600 }, "over-limit", probe.Yes, "600 tokens"},
		"a context that is too long": {func(c *simserver.Config) { c.Context = 1 << 20 }, "over-limit", probe.Unknown, "not tried"},
	} {
		t.Run(name, func(t *testing.T) {
			config := simserver.Healthy()
			c.bend(&config)
			found := world{server: config}.probe(t).Findings[c.step]
			if found.Answer != c.answer || !strings.Contains(found.Detail, c.detail) {
				t.Errorf("%s: %+v", c.step, found)
			}
		})
	}
}

func TestTargetsThatCannotBeUsed(t *testing.T) {
	keyed := simserver.Healthy()
	keyed.APIKey = "sk-123456"
	for name, c := range map[string]struct {
		world  world
		reason string
	}{
		"a key is wanted":    {world{server: keyed}, "wants a key"},
		"no such model":      {world{server: simserver.Healthy(), target: spec.Target{Model: spec.NewText("sim-2")}}, `did you mean "sim-1"?`},
		"no API":             {world{handler: odd{noChat: true, noCompletions: true}}, "gives no completion: http_error"},
		"errors alone":       {world{handler: odd{status: 500}}, "HTTP 500"},
		"a page for people":  {world{handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) })}, "does not list its models"},
		"nothing ever comes": {world{handler: odd{silent: true}, timeout: 3 * time.Minute}, "gives no completion: timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.world.probe(t)
			if r.Usable || !strings.Contains(r.Reason, c.reason) || len(r.Kinds) > 0 {
				t.Errorf("usable %v, reason %q, kinds %v", r.Usable, r.Reason, r.Kinds)
			}
		})
	}
}

func TestOddServers(t *testing.T) {
	for name, c := range map[string]struct {
		server odd
		step   string
		answer probe.Answer
		detail string
	}{
		"chat alone":                 {odd{noCompletions: true}, "completions", probe.No, "no such API"},
		"chat alone, ids":            {odd{noCompletions: true}, "token-ids", probe.No, "no such API"},
		"completions alone":          {odd{noChat: true}, "chat", probe.No, "no such API"},
		"completions alone, limit":   {odd{noChat: true}, "max-tokens", probe.Yes, ""},
		"no usage":                   {odd{noUsage: true}, "usage-stream", probe.No, "brings none"},
		"no usage, ignore_eos":       {odd{noUsage: true}, "ignore-eos", probe.Unknown, "usage does not say"},
		"ids as text":                {odd{}, "token-ids", probe.No, "refused"},
		"truncation":                 {odd{window: 512}, "over-limit", probe.No, "truncates silently"},
		"truncation of less":         {odd{window: 128}, "exact-length", probe.No, "of 400 tokens it took 128"},
		"no context, no truncation":  {odd{}, "over-limit", probe.Unknown, "16000 tokens are accepted"},
		"one field for the limit":    {odd{}, "max-completion-tokens", probe.No, "the limit was 4"},
		"reasoning":                  {odd{reasoning: "reasoning_content"}, "reasoning", probe.Yes, "reasoning_content"},
		"reasoning in content":       {odd{leak: true}, "reasoning", probe.No, "leaks into content"},
		"a call":                     {odd{call: `{"city":"Paris"}`}, "tools", probe.Yes, `get_weather {"city":"Paris"}`},
		"a call that is no JSON":     {odd{call: `city=Paris`}, "tools", probe.No, "no JSON object"},
		"a call as text":             {odd{callAsText: true}, "tools", probe.No, "no parser"},
		"a call if it is required":   {odd{call: `{"city":"Paris"}`, onlyRequired: true}, "tools", probe.Yes, "tool_choice required: get_weather"},
		"text with auto":             {odd{call: `{"city":"Paris"}`, onlyRequired: true, callAsText: true}, "tools", probe.No, "no parser for it; with tool_choice required"},
		"tools ignored":              {odd{}, "tools", probe.Unknown, "without a call"},
		"random at temperature 0":    {odd{random: new(int)}, "temperature", probe.No, "differ"},
		"a strict API":               {odd{strict: true, noCompletions: true}, "chat", probe.Yes, ""},
		"a strict API, limit":        {odd{strict: true, noCompletions: true}, "max-completion-tokens", probe.Yes, ""},
		"a strict API, old limit":    {odd{strict: true, noCompletions: true}, "max-tokens", probe.No, "refused"},
		"a strict API, temperature":  {odd{strict: true, noCompletions: true}, "temperature", probe.No, "refused"},
		"no metrics":                 {odd{}, "metrics", probe.No, ""},
		"metrics":                    {odd{metrics: "vllm:num_requests_running 1\n"}, "metrics", probe.Yes, "/metrics: 1 names"},
		"the gateway has had enough": {odd{refuse: new(int)}, "completions", probe.Yes, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := world{handler: c.server}.probe(t)
			found := r.Findings[c.step]
			if !r.Usable || found.Answer != c.answer || !strings.Contains(found.Detail, c.detail) {
				t.Errorf("usable %v (%s), %s: %+v", r.Usable, r.Reason, c.step, found)
			}
		})
	}
}

func TestQuirksAreKept(t *testing.T) {
	r := world{handler: odd{noDone: true}}.probe(t)
	if !slices.Contains(r.Quirks, "the stream ended without [DONE]") {
		t.Errorf("quirks %q", r.Quirks)
	}
}

func TestTheTimeIsKept(t *testing.T) {
	r := world{handler: odd{slow: 5 * time.Second}, timeout: 20 * time.Second}.probe(t)
	if !r.Usable || !r.Cut || r.Findings["metrics"].Answer != probe.Unknown || r.Seconds > 21 {
		t.Errorf("usable %v, cut %v, %.1f s, %+v", r.Usable, r.Cut, r.Seconds, r.Findings["metrics"])
	}
}
