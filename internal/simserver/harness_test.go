package simserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// A rig is a server and a client of it, connected in memory.
type rig struct {
	*testing.T
	server *Server
	client *http.Client
	base   string     // URL; empty: the one in memory
	served chan error // what Serve returned
}

// serve starts a server that ends with the test. It belongs inside a bubble.
func serve(t *testing.T, cfg Config) *rig {
	t.Helper()
	listener := NewListener()
	transport := &http.Transport{DialContext: listener.Dial, MaxIdleConnsPerHost: 4096}
	r := &rig{T: t, server: New(cfg), client: &http.Client{Transport: transport}, served: make(chan error, 1)}
	go func() { r.served <- r.server.Serve(t.Context(), listener) }()
	t.Cleanup(func() {
		r.server.Close()
		transport.CloseIdleConnections()
	})
	return r
}

// fields is a JSON object.
type fields map[string]any

// A got is what a client saw of one request.
type got struct {
	err    error // of the connection
	status int
	header http.Header
	body   string // the whole of it, as it came

	text           string
	finish         string
	prompt, output int // usage; -1: none
	cached         int // -1: none
	events         int // with text
	done           bool
	ttft, e2e      time.Duration // from the request to the first and to the last event with text
}

// post sends a request and reads the reply, streamed or not. It fails nothing
// itself, so that it may run on any goroutine.
func (r *rig) post(ctx context.Context, path string, f fields) got {
	return r.send(ctx, http.MethodPost, path, f.json())
}

func (f fields) json() string {
	body, err := json.Marshal(f)
	if err != nil {
		panic(err) // a test wrote something that is no JSON
	}
	return string(body)
}

func (r *rig) send(ctx context.Context, method, path, body string) got {
	g := got{prompt: -1, output: -1, cached: -1}
	sent := time.Now()
	response, err := r.open(ctx, method, path, body)
	if err != nil {
		g.err = err
		return g
	}
	defer response.Body.Close()
	g.status, g.header = response.StatusCode, response.Header
	g.read(response, sent)
	return g
}

// read reads a body to its end.
func (g *got) read(response *http.Response, sent time.Time) {
	var whole bytes.Buffer
	lines := bufio.NewReader(io.TeeReader(response.Body, &whole))
	streamed := strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")
	for g.err == nil {
		var line string
		line, g.err = lines.ReadString('\n')
		if data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: "); ok && streamed {
			g.event(data, time.Since(sent))
		}
	}
	if g.err == io.EOF {
		g.err = nil
	}
	g.body = whole.String()
	if !streamed {
		g.object(g.body)
		g.e2e = time.Since(sent)
	}
}

func (g *got) event(data string, since time.Duration) {
	if data == "[DONE]" {
		g.done = true
		return
	}
	text := gjson.Get(data, "choices.0.delta.content").String() + gjson.Get(data, "choices.0.text").String()
	if text != "" {
		if g.events == 0 {
			g.ttft = since
		}
		g.text, g.e2e = g.text+text, since
		g.events++
	}
	g.counts(data)
}

func (g *got) object(data string) {
	g.text = gjson.Get(data, "choices.0.message.content").String() + gjson.Get(data, "choices.0.text").String()
	g.counts(data)
}

func (g *got) counts(data string) {
	if finish := gjson.Get(data, "choices.0.finish_reason").String(); finish != "" {
		g.finish = finish
	}
	if !strings.Contains(data, `"usage"`) {
		return
	}
	for path, count := range map[string]*int{
		"usage.prompt_tokens":                       &g.prompt,
		"usage.completion_tokens":                   &g.output,
		"usage.prompt_tokens_details.cached_tokens": &g.cached,
	} {
		if value := gjson.Get(data, path); value.Type == gjson.Number {
			*count = int(value.Int())
		}
	}
}

// ask is a streamed completion of forced length.
func ask(prompt []int, output int) fields {
	return fields{
		"model": "sim-1", "prompt": prompt, "max_tokens": output, "ignore_eos": true,
		"temperature": 0, "stream": true, "stream_options": fields{"include_usage": true},
	}
}

// whole is the same request without a stream.
func whole(f fields) fields {
	f["stream"] = false
	delete(f, "stream_options")
	return f
}

// ids is a prompt of n token ids that shares no block with that of another seed.
func ids(seed, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 1000 + int(mix(uint64(seed)<<32|uint64(i))%30000)
	}
	return list
}

// must is g, which has to be a complete reply.
func (r *rig) must(g got) got {
	r.Helper()
	if g.err != nil || g.status != http.StatusOK {
		r.Fatalf("status %d, error %v, body %.300s", g.status, g.err, g.body)
	}
	return g
}

// all runs n requests at once and returns what each got.
func (r *rig) all(n int, request func(i int) fields) []got {
	results := make(chan struct {
		int
		got
	})
	for i := range n {
		go func() {
			results <- struct {
				int
				got
			}{i, r.post(r.Context(), "/v1/completions", request(i))}
		}()
	}
	list := make([]got, n)
	for range n {
		g := <-results
		list[g.int] = g.got
	}
	return list
}

func (g got) String() string {
	return fmt.Sprintf("status %d err %v finish %q prompt %d output %d cached %d events %d ttft %v e2e %v",
		g.status, g.err, g.finish, g.prompt, g.output, g.cached, g.events, g.ttft, g.e2e)
}

// open sends a request and returns the response with its body unread.
func (r *rig) open(ctx context.Context, method, path, body string) (*http.Response, error) {
	base := r.base
	if base == "" {
		base = "http://sim"
	}
	request, err := http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	return r.client.Do(request)
}

// pipeListener is a Listener whose connections buffer nothing.
type pipeListener struct{ *Listener }

func newPipeListener() pipeListener { return pipeListener{NewListener()} }

func (l pipeListener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.incoming <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
