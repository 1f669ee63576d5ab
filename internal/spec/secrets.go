package spec

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

var (
	keyShape = `(?:sk|pk|rk|gsk|hf|nvapi|xai|ghp|glpat|r8)[-_][A-Za-z0-9_\-]{8,}|AIza[0-9A-Za-z_\-]{20,}|eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-.]+`

	keyLike     = regexp.MustCompile(`^(?:` + keyShape + `|(?i:bearer|basic|token)\s+\S{6,})$`)
	keyInLine   = regexp.MustCompile(`\b(?:` + keyShape + `)|(?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=\-]{6,}`)
	keyedLine   = regexp.MustCompile(`(?i)["']?\b(?:api[_-]?key|api[_-]?token|token|password|passwd|secret|authorization)["']?\s*:\s+("[^"]*"|'[^']*'|[^,}\]]+)`)
	userinfo    = regexp.MustCompile(`://([^/@\s"']+)@`)
	queryValue  = regexp.MustCompile(`[?&]([A-Za-z0-9_.\-]+)=([^&\s"'#,\]}]+)`)
	onlyName    = regexp.MustCompile(`^\s*["']?\$\{\w+\}?["']?\s*[,}]*\s*(#.*)?$`)
	secretField = regexp.MustCompile(`(?i)^((x[_-])?api[_-]?(key|token)|(proxy[_-])?authorization|((access|auth|bearer)[_-]?)?token|passw(or)?d|(client[_-]?)?secret|credentials?)$`)
	headerLine  = regexp.MustCompile(`^\s*(?:-\s+)?["']?headers["']?\s*:(.*)$|[{,]\s*["']?headers["']?\s*:(.*)$`)
)

// looksLikeKey reports whether text has the shape of an API key or a token.
func looksLikeKey(text string) bool {
	return keyLike.MatchString(strings.TrimSpace(text)) && strings.ContainsAny(text, "0123456789")
}

// secretHeader reports whether a header of this name usually carries a secret.
func secretHeader(name string) bool {
	for _, part := range []string{"auth", "key", "token", "secret", "password", "cookie", "credential"} {
		if strings.Contains(strings.ToLower(name), part) {
			return true
		}
	}
	return false
}

// blot is what a secret is printed as.
const blot = '*'

// blotted is the lines as they may be printed: the values of headers, keys,
// passwords in URLs and query values are struck out, rune by rune. It looks at
// the text alone, so that it also works on a file that can't be parsed.
func blotted(lines [][]rune) [][]rune {
	shown := make([][]rune, len(lines))
	headers := -1 // indentation of the `headers:` that the line stands below
	for i, line := range lines {
		text := string(line)
		shown[i] = line
		indent := len(line) - len([]rune(strings.TrimLeft(text, " \t-")))
		blank := strings.TrimSpace(text) == ""
		if headers >= 0 && !blank && indent <= headers {
			headers = -1
		}
		switch m := headerLine.FindStringSubmatchIndex(text); {
		case headers >= 0:
			shown[i] = blotGroup(shown[i], text, afterColon(text), len(text))
		case m != nil:
			headers = indent
			rest := max(m[2], m[4])
			shown[i] = blotGroup(shown[i], text, rest, len(text))
		}
		for _, m := range keyInLine.FindAllStringIndex(text, -1) {
			shown[i] = blotGroup(shown[i], text, m[0], m[1])
		}
		for _, m := range keyedLine.FindAllStringSubmatchIndex(text, -1) {
			shown[i] = blotGroup(shown[i], text, m[2], m[3])
		}
		for _, m := range userinfo.FindAllStringSubmatchIndex(text, -1) {
			shown[i] = blotGroup(shown[i], text, m[2], m[3])
		}
		for _, m := range queryValue.FindAllStringSubmatchIndex(text, -1) {
			if strings.Contains(text[:m[0]], "://") && text[m[2]:m[3]] != "api-version" {
				shown[i] = blotGroup(shown[i], text, m[4], m[5])
			}
		}
	}
	return shown
}

// afterColon is where the value of a `key: value` line starts.
func afterColon(text string) int {
	if i := strings.Index(text+" ", ": "); i >= 0 {
		return i + 1
	}
	return 0
}

// blotGroup strikes out bytes [from, to) of text in a copy of line. References
// to variables stay readable.
func blotGroup(line []rune, text string, from, to int) []rune {
	if onlyName.MatchString(text[from:to]) {
		return line
	}
	line = append([]rune(nil), line...)
	first := len([]rune(text[:from]))
	for i := range []rune(text[from:to]) {
		if r := line[first+i]; !unicode.IsSpace(r) && !strings.ContainsRune(`"'{}[],`, r) {
			line[first+i] = blot
		}
	}
	return line
}

// blot strikes a scalar's text out of every line that shows it.
func (n *node) blot() {
	n.secret = true
	for _, item := range n.items {
		item.blot()
	}
	for _, e := range n.entries {
		e.value.blot()
	}
	spans, ok := locate(n)
	if !ok || !n.src.file || onlyName.MatchString(n.raw) {
		return
	}
	n.src.hide(spans[:len(spans)-1])
}

// redactURL takes the user and the values of the query out of a URL, except
// api-version, which is no secret. Text that has neither comes back as it is.
func redactURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		text, _, _ = strings.Cut(text, "?")
		return userinfo.ReplaceAllString(text, "://")
	}
	if u.User == nil && u.RawQuery == "" {
		return text
	}
	u.User = nil
	parts := strings.Split(u.RawQuery, "&")
	for i, part := range parts {
		if name, value, ok := strings.Cut(part, "="); ok && value != "" && name != "api-version" {
			parts[i] = name + "=redacted"
		}
	}
	u.RawQuery = strings.Join(parts, "&")
	return u.String()
}
