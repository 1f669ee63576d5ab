package chat

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRedactor(t *testing.T) {
	r := NewRedactor([]string{"sk-SECRET123", "sk-SECRET123456", "a\"b<c/d é", "short", "", "user:pa ss"})
	b64 := base64.StdEncoding.EncodeToString
	tests := []struct{ name, in, want string }{
		{"nothing", "hello", "hello"},
		{"as it is", "key sk-SECRET123.", "key <redacted>."},
		{"the longest first", "sk-SECRET123456", "<redacted>"},
		{"twice in a row", "sk-SECRET123sk-SECRET123", "<redacted><redacted>"},
		{"after its own beginning", "sk-SECsk-SECRET123", "sk-SEC<redacted>"},
		{"only a part", "sk-SECRET12", "sk-SECRET12"},
		{"short ones stay", "short", "short"},
		{"in JSON", `{"k":"a\"b<c/d é"}`, `{"k":"<redacted>"}`},
		{"in JSON with escapes of HTML", `{"k":"a\"b\u003cc/d é"}`, `{"k":"<redacted>"}`},
		{"in a query", "?k=" + url.QueryEscape("a\"b<c/d é") + "&l=1", "?k=<redacted>&l=1"},
		{"in a path", "/" + url.PathEscape("a\"b<c/d é"), "/<redacted>"},
		{"as userinfo", "http://" + url.UserPassword("user", "pa ss").String() + "@h", "http://<redacted>@h"},
		{"as basic authentication", "Basic " + b64([]byte("user:pa ss")), "Basic <redacted>"},
		{"in base64", b64([]byte("sk-SECRET123")), "<redacted>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.String(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := (*Redactor)(nil).String("sk-SECRET123"); got != "sk-SECRET123" {
		t.Errorf("a nil redactor makes %q", got)
	}
}

// writeSplit passes s through a redacting writer in pieces of n bytes.
func writeSplit(t *testing.T, r *Redactor, s string, n int) string {
	t.Helper()
	var out strings.Builder
	w := r.Writer(&out)
	for rest := s; rest != ""; {
		piece := rest[:min(n, len(rest))]
		rest = rest[len(piece):]
		if got, err := w.Write([]byte(piece)); got != len(piece) || err != nil {
			t.Fatalf("wrote %d of %d: %v", got, len(piece), err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRedactingWriterCatchesWhatIsSplit(t *testing.T) {
	r := NewRedactor([]string{"abcabcd", "abcabcdef"})
	for _, s := range []string{"xabcabcdx", "abcabcabcdeabcabcdef", "abcabc", "abcabcd", "abcabcde", ""} {
		want := r.String(s)
		for n := 1; n <= len(s); n++ {
			if got := writeSplit(t, r, s, n); got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", s, n, got, want)
			}
		}
	}
	w := r.Writer(failing{})
	if _, err := w.Write([]byte("hello")); !errors.Is(err, errFailing) {
		t.Errorf("the writer's error is %v", err)
	}
}

type failing struct{}

var errFailing = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFailing }

func FuzzRedactingWriter(f *testing.F) {
	f.Add("xabcabcdx", "abcabcd", "abcabcdef", 3)
	f.Fuzz(func(t *testing.T, s, a, b string, n int) {
		if n <= 0 || n > 64 {
			return
		}
		r := NewRedactor([]string{a, b})
		got := writeSplit(t, r, s, n)
		if want := r.String(s); got != want {
			t.Errorf("in pieces of %d: %q, want %q", n, got, want)
		}
	})
}

func TestReplyHasNoSecret(t *testing.T) {
	secrets := []string{"sk-test-SECRET123", "X-SECRET456", "SECRET789", "querySECRET", "someuser"}
	echo := strings.Join(secrets, " ") + " " + base64.StdEncoding.EncodeToString([]byte("someuser:SECRET789"))
	quotedEcho, err := json.Marshal(echo)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.ReplaceAll(`{"model":E,"system_fingerprint":E,"choices":[{"index":0,"delta":{"content":E,"reasoning":E,"refusal":"x","tool_calls":[{"index":0,"id":E,"function":{"name":E,"arguments":E}}]},"finish_reason":E}]}`, "E", string(quotedEcho))
	bodies := []func(http.ResponseWriter){
		func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, echo, "\n\n", event(all), done)
		},
		func(w http.ResponseWriter) { http.Error(w, echo, http.StatusUnauthorized) },
		func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"error":{"message":%s,"code":%s}}`, quotedEcho, quotedEcho)
		},
		func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://someuser:SECRET789@h/sk-test-SECRET123?x=querySECRET")
			w.WriteHeader(http.StatusFound)
		},
		func(w http.ResponseWriter) { _, _ = fmt.Fprint(w, "<p>", echo) },
	}
	for i, body := range bodies {
		base, _ := countingServer(t, func(w http.ResponseWriter, _ *http.Request) { body(w) })
		base.User = url.UserPassword("someuser", "SECRET789")
		base.RawQuery = "k=querySECRET&api-version=2"
		client := newClient(t, Config{
			BaseURLs: []*url.URL{base}, Key: "sk-test-SECRET123", KeyHeader: "api-key",
			Headers: map[string]string{"X-Token": "Token X-SECRET456"},
		})
		got := fmt.Sprintf("%+v", client.Do(t.Context(), &Request{API: Chat, Body: []byte(`{}`), Stream: true}))
		for _, secret := range append(secrets, "c29tZXVzZXI6U0VDUkVUNzg5") {
			if strings.Contains(got, secret) {
				t.Errorf("body %d: the reply has %s:\n%s", i, secret, got)
			}
		}
		if !strings.Contains(got, redacted) {
			t.Errorf("body %d: nothing was redacted:\n%s", i, got)
		}
	}
}

func TestUserinfoOfTheProxyIsSecret(t *testing.T) {
	base, proxy := &url.URL{Scheme: "http", Host: "h"}, &url.URL{Host: "p", User: url.UserPassword("user", "SECRET789")}
	r := NewRedactor(secretsOf(Config{BaseURLs: []*url.URL{base}, Proxy: http.ProxyURL(proxy)}))
	if got := r.String("Basic dXNlcjpTRUNSRVQ3ODk= SECRET789"); got != "Basic <redacted> <redacted>" {
		t.Errorf("got %q", got)
	}
}

func TestMediaTypesAreNoSecrets(t *testing.T) {
	got := secretsOf(Config{Headers: map[string]string{"Content-Type": "application/json", "X-A": "Bearer abcdef"}, Key: "k"})
	if diff := cmp.Diff([]string{"k", "Bearer abcdef", "abcdef"}, got); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
}
