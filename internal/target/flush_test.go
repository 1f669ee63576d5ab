package target

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"scenario/internal/chat"
)

// flushed is a site that also takes orders.
type flushed struct {
	site
	posted []string
}

func (f *flushed) Post(ctx context.Context, endpoint int, path string, _ []byte, limit int64) (int, http.Header, []byte, error) {
	f.posted = append(f.posted, path)
	return f.Get(ctx, endpoint, path, limit)
}

func TestFlush(t *testing.T) {
	busy := page{200, "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 2\nvllm:num_requests_waiting 1\n"}
	idle := page{200, strings.NewReplacer("running 2", "running 0", "waiting 1", "waiting 0").Replace(busy.body)}
	for name, c := range map[string]struct {
		server   string
		pages    map[string]page
		endpoint int
		posted   string
		want     string // in the error; empty: none
		busy     bool
	}{
		"vllm":                          {server: "vllm", pages: map[string]page{"/reset_prefix_cache": {200, ""}, "/metrics": idle}, posted: "/reset_prefix_cache"},
		"vllm without metrics":          {server: "vllm", pages: map[string]page{"/reset_prefix_cache": {200, ""}}, posted: "/reset_prefix_cache"},
		"vllm not in dev mode":          {server: "vllm", posted: "/reset_prefix_cache", want: "VLLM_SERVER_DEV_MODE=1"},
		"vllm with other users":         {server: "vllm", pages: map[string]page{"/reset_prefix_cache": {200, ""}, "/metrics": busy}, want: "works on 3 requests that are not of this run", busy: true},
		"another endpoint's users":      {server: "vllm", pages: map[string]page{"second:/reset_prefix_cache": {200, ""}, "/metrics": busy}, endpoint: 1, posted: "/reset_prefix_cache"},
		"sglang":                        {server: "sglang", pages: map[string]page{"/flush_cache": {200, "Cache flushed."}}, posted: "/flush_cache"},
		"sglang at work":                {server: "sglang", pages: map[string]page{"/flush_cache": {400, "Flush cache failed.\nRunning"}}, posted: "/flush_cache", want: "answers 400: Flush cache failed. Running", busy: true},
		"sglang that wants a key":       {server: "sglang", pages: map[string]page{"/flush_cache": {401, "no"}}, posted: "/flush_cache", want: "answers 401: no"},
		"no way known":                  {server: "llamacpp", want: "kind llamacpp no way is known"},
		"nobody knows what server":      {server: "unknown", want: "kind unknown no way is known"},
		"a server that does not answer": {server: "sglang", pages: map[string]page{"/flush_cache": {0, "refused"}}, posted: "/flush_cache", want: "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &flushed{site: site{pages: c.pages}}
			err := Flush(t.Context(), f, &Facts{Server: c.server, MetricsAt: []Place{{0, "/metrics"}}}, c.endpoint)
			var fault *FlushError
			switch {
			case c.want == "" && err != nil:
				t.Errorf("error %v", err)
			case c.want != "" && (!errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) || fault.Busy != c.busy):
				t.Errorf("error %v, want %q, busy %v", err, c.want, c.busy)
			}
			if got := strings.Join(f.posted, " "); got != c.posted {
				t.Errorf("posted %q, want %q", got, c.posted)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Flush(ctx, &flushed{site: site{pages: map[string]page{"/flush_cache": {0, "x"}}}}, &Facts{Server: "sglang"}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("of a run that was stopped: %v", err)
	}
	var _ Poster = (*chat.Client)(nil)
}
