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
	keyedLine   = regexp.MustCompile(`(?i)["']?\b(?:api[_-]?key|api[_-]?token|token|password|passwd|secret|authorization)["']?\s*:\s+("[^"]*"|'[^']*'|(?:\$\{[^}]*\}|[^,}\]])+)`)
	userinfo    = regexp.MustCompile(`://([^/@\s"']+)@`)
	queryValue  = regexp.MustCompile(`[?&]([A-Za-z0-9_.\-]+)=([^&\s"'#,\]}]+)`)
	onlyName    = regexp.MustCompile(`^\s*["']?\$\{\w+\}?["']?\s*[,}]*\s*(#.*)?$`)
	secretField = regexp.MustCompile(`(?i)^((x[_-])?api[_-]?(key|token)|(proxy[_-])?authorization|((access|auth|bearer)[_-]?)?token|passw(or)?d|(client[_-]?)?secret|credentials?)$`)
	headerName  = regexp.MustCompile("^\\s*(?:\"[!#$%&'*+.^_`|~0-9A-Za-z-]*\"\\s*:|'[!#$%&*+.^_`|~0-9A-Za-z-]*'\\s*:|[!#$%&'*+.^_`|~0-9A-Za-z-]+\\s*:(?:\\s|$))")
	nameInText  = regexp.MustCompile(`\$\{\w+(?::-[^}]*)?\}`)
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
			for _, value := range headerValues(text, max(m[2], m[4])) {
				shown[i] = blotGroup(shown[i], text, value[0], value[1])
			}
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

// headerValues is where the values of headers stand in a line, from behind
// `headers:` on: between the names of a mapping in {…}, else everywhere.
func headerValues(text string, from int) [][2]int {
	open := strings.TrimLeft(text[from:], " \t")
	if !strings.HasPrefix(open, "{") {
		return [][2]int{{from, len(text)}}
	}
	var values [][2]int
	for at := len(text) - len(open) + 1; at < len(text); {
		at += len(headerName.FindString(text[at:]))
		end, closed := valueEnd(text, at)
		values = append(values, [2]int{at, end})
		if closed {
			break
		}
		at = end + 1
	}
	return values
}

// valueEnd is where a value of a mapping in {…} ends, and whether the mapping ends
// there too.
func valueEnd(text string, at int) (end int, closed bool) {
	var quote byte
	blank := true // nothing of the value has been seen
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case quote == '"' && c == '\\':
			at++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case blank && (c == '"' || c == '\''):
			quote, blank = c, false
		case c == ',' || c == '}':
			return at, c == '}'
		case c != ' ' && c != '\t':
			blank = false
		}
	}
	return len(text), false
}

// afterColon is where the value of a `key: value` line starts.
func afterColon(text string) int {
	if i := strings.Index(text+" ", ": "); i >= 0 {
		return i + 1
	}
	return 0
}

// readable tells which runes of a text belong to a reference to a variable and are
// no secret: all but the default.
func readable(text string) []bool {
	keep := make([]bool, len([]rune(text)))
	for _, m := range nameInText.FindAllStringIndex(text, -1) {
		name, _, _ := strings.Cut(text[m[0]:m[1]], ":-")
		from := len([]rune(text[:m[0]]))
		for i := range []rune(name) {
			keep[from+i] = true
		}
		if len(name) < m[1]-m[0] {
			keep[from+len([]rune(name))], keep[from+len([]rune(name))+1] = true, true // the :-
			keep[len([]rune(text[:m[1]]))-1] = true
		}
	}
	return keep
}

// blotGroup strikes out bytes [from, to) of text in a copy of line. References
// to variables stay readable.
func blotGroup(line []rune, text string, from, to int) []rune {
	if onlyName.MatchString(text[from:to]) {
		return line
	}
	line = append([]rune(nil), line...)
	first := len([]rune(text[:from]))
	for i, keep := range readable(text[from:to]) {
		if r := line[first+i]; !keep && !unicode.IsSpace(r) && !strings.ContainsRune(`"'{}[],`, r) {
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
	var secret []span
	for i, keep := range readable(n.raw) {
		if !keep {
			secret = append(secret, spans[i])
		}
	}
	n.src.hide(secret)
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
