package chat

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// countingServer is an HTTP server that counts its connections.
func countingServer(t *testing.T, handler http.HandlerFunc) (base *url.URL, accepted *atomic.Int64) {
	t.Helper()
	accepted = new(atomic.Int64)
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			accepted.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	base, err := ParseBaseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return base, accepted
}

func newClient(t *testing.T, cfg Config) *Client {
	t.Helper()
	client, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func TestConnectionsAreReused(t *testing.T) {
	const width, waves = 64, 10
	var inFlight, most atomic.Int64
	var arrived sync.WaitGroup
	base, accepted := countingServer(t, func(w http.ResponseWriter, req *http.Request) {
		n := inFlight.Add(1)
		defer inFlight.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		arrived.Done()
		arrived.Wait() // all of the wave are here
		w.Header().Set("Content-Type", "text/event-stream")
		id := req.Header.Get("X-Wave")
		for range 3 {
			_, _ = fmt.Fprint(w, c(id))
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = fmt.Fprint(w, finish("stop"), used(5, 3), done)
	})
	client := newClient(t, Config{BaseURLs: []*url.URL{base}, Headers: map[string]string{"X-Wave": "ab"}})
	client.kept.IdleConnTimeout = 0 // a slow machine may pause between waves
	for range waves {
		arrived.Add(width)
		var wave sync.WaitGroup
		for range width {
			wave.Go(func() {
				got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true})
				if got.Failure != NoFailure || got.Content != "ababab" || len(got.Events) != 3 {
					t.Errorf("got %v %q, content %q", got.Failure, got.Error, got.Content)
				}
				last := got.Written
				for _, e := range got.Events {
					if e.At < last || e.At > got.Closed {
						t.Errorf("written %d, events %v, closed %d", got.Written, got.Events, got.Closed)
					}
					last = e.At
				}
			})
		}
		wave.Wait()
	}
	if n := accepted.Load(); n > width {
		t.Errorf("%d connections for %d in flight", n, width)
	}
	if n := most.Load(); n != width {
		t.Errorf("%d in flight at once, want %d", n, width)
	}
}

// tickingClock moves by one with every look at it.
type tickingClock struct{ now atomic.Int64 }

func (c *tickingClock) Now() Stamp { return Stamp(c.now.Add(1)) }

func TestStampsAreOfTheReadsAndTheFirstWrite(t *testing.T) {
	near, far := net.Pipe()
	conn := newStampConn(near, new(tickingClock), nil, 0)
	swallow := func() { _, _ = far.Read(make([]byte, 9)) }
	first := conn.begin()
	for range 2 {
		go swallow()
		_, _ = conn.Write([]byte("a"))
	}
	go func() {
		_, _ = far.Write([]byte("b"))
		_ = far.Close()
	}()
	buf := make([]byte, 9)
	_, _ = conn.Read(buf)
	read := first.lastRead()
	if _, err := conn.Read(buf); err == nil || first.lastRead() != read {
		t.Errorf("the end of the connection (%v) moved the last read from %d to %d", err, read, first.lastRead())
	}
	if first.written() != 1 || read != 2 {
		t.Errorf("written %d, read %d, want 1, 2", first.written(), read)
	}
	if second := conn.begin(); second.written() != 0 || second.lastRead() != 0 || first.written() != 1 {
		t.Errorf("the next exchange begins with %d, %d, and the first has %d", second.written(), second.lastRead(), first.written())
	}
}

func TestReplyInOneReadHasOneMoment(t *testing.T) {
	whole := c("a") + c("b") + finish("stop") + done
	s := newScripted(t, script{head: head("200 OK", "Content-Type: text/event-stream", fmt.Sprintf("Content-Length: %d", len(whole))) + whole})
	got := s.client(func(cfg *Config) { cfg.Clock = new(tickingClock) }).Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true})
	if got.Failure != NoFailure || len(got.Events) != 2 {
		t.Fatalf("got %v %q, %d events", got.Failure, got.Error, len(got.Events))
	}
	moments := []Stamp{got.FirstByte, got.Events[0].At, got.Events[1].At, got.Closed}
	for _, m := range moments {
		if m != moments[0] || m <= got.Written || m >= got.FirstParsed {
			t.Errorf("written %d, moments %v, parsed %d", got.Written, moments, got.FirstParsed)
		}
	}
}

func TestConnectionsAreReusedAfterErrors(t *testing.T) {
	base, accepted := countingServer(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, strings.Repeat("busy ", 2000), http.StatusTooManyRequests)
	})
	client := newClient(t, Config{BaseURLs: []*url.URL{base}})
	for range 5 {
		if got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true}); got.Status != 429 {
			t.Errorf("got %v %q", got.Failure, got.Error)
		}
	}
	if n := accepted.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestServersThatCloseEachConnection(t *testing.T) {
	base, accepted := countingServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, c("a"), finish("stop"), done)
	})
	client := newClient(t, Config{BaseURLs: []*url.URL{base}})
	for range 5 {
		if got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true}); got.Failure != NoFailure || got.Reconnects != 0 {
			t.Errorf("got %v %q, %d reconnects", got.Failure, got.Error, got.Reconnects)
		}
	}
	if n := accepted.Load(); n != 5 {
		t.Errorf("%d connections, want 5", n)
	}
}

func TestKeptConnectionThatIsResetIsReplaced(t *testing.T) {
	good := stream(at(1, c("a"), finish("stop"), done))
	s := newScripted(t, good, script{head: "none", end: reset}, good)
	client := s.client(nil)
	for i, want := range []int{0, 1} {
		got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true})
		if got.Failure != NoFailure || got.Reconnects != want || got.Attempts != 1 {
			t.Errorf("request %d: %v %q, %d reconnects, want %d", i, got.Failure, got.Error, got.Reconnects, want)
		}
	}
	if s.accepted != 2 {
		t.Errorf("%d connections, want 2", s.accepted)
	}
}

func TestFramingOfHTTP(t *testing.T) {
	whole := c("a") + finish("stop") + used(3, 1) + done
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(c("a")))
	_ = z.Flush()
	first := zipped.Len()
	_, _ = z.Write([]byte(strings.TrimPrefix(whole, c("a"))))
	_ = z.Close()
	chunk := func(s string) string { return fmt.Sprintf("%x;name=value\r\n%s\r\n", len(s), s) }
	raw := strings.Replace(streamHead, "chunked", "CHUNKED", 1) // the script sends the chunks itself
	tests := []struct {
		name   string
		script script
		want   []arrival
		notes  []string
	}{
		{"chunk extensions and trailers", script{head: raw, steps: []step{
			at(10, chunk(c("a"))), at(20, chunk(finish("stop")+used(3, 1)+done)), at(30, "0\r\nX-Sum: 1\r\n\r\n"),
		}}, content(10), nil},
		{"an event in two chunks", script{steps: []step{at(10, whole[:20]), at(20, whole[20:])}}, content(20), nil},
		{"a chunk in two reads", script{head: raw, steps: []step{
			at(10, chunk(whole)[:20]), at(20, chunk(whole)[20:], "0\r\n\r\n"),
		}}, content(20), nil},
		{"informational responses", script{head: head("100 Continue") + head("103 Early Hints", "Link: </a>") + streamHead, steps: []step{at(10, whole)}}, content(10), nil},
		{"a length", script{head: head("200 OK", "Content-Type: text/event-stream", fmt.Sprintf("Content-Length: %d", len(whole))), steps: []step{at(10, c("a")), at(20, strings.TrimPrefix(whole, c("a")))}}, content(10), nil},
		{"HTTP/1.0", script{head: "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", steps: []step{at(10, whole)}, end: fin}, content(10), nil},
		{"gzip", script{
			head: head("200 OK", "Content-Type: text/event-stream", "Content-Encoding: gzip", "Transfer-Encoding: chunked"),
			steps: []step{
				at(10, zipped.String()[:first]), at(20, zipped.String()[first:]),
			},
		}, content(10), []string{"the server compressed the reply, although it was not asked to"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			good := stream(at(1, whole))
			s := newScripted(t, tt.script, good)
			client := s.client(nil)
			got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true})
			if got.Failure != NoFailure || got.Content != "a" || got.Usage.OutputTokens != 1 {
				t.Errorf("got %v %q, content %q", got.Failure, got.Error, got.Content)
			}
			if diff := cmp.Diff(tt.want, arrivals(got)); diff != "" {
				t.Errorf("arrivals (-want +got):\n%s", diff)
			}
			checkNotes(t, got.Notes, tt.notes...)
			if got := client.Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true}); got.Failure != NoFailure {
				t.Errorf("the next request: %v %q", got.Failure, got.Error)
			}
		})
	}
	t.Run("gzip that is none", func(t *testing.T) {
		got := play(t, script{head: head("200 OK", "Content-Encoding: gzip", "Content-Length: 11"), steps: []step{at(1, "hello world")}})
		if got.Failure != StreamBroken || !strings.Contains(got.Error, "gzip: invalid header") {
			t.Errorf("got %v %q", got.Failure, got.Error)
		}
	})
}

func TestWhatIsSent(t *testing.T) {
	good := stream(at(1, c("a"), finish("stop"), done))
	s := newScripted(t, good, good, good)
	base, err := ParseBaseURL(strings.Replace(s.base().String(), "://", "://user:secret@", 1) + "?k=1")
	if err != nil {
		t.Fatal(err)
	}
	send := func(api API, change func(*Config)) *http.Request {
		t.Helper()
		client := s.client(func(cfg *Config) {
			cfg.BaseURLs = []*url.URL{base}
			change(cfg)
		})
		if got := client.Do(t.Context(), &Request{API: api, Body: []byte(`{"a":1}`), Stream: true}); got.Failure != NoFailure {
			t.Errorf("%v %q", got.Failure, got.Error)
		}
		return s.requests[len(s.requests)-1]
	}

	basic := send(Chat, func(*Config) {})
	want := http.Header{
		"Accept": {"text/event-stream, application/json"}, "Accept-Encoding": {"identity"}, "Authorization": {"Basic dXNlcjpzZWNyZXQ="},
		"Content-Length": {"7"}, "Content-Type": {"application/json"}, "User-Agent": {"scenario"},
	}
	if diff := cmp.Diff(want, basic.Header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if basic.Method != "POST" || basic.RequestURI != "/v1/chat/completions?k=1" || s.bodies[0] != `{"a":1}` {
		t.Errorf("sent %s %s %q", basic.Method, basic.RequestURI, s.bodies[0])
	}

	bearer := send(Completions, func(cfg *Config) { cfg.Key, cfg.UserAgent = "k", "me/1" })
	if auth, agent := bearer.Header.Get("Authorization"), bearer.UserAgent(); auth != "Bearer k" || agent != "me/1" || bearer.RequestURI != "/v1/completions?k=1" {
		t.Errorf("sent %q as %q to %s", auth, agent, bearer.RequestURI)
	}

	custom := send(Chat, func(cfg *Config) {
		cfg.Key, cfg.KeyHeader = "k", "api-key"
		cfg.Headers = map[string]string{"X-Team": "a", "Host": "other", "accept": "application/json"}
	})
	h := custom.Header
	if diff := cmp.Diff([]string{"k", "", "a", "other", "application/json"}, []string{h.Get("Api-Key"), h.Get("Authorization"), h.Get("X-Team"), custom.Host, h.Get("Accept")}); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
}

func TestLongBodyIsSentWhole(t *testing.T) {
	body := []byte(`{"prompt":"` + strings.Repeat("x", 3<<20) + `"}`)
	s := newScripted(t, stream(at(1, c("a"), finish("stop"), done)))
	got := s.client(nil).Do(t.Context(), &Request{Body: body, Stream: true})
	if got.Failure != NoFailure || s.bodies[0] != string(body) {
		t.Errorf("got %v %q; %d bytes arrived of %d", got.Failure, got.Error, len(s.bodies[0]), len(body))
	}
}

func TestConfigurationsThatCannotWork(t *testing.T) {
	base, err := ParseBaseURL("http://h")
	if err != nil {
		t.Fatal(err)
	}
	const secret = "sk-SECRET"
	tests := []struct {
		name string
		cfg  Config
		want string
	}{
		{"no URL", Config{}, "no base URL"},
		{"a URL without a host", Config{BaseURLs: []*url.URL{base, {Path: "/v1"}}}, "base URL 1: not a URL of ParseBaseURL"},
		{"no URL in the list", Config{BaseURLs: []*url.URL{nil}}, "base URL 0: not a URL of ParseBaseURL"},
		{"a key with a line break", Config{BaseURLs: []*url.URL{base}, Key: secret + "\n"}, "base URL 0: the key has a line break or another control character"},
		{"a header for the key that is none", Config{BaseURLs: []*url.URL{base}, Key: secret, KeyHeader: "api key"}, `base URL 0: "api key" is not a header name`},
		{"a header that is none", Config{BaseURLs: []*url.URL{base}, Headers: map[string]string{"": secret}}, `base URL 0: "" is not a header name`},
		{"a value with a line break", Config{BaseURLs: []*url.URL{base}, Headers: map[string]string{"X-A": secret + "\r\nX-B: c"}}, "base URL 0: the value of header X-A has a line break or another control character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.cfg)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRequestsThatMeanNoEndpoint(t *testing.T) {
	s := newScripted(t)
	client := s.client(nil)
	for _, request := range []*Request{{Endpoint: 1}, {Endpoint: -1}, {API: 7}} {
		if got := client.Do(t.Context(), request); got.Failure != ClientError || got.Usage != unknownUsage {
			t.Errorf("%+v: got %v %q", request, got.Failure, got.Error)
		}
	}
}
