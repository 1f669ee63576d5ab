package chat

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestParseBaseURL(t *testing.T) {
	tests := []struct{ in, chat string }{
		{"http://h:1", "http://h:1/v1/chat/completions"},
		{"http://h:1/", "http://h:1/v1/chat/completions"},
		{"http://h:1/v1", "http://h:1/v1/chat/completions"},
		{"http://h:1/v1/", "http://h:1/v1/chat/completions"},
		{"http://h:1/v1//", "http://h:1/v1/chat/completions"},
		{"http://h:1//v1", "http://h:1/v1/chat/completions"},
		{" http://h:1\n", "http://h:1/v1/chat/completions"},
		{"HTTP://h:1", "http://h:1/v1/chat/completions"},
		{"http://h:1/gw", "http://h:1/gw/v1/chat/completions"},
		{"http://h:1/gw/v1", "http://h:1/gw/v1/chat/completions"},
		{"http://h:1/v10", "http://h:1/v10/chat/completions"},
		{"http://h:1/V2", "http://h:1/V2/chat/completions"},
		{"http://h:1/v1/gw", "http://h:1/v1/gw/chat/completions"},
		{"http://h:1/v1beta/openai/", "http://h:1/v1beta/openai/chat/completions"},
		{"http://h:1/version1", "http://h:1/version1/v1/chat/completions"},
		{"http://h:1/v", "http://h:1/v/v1/chat/completions"},
		{"http://h:1/v1?k=1", "http://h:1/v1/chat/completions?k=1"},
		{"http://h:1?k=1&k=2", "http://h:1/v1/chat/completions?k=1&k=2"},
		{"http://h:1/v1?", "http://h:1/v1/chat/completions"},
		{"http://h:1/a%2Fb/c%20d", "http://h:1/a%2Fb/c%20d/v1/chat/completions"},
		{"http://[::1]:8000", "http://[::1]:8000/v1/chat/completions"},
		{"https://x.azure.com/openai/deployments/gpt?api-version=2024-10-21", "https://x.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21"},
		{"https://x.azure.com/openai/deployments/gpt", "https://x.azure.com/openai/deployments/gpt/chat/completions"},
		{"https://x.azure.com/openai?api-version=1", "https://x.azure.com/openai/chat/completions?api-version=1"},
		{"https://u:pa%40ss@h/v1", "https://h/v1/chat/completions"},
	}
	for _, tt := range tests {
		u, err := ParseBaseURL(tt.in)
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		if got := URLFor(u, Chat); got != tt.chat {
			t.Errorf("%q: chat at %s, want %s", tt.in, got, tt.chat)
		}
		if got, want := URLFor(u, Completions), strings.Replace(tt.chat, "/chat/", "/", 1); got != want {
			t.Errorf("%q: completions at %s, want %s", tt.in, got, want)
		}
		again, err := ParseBaseURL(u.String())
		if err != nil || again.String() != u.String() {
			t.Errorf("%q: parsed again: %v, %v", tt.in, again, err)
		}
	}
}

func TestBaseURLsThatAreRefused(t *testing.T) {
	tests := []struct{ in, message, fix string }{
		{"", "the base URL is empty", "write http://host:port"},
		{" ", "the base URL is empty", "write http://host:port"},
		{"h:1", "the base URL has no scheme", "write http://h:1"},
		{"localhost:8000/v1", "the base URL has no scheme", "write http://localhost:8000/v1"},
		{"127.0.0.1:8000", "the base URL has no scheme", "write http://127.0.0.1:8000"},
		{"//h/v1", "the base URL has no scheme", "write http://h/v1"},
		{"http:h:1", "the base URL has no scheme", "write http://h:1"},
		{"http:/h:1", "the base URL has no scheme", "write http://h:1"},
		{"://h", "the base URL has no scheme", "write http://h"},
		{"http:", "the base URL has no scheme", "write http://host:port"},
		{"u:SECRET@h:1", "the base URL has no scheme", "start it with http:// or https://"},
		{"h:1?key=SECRET", "the base URL has no scheme", "start it with http:// or https://"},
		{"ftp://h", `the scheme of the base URL is "ftp"`, "write http or https"},
		{"http://", "the base URL has no host", "write http://host:port"},
		{"https:///v1", "the base URL has no host", "write https://host:port"},
		{"http://:8000", "the base URL has no host", "write http://host:port"},
		{"http://h:0", "port 0 of the base URL is not between 1 and 65535", ""},
		{"http://h:70000", "port 70000 of the base URL is not between 1 and 65535", ""},
		{"http://h:1/v1#x", "the base URL has a fragment", "leave out # and what follows it"},
		{"http://h:port", `the base URL is not a valid URL: invalid port ":port" after host`, ""},
		{"http://u:SECRET/x@h", "the base URL is not a valid URL", ""},
		{"http://h\x00", "the base URL is not a valid URL: invalid control character in URL", ""},
		{"http://h:1/v1/chat/completions", "the base URL is that of an endpoint (/chat/completions), not of the API", "write http://h:1/v1"},
		{"http://u:SECRET@h:1/v1/chat/completions/?k=SECRET", "the base URL is that of an endpoint (/chat/completions), not of the API", "write http://h:1/v1?k=<redacted>"},
		{"https://h/openai/deployments/m/chat/completions?api-version=1", "the base URL is that of an endpoint (/chat/completions), not of the API", "write https://h/openai/deployments/m?api-version=1"},
		{"http://h:1/v1/completions", "the base URL is that of an endpoint (/completions), not of the API", "write http://h:1/v1"},
		{"http://h:1/v1/models", "the base URL is that of an endpoint (/models), not of the API", "write http://h:1/v1"},
		{"http://h:1/embeddings", "the base URL is that of an endpoint (/embeddings), not of the API", "write http://h:1"},
		{"http://h:1/gw/v1/v1/", "the path of the base URL has /v1 twice", "leave out one"},
		{"http://h:1/v1/chat", "the base URL is that of an endpoint (/chat), not of the API", "write http://h:1/v1"},
	}
	for _, tt := range tests {
		_, err := ParseBaseURL(tt.in)
		var refused *URLError
		if !errors.As(err, &refused) || refused.Message != tt.message || refused.Fix != tt.fix {
			t.Errorf("%q: got %#v, want %q, %q", tt.in, err, tt.message, tt.fix)
			continue
		}
		if strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: the error has the secret: %v", tt.in, err)
		}
	}
}

func TestRedactedURL(t *testing.T) {
	tests := []struct{ in, want string }{
		{"http://h:1/v1", "http://h:1/v1"},
		{"http://u:p@h/v1?", "http://h/v1"},
		{"http://u@h/v1?key=a&api-version=2&b", "http://h/v1?key=<redacted>&api-version=2&<redacted>"},
		{"http://h/v1?a=b=c&%zz=d#frag", "http://h/v1?a=<redacted>&%zz=<redacted>"},
	}
	for _, tt := range tests {
		u, err := url.Parse(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := Redacted(u); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzParseBaseURL(f *testing.F) {
	for _, s := range []string{"http://h:1//v1/", "h:1", "https://u:p@h/a%2f?k=1", "http://h/v1/v1", "http:///"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := ParseBaseURL(s)
		if err != nil {
			return
		}
		target, err := url.Parse(URLFor(u, Chat))
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		path := target.EscapedPath()
		if strings.Contains(path, "//") || !strings.HasSuffix(path, "/chat/completions") || target.User != nil {
			t.Errorf("%q: requests go to %s", s, target)
		}
		if again, err := ParseBaseURL(u.String()); err != nil || again.String() != u.String() {
			t.Errorf("%q: %s parsed again: %v, %v", s, u, again, err)
		}
	})
}
