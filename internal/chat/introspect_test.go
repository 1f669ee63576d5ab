package chat

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestIntrospection(t *testing.T) {
	base, _ := countingServer(t, func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		w.Header().Set("X-Seen", req.Method+" "+req.RequestURI+" "+req.Header.Get("Authorization"))
		if req.URL.Path == "/gone" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = fmt.Fprintf(w, "%-10s", body)
	})
	base.RawQuery = "k=1"
	client := newClient(t, Config{BaseURLs: []*url.URL{base}, Key: "sk-123456"})
	tests := []struct {
		path   string
		status int
		seen   string
	}{
		{"/version", 200, "GET /version?k=1 Bearer sk-123456"},
		{"models", 200, "GET /v1/models?k=1 Bearer sk-123456"},
		{"models/a%2Fb", 200, "GET /v1/models/a%2Fb?k=1 Bearer sk-123456"},
		{"/flush?timeout=3", 200, "GET /flush?timeout=3&k=1 Bearer sk-123456"},
		{"/gone", 404, "GET /gone?k=1 Bearer sk-123456"},
	}
	for _, tt := range tests {
		status, header, body, err := client.Get(t.Context(), 0, tt.path, 10)
		if err != nil || status != tt.status || header.Get("X-Seen") != tt.seen || len(body) != 10 {
			t.Errorf("%s: got %d %q %q, %v", tt.path, status, header.Get("X-Seen"), body, err)
		}
	}
	if _, header, body, err := client.Post(t.Context(), 0, "/tokenize", []byte(`{"a":1}`), 10); err != nil ||
		header.Get("X-Seen") != "POST /tokenize?k=1 Bearer sk-123456" || string(body) != `{"a":1}   ` {
		t.Errorf("post: got %q %q, %v", header.Get("X-Seen"), body, err)
	}
}

func TestIntrospectionThatFails(t *testing.T) {
	base, _ := countingServer(t, func(w http.ResponseWriter, req *http.Request) {
		switch req.URL.Path {
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", 100))
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "short")
		case "/br":
			w.Header().Set("Content-Encoding", "br")
		}
	})
	client := newClient(t, Config{BaseURLs: []*url.URL{base}})
	tests := []struct {
		path string
		body string
		want string
	}{
		{"/long", "xxxxxxxxxx", "the body is longer than 10 bytes"},
		{"/cut", "short", "the connection was closed"},
		{"/br", "", `the body is encoded as "br", which was not asked for`},
	}
	for _, tt := range tests {
		status, _, body, err := client.Get(t.Context(), 0, tt.path, 10)
		var call *CallError
		if !errors.As(err, &call) || call.Failure != StreamBroken || call.Message != tt.want || status != 200 || string(body) != tt.body {
			t.Errorf("%s: got %d %q, %v, want %q", tt.path, status, body, err, tt.want)
		}
	}
	var call *CallError
	if _, _, _, err := client.Get(t.Context(), 1, "/", 10); !errors.As(err, &call) || call.Failure != ClientError {
		t.Errorf("no endpoint: %v", err)
	}
	down := newClient(t, Config{BaseURLs: []*url.URL{{Scheme: "http", Host: "127.0.0.1:1"}}})
	if _, _, _, err := down.Get(t.Context(), 0, "/", 10); !errors.As(err, &call) || call.Failure != ConnectError {
		t.Errorf("no server: %v", err)
	}
}

func TestServerRoot(t *testing.T) {
	tests := []struct{ base, root, models string }{
		{"http://h", "http://h/version", "http://h/v1/models"},
		{"http://h/gw/v1", "http://h/gw/version", "http://h/gw/v1/models"},
		{"http://h/v1beta/openai", "http://h/version", "http://h/v1beta/openai/models"},
		{"https://h/openai/deployments/m?api-version=1", "https://h/openai/deployments/m/version?api-version=1", "https://h/openai/deployments/m/models?api-version=1"},
		{"http://u:p@h/a%2Fb/v2", "http://h/a%2Fb/version", "http://h/a%2Fb/v2/models"},
	}
	for _, tt := range tests {
		base, err := ParseBaseURL(tt.base)
		if err != nil {
			t.Fatal(err)
		}
		if got := resource(base, "/version").String(); got != tt.root {
			t.Errorf("%s: root %s, want %s", tt.base, got, tt.root)
		}
		if got := resource(base, "models").String(); got != tt.models {
			t.Errorf("%s: models %s, want %s", tt.base, got, tt.models)
		}
	}
}

func TestIntrospectionIsNotWaitedForAsReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Timeouts{Request: time.Hour}, func(_ net.Conn, in *bufio.Reader) { untilClosed(in) })
		start := time.Now()
		var call *CallError
		if _, _, _, err := client.Get(t.Context(), 0, "models", 10); !errors.As(err, &call) || call.Failure != Timeout || time.Since(start) != callLimit {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

func TestIntrospectionThatLeavesHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newPipeClient(t, Timeouts{}, func(conn net.Conn, in *bufio.Reader) {
			readRequest(in)
			say(conn, 0, head("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"))
			untilClosed(in)
		})
		if status, _, body, err := client.Get(t.Context(), 0, "models", 10); status != http.StatusSwitchingProtocols || len(body) > 0 || err != nil {
			t.Errorf("got %d %q, %v", status, body, err)
		}
	})
}

func TestAWholeURLGetsNoSecretOfTheBaseURL(t *testing.T) {
	seen := func(w http.ResponseWriter, req *http.Request) {
		_, _ = fmt.Fprintf(w, "%s|%s|%s", req.RequestURI, req.Header.Get("Authorization"), req.Header.Get("X-Token"))
	}
	base, _ := countingServer(t, seen)
	other, _ := countingServer(t, seen)
	base.RawQuery = "k=secret-of-base"
	client := newClient(t, Config{BaseURLs: []*url.URL{base}, Key: "sk-123456", Headers: map[string]string{"X-Token": "t-123456"}})
	for name, tt := range map[string]struct{ url, want string }{
		"the same server":             {"http://" + base.Host + "/metrics", "/metrics|Bearer sk-123456|t-123456"},
		"another server":              {"http://" + other.Host + "/a/metrics?x=1", "/a/metrics?x=1||"},
		"another with a user":         {"http://u:p@" + other.Host + "/metrics", "/metrics|Basic dTpw|"},
		"the same server with a user": {"http://u:p@" + base.Host + "/metrics", "/metrics|Basic dTpw|t-123456"},
	} {
		if status, _, body, err := client.Get(t.Context(), 0, tt.url, 1000); err != nil || status != 200 || string(body) != tt.want {
			t.Errorf("%s: got %d %q, %v; want %q", name, status, body, err, tt.want)
		}
	}
}
