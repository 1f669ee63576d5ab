package chat

import (
	"fmt"
	"strings"
	"testing"
)

func TestHTTPErrorsAreReduced(t *testing.T) {
	tests := []struct {
		name, status, body string
		header             []string
		want, code         string
	}{
		{"the current shape", "404 Not Found", `{"error":{"message":"The model does not exist.","type":"NotFoundError","param":"model","code":404}}`, nil, "HTTP 404 Not Found: The model does not exist.", "404"},
		{"the shape with the message at the top", "400 Bad Request", `{"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400}`, nil, "HTTP 400 Bad Request: too long", "400"},
		{"a message alone", "400 Bad Request", `{"error":{"message":"nope"}}`, nil, "HTTP 400 Bad Request: nope", ""},
		{"a string", "400 Bad Request", `{"error":"extra fields not permitted"}`, nil, "HTTP 400 Bad Request: extra fields not permitted", ""},
		{"a type for want of a code", "400 Bad Request", `{"error":{"message":"nope","type":"invalid_request_error","code":null}}`, nil, "HTTP 400 Bad Request: nope", "invalid_request_error"},
		{"a detail", "404 Not Found", `{"detail":"Not Found"}`, nil, "HTTP 404 Not Found: Not Found", ""},
		{"a list of details", "422 Unprocessable Entity", `{"detail":[{"loc":["body","model"],"msg":"field required"},{"msg":"value is not a list"}]}`, nil, "HTTP 422 Unprocessable Entity: field required; value is not a list", ""},
		{"a message beside a status", "401 Unauthorized", `{"statusCode":401,"message":"Access denied"}`, nil, "HTTP 401 Unauthorized: Access denied", "401"},
		{"a list around the error", "429 Too Many Requests", `[{"error":{"message":"quota","status":"RESOURCE_EXHAUSTED"}}]`, nil, "HTTP 429 Too Many Requests: quota", "RESOURCE_EXHAUSTED"},
		{"a message that is an object", "500 Internal Server Error", `{"error":{"message":{"detail":"inner"}}}`, nil, "HTTP 500 Internal Server Error: inner", ""},
		{"plain text over lines", "500 Internal Server Error", "it\r\n\tbroke\x1b[31m\x00 here\n", nil, "HTTP 500 Internal Server Error: it broke [31m here", ""},
		{"a page with a title", "502 Bad Gateway", "<html>\n<head><TITLE lang=en>502 Bad &amp; Gone</TITLE></head>", nil, "HTTP 502 Bad Gateway: 502 Bad & Gone", ""},
		{"a page without a title", "502 Bad Gateway", "<html><body>oh</body></html>", nil, "HTTP 502 Bad Gateway: an HTML page", ""},
		{"nothing", "503 Service Unavailable", "", nil, "HTTP 503 Service Unavailable", ""},
		{"a status without a name", "799 Odd", "x", nil, "HTTP 799: x", ""},
		{"another success", "202 Accepted", `{"status":"queued"}`, nil, `HTTP 202 Accepted: {"status":"queued"}`, ""},
		{"JSON without a message", "500 Internal Server Error", `{"a":1}`, nil, `HTTP 500 Internal Server Error: {"a":1}`, ""},
		{"a redirect", "307 Temporary Redirect", "", []string{"Location: https://u:pw123456@other:1/v1?key=abcdef&api-version=2"}, "HTTP 307 Temporary Redirect: redirects are not followed; this one leads to https://other:1/v1?key=<redacted>&api-version=2", ""},
		{"a redirect to nowhere", "302 Found", "moved", nil, "HTTP 302 Found: moved", ""},
		{"another protocol", "101 Switching Protocols", "\x81\x05hello", nil, "HTTP 101 Switching Protocols: what follows is no HTTP", ""},
		{"a long text", "500 Internal Server Error", strings.Repeat("é", 400), nil, "HTTP 500 Internal Server Error: " + strings.Repeat("é", maxMessage) + "…", ""},
		{"a coding that was not asked for", "500 Internal Server Error", "xx", []string{"Content-Encoding: zstd"}, `HTTP 500 Internal Server Error: the body is encoded as "zstd"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines := append([]string{fmt.Sprintf("Content-Length: %d", len(tt.body))}, tt.header...)
			got := play(t, script{head: head(tt.status, lines...), steps: []step{at(10, tt.body)}})
			if got.Failure != HTTPError || got.Error != tt.want || got.Code != tt.code {
				t.Errorf("got %v %q, code %q\nwant %q, code %q", got.Failure, got.Error, got.Code, tt.want, tt.code)
			}
			if got.Attempts != 1 || fmt.Sprint(got.Status) != tt.status[:3] {
				t.Errorf("status %d after %d attempts", got.Status, got.Attempts)
			}
		})
	}
}

func TestHTTPErrorBodyIsBoundedAndMayBeCut(t *testing.T) {
	long := `{"error":{"message":"` + strings.Repeat("x", 2*maxErrorBody) + `"}}`
	got := play(t, script{head: head("500 Internal Server Error", fmt.Sprintf("Content-Length: %d", len(long))), steps: []step{at(1, long)}, end: fin})
	if got.Failure != HTTPError || len(got.Error) > 400 {
		t.Errorf("got %v, an error of %d bytes", got.Failure, len(got.Error))
	}
	got = play(t, script{head: head("503 Service Unavailable", "Content-Length: 99"), steps: []step{at(1, "Loading model")}, end: reset})
	if want := "HTTP 503 Service Unavailable: Loading model"; got.Failure != HTTPError || got.Error != want {
		t.Errorf("got %v %q, want %q", got.Failure, got.Error, want)
	}
}
