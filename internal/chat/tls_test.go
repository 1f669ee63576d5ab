package chat

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func streaming(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range []string{c("a"), c("b"), finish("stop") + done} {
		_, _ = fmt.Fprint(w, e)
		_ = http.NewResponseController(w).Flush()
	}
}

// secureServer is a server over TLS, and the pool that trusts it.
func secureServer(t *testing.T, change func(*tls.Config)) (*httptest.Server, *x509.CertPool) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(streaming))
	server.Config.ErrorLog = quiet
	server.TLS = new(tls.Config)
	if change != nil {
		change(server.TLS)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return server, pool
}

func ask(t *testing.T, base string, cfg Config) *Reply {
	t.Helper()
	u, err := ParseBaseURL(base)
	if err != nil {
		t.Fatal(err)
	}
	cfg.BaseURLs = []*url.URL{u}
	return newClient(t, cfg).Do(t.Context(), &Request{Body: []byte(`{}`), Stream: true})
}

func TestStreamOverTLS(t *testing.T) {
	server, pool := secureServer(t, nil)
	got := ask(t, server.URL, Config{TLS: &tls.Config{RootCAs: pool, NextProtos: []string{"h2"}}})
	if got.Failure != NoFailure || got.Content != "ab" || len(got.Events) != 2 {
		t.Fatalf("got %v %q, content %q", got.Failure, got.Error, got.Content)
	}
	order := []Stamp{1, got.Written, got.FirstByte, got.Events[0].At, got.Events[1].At, got.Closed}
	for i := 1; i < len(order); i++ {
		if order[i] < order[i-1] {
			t.Errorf("moments out of order: %v", order)
		}
	}
}

func TestTLSErrorsSayWhatToSet(t *testing.T) {
	server, pool := secureServer(t, nil)
	picky, pickyPool := secureServer(t, func(cfg *tls.Config) { cfg.ClientAuth = tls.RequireAnyClientCert })
	old, oldPool := secureServer(t, func(cfg *tls.Config) { cfg.MaxVersion = tls.VersionTLS12 })
	plain := httptest.NewServer(http.HandlerFunc(streaming))
	defer plain.Close()
	tests := []struct {
		name, base string
		tls        *tls.Config
		want       []string
	}{
		{"an unknown CA", server.URL, nil, []string{"not trusted", "unknown authority", "target.tls.ca_file"}},
		{"another name", strings.Replace(server.URL, "127.0.0.1", "localhost", 1), &tls.Config{RootCAs: pool}, []string{`not for "localhost"`, "example.com", "base_url"}},
		{"no TLS on the port", strings.Replace(plain.URL, "http:", "https:", 1), nil, []string{"does not speak TLS", "write http://"}},
		{"a client certificate is asked for", picky.URL, &tls.Config{RootCAs: pickyPool}, []string{"the server refused", "target.tls.cert_file"}},
		{"no version in common", old.URL, &tls.Config{RootCAs: oldPool, MinVersion: tls.VersionTLS13}, []string{"TLS: ", "protocol version"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ask(t, tt.base, Config{TLS: tt.tls})
			if got.Failure != ConnectError || got.Attempts != 1 {
				t.Errorf("failure %v after %d attempts", got.Failure, got.Attempts)
			}
			for _, want := range tt.want {
				if !strings.Contains(got.Error, want) {
					t.Errorf("error %q does not contain %q", got.Error, want)
				}
			}
		})
	}
	t.Run("TLS on a port taken for plain", func(t *testing.T) {
		got := ask(t, strings.Replace(server.URL, "https:", "http:", 1), Config{})
		if got.Failure != HTTPError || !strings.Contains(got.Error, "HTTPS server") {
			t.Errorf("got %v %q", got.Failure, got.Error)
		}
	})
}

// proxyServer forwards both kinds of proxy requests, and counts them.
func proxyServer(t *testing.T, status int) (proxy *url.URL, connects, forwards *int) {
	t.Helper()
	connects, forwards = new(int), new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodConnect {
			*forwards++
			streaming(w, req)
			return
		}
		*connects++
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		far, err := net.Dial("tcp", req.Host)
		if err != nil {
			t.Error(err)
			return
		}
		near, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(far, bufio.NewReader(buffered))
			_ = far.Close()
		}()
		_, _ = io.Copy(near, far)
		_ = near.Close()
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("user", "password")
	return u, connects, forwards
}

func TestProxy(t *testing.T) {
	server, pool := secureServer(t, nil)
	trust := &tls.Config{RootCAs: pool}
	t.Run("to a plain server", func(t *testing.T) {
		proxy, _, forwards := proxyServer(t, http.StatusOK)
		got := ask(t, "http://model.invalid", Config{Proxy: http.ProxyURL(proxy)})
		if got.Failure != NoFailure || got.Content != "ab" || *forwards != 1 || got.Written == 0 {
			t.Errorf("got %v %q, content %q, %d requests", got.Failure, got.Error, got.Content, *forwards)
		}
	})
	t.Run("to a secure server", func(t *testing.T) {
		proxy, connects, _ := proxyServer(t, http.StatusOK)
		got := ask(t, server.URL, Config{Proxy: http.ProxyURL(proxy), TLS: trust})
		if got.Failure != NoFailure || got.Content != "ab" || *connects != 1 || got.Written == 0 || got.FirstByte < got.Written {
			t.Errorf("got %v %q, content %q, %d connects", got.Failure, got.Error, got.Content, *connects)
		}
	})
	t.Run("that refuses", func(t *testing.T) {
		proxy, _, _ := proxyServer(t, http.StatusForbidden)
		got := ask(t, server.URL, Config{Proxy: http.ProxyURL(proxy), TLS: trust})
		if want := "the proxy answered HTTP 403 Forbidden"; got.Failure != ConnectError || got.Error != want {
			t.Errorf("got %v %q, want %q", got.Failure, got.Error, want)
		}
	})
	t.Run("that is not there", func(t *testing.T) {
		proxy, err := url.Parse("http://user:password@127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		got := ask(t, "http://model.invalid", Config{Proxy: http.ProxyURL(proxy)})
		if want := "proxy: cannot connect to 127.0.0.1:1: connection refused"; got.Failure != ConnectError || got.Error != want {
			t.Errorf("got %v %q, want %q", got.Failure, got.Error, want)
		}
	})
	t.Run("none by default", func(t *testing.T) {
		t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
		base, _ := countingServer(t, streaming)
		if got := ask(t, base.String(), Config{}); got.Failure != NoFailure {
			t.Errorf("got %v %q", got.Failure, got.Error)
		}
	})
}
