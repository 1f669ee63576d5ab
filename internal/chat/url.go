package chat

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// URLError says why a base URL was refused, and what to write instead. It shows
// neither userinfo nor the values of a query.
type URLError struct{ Message, Fix string }

func (e *URLError) Error() string {
	if e.Fix == "" {
		return e.Message
	}
	return e.Message + "; " + e.Fix
}

// azureVersion is the query parameter that has the version of an Azure API.
const azureVersion = "api-version"

// version is a path segment that has the version of an API: v1, v10, v1beta.
var version = regexp.MustCompile(`^[vV][0-9]+([a-z]+[0-9]*)?$`)

// endpointPaths are the paths below an API base that people paste as the base.
var endpointPaths = []string{
	"/chat/completions", "/completions", "/embeddings", "/models", "/responses", "/messages",
	"/rerank", "/tokenize", "/detokenize", "/generate",
}

// ParseBaseURL reads the base URL of an OpenAI-compatible API: http or https, a
// host, and a path and query that are kept. /v1 is added to a path without a
// version segment, unless it is one of Azure (with /deployments/ in it, or the
// query api-version). The result has neither a slash at its end nor two in a row.
// The error is a *URLError.
func ParseBaseURL(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if err := checkURLText(s); err != nil {
		return nil, err
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, &URLError{Message: "the base URL is not a valid URL" + parseReason(s, err)}
	}
	if err := checkOrigin(u); err != nil {
		return nil, err
	}
	u.ForceQuery = false
	segments := strings.FieldsFunc(u.EscapedPath(), func(r rune) bool { return r == '/' })
	path := joinPath(segments)
	if name := endpointIn(path); name != "" {
		setPath(u, strings.TrimSuffix(path, name))
		return nil, &URLError{
			Message: fmt.Sprintf("the base URL is that of an endpoint (%s), not of the API", name),
			Fix:     "write " + Redacted(u),
		}
	}
	for i, segment := range segments[min(1, len(segments)):] {
		if segment == segments[i] && version.MatchString(segment) {
			return nil, &URLError{Message: "the path of the base URL has /" + segment + " twice", Fix: "leave out one"}
		}
	}
	if !slices.ContainsFunc(segments, version.MatchString) && !isAzure(u, path) {
		path += "/v1"
	}
	setPath(u, path)
	return u, nil
}

func checkURLText(s string) error {
	scheme, _, found := strings.Cut(s, "://")
	switch {
	case s == "":
		return &URLError{Message: "the base URL is empty", Fix: "write http://host:port"}
	case strings.Contains(s, "#"):
		return &URLError{Message: "the base URL has a fragment", Fix: "leave out # and what follows it"}
	case found && scheme != "":
		return nil
	case strings.ContainsAny(s, "@?"):
		return &URLError{Message: "the base URL has no scheme", Fix: "start it with http:// or https://"}
	}
	rest := strings.TrimLeft(s, ":/")
	for _, prefix := range []string{"http:", "https:"} {
		rest = strings.TrimLeft(strings.TrimPrefix(rest, prefix), "/")
	}
	return &URLError{Message: "the base URL has no scheme", Fix: "write http://" + orElse(rest, "host:port")}
}

// parseReason is what the parser found, if it cannot be a piece of a password.
func parseReason(s string, err error) string {
	failed, ok := err.(*url.Error)
	if !ok || strings.ContainsAny(s, "@?") {
		return ""
	}
	switch reason := OneLine(failed.Err.Error(), maxMessage); {
	case strings.Contains(reason, "first path segment"):
		return ": it does not begin with http:// or https://"
	default:
		return ": " + strings.TrimPrefix(reason, "net/url: ")
	}
}

// checkOrigin checks scheme, host and port.
func checkOrigin(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return &URLError{Message: fmt.Sprintf("the scheme of the base URL is %q", u.Scheme), Fix: "write http or https"}
	case u.Hostname() == "":
		return &URLError{Message: "the base URL has no host", Fix: "write " + u.Scheme + "://host:port"}
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return &URLError{Message: fmt.Sprintf("port %s of the base URL is not between 1 and 65535", port)}
		}
	}
	return nil
}

// endpointIn is the endpoint that a path ends in, or "".
func endpointIn(path string) string {
	for _, name := range endpointPaths {
		if strings.HasSuffix(path, name) {
			return name
		}
	}
	if head, ok := strings.CutSuffix(path, "/chat"); ok && version.MatchString(head[strings.LastIndexByte(head, '/')+1:]) {
		return "/chat"
	}
	return ""
}

func isAzure(u *url.URL, path string) bool {
	return strings.Contains(path, "/deployments/") || u.Query().Has(azureVersion)
}

func joinPath(segments []string) string {
	if len(segments) == 0 {
		return ""
	}
	return "/" + strings.Join(segments, "/")
}

// setPath gives a URL an escaped path.
func setPath(u *url.URL, escaped string) {
	if path, err := url.PathUnescape(escaped); err == nil {
		u.Path, u.RawPath = path, escaped
	}
}

// below is base with an escaped path added, without userinfo. The path may bring
// a query of its own, which is put before that of the base.
func below(base *url.URL, path string) *url.URL {
	u := *base
	u.User = nil
	path, query, _ := strings.Cut(path, "?")
	setPath(&u, strings.TrimSuffix(base.EscapedPath(), "/")+path)
	if query != "" {
		u.RawQuery = strings.TrimSuffix(query+"&"+base.RawQuery, "&")
	}
	return &u
}

// URLFor is where requests of an API go: below the base URL, with its query and
// without its userinfo.
func URLFor(base *url.URL, api API) string {
	if api == Chat {
		return below(base, "/chat/completions").String()
	}
	return below(base, "/completions").String()
}

// serverRoot is the URL of the server that has the API: base without the version
// segment and what follows it.
func serverRoot(base *url.URL) *url.URL {
	segments := strings.FieldsFunc(base.EscapedPath(), func(r rune) bool { return r == '/' })
	for i := len(segments) - 1; i >= 0; i-- {
		if version.MatchString(segments[i]) {
			segments = segments[:i]
			break
		}
	}
	u := *base
	setPath(&u, joinPath(segments))
	return &u
}

// Redacted is a URL for people: without userinfo, and with the values of its
// query replaced, except that of api-version.
func Redacted(u *url.URL) string {
	shown := *u
	shown.User, shown.RawQuery, shown.ForceQuery = nil, "", false
	shown.Fragment, shown.RawFragment = "", ""
	if u.RawQuery == "" {
		return shown.String()
	}
	var parts []string
	for _, part := range strings.Split(u.RawQuery, "&") {
		name, _, found := strings.Cut(part, "=")
		switch {
		case name == azureVersion:
			parts = append(parts, part)
		case found:
			parts = append(parts, name+"="+redacted)
		default: // a value without a name
			parts = append(parts, redacted)
		}
	}
	return shown.String() + "?" + strings.Join(parts, "&")
}
