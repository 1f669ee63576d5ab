package chat

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// minSecret is the length in bytes from which a secret is searched for. Shorter
// ones would take innocent text with them.
const minSecret = 6

const redacted = "<redacted>"

// Redactor takes secrets out of texts. A nil Redactor takes nothing out.
type Redactor struct {
	forms [][]byte // the longest first
	begin [256]bool
}

// NewRedactor returns a redactor for the given secrets: as they are, as JSON and
// URLs escape them, and in base64 as basic authentication does. Secrets of fewer
// than 6 bytes are left alone.
func NewRedactor(secrets []string) *Redactor {
	r := new(Redactor)
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		for _, form := range formsOf(secret) {
			r.forms = append(r.forms, []byte(form))
			r.begin[form[0]] = true
		}
	}
	slices.SortFunc(r.forms, func(a, b []byte) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return bytes.Compare(a, b)
	})
	r.forms = slices.CompactFunc(r.forms, bytes.Equal)
	return r
}

// formsOf lists the ways a secret may be written.
func formsOf(secret string) []string {
	forms := []string{
		secret,
		url.QueryEscape(secret), url.PathEscape(secret), url.User(secret).String(),
	}
	for _, alphabet := range []*base64.Encoding{
		base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding,
	} {
		forms = append(forms, alphabet.EncodeToString([]byte(secret)))
	}
	for _, html := range []bool{false, true} {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(html)
		if enc.Encode(secret) == nil {
			text := strings.TrimSpace(buf.String())
			forms = append(forms, text[1:len(text)-1])
		}
	}
	return forms
}

// String is s with every secret replaced by "<redacted>".
func (r *Redactor) String(s string) string {
	if r == nil || len(r.forms) == 0 || s == "" {
		return s
	}
	out, _ := r.replace(nil, []byte(s), true)
	return string(out)
}

// replace appends b to dst without its secrets. Unless b is the last of its text,
// an end that may be the start of a secret is not appended but returned.
func (r *Redactor) replace(dst, b []byte, last bool) (out, rest []byte) {
	if r == nil {
		return append(dst, b...), nil
	}
	done := 0
	for i := 0; i < len(b); {
		if !r.begin[b[i]] {
			i++
			continue
		}
		length, open := r.match(b[i:])
		switch {
		case open && !last:
			return append(dst, b[done:i]...), b[i:]
		case length == 0:
			i++
		default:
			dst = append(append(dst, b[done:i]...), redacted...)
			i += length
			done = i
		}
	}
	return append(dst, b[done:]...), nil
}

// match is the length of the secret that b starts with, or 0. open says that a
// longer one could be seen if more bytes followed.
func (r *Redactor) match(b []byte) (length int, open bool) {
	for _, form := range r.forms {
		switch {
		case bytes.HasPrefix(b, form):
			return len(form), open
		case len(form) > len(b) && bytes.HasPrefix(form, b):
			open = true
		}
	}
	return 0, open
}

// Writer returns a writer that passes on to w what it is given without the
// secrets, also one that is split between two writes. Close passes on what was
// held back for that; it does not close w.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser {
	return &redactingWriter{redactor: r, w: w}
}

type redactingWriter struct {
	redactor *Redactor
	w        io.Writer
	held     []byte
}

// Write holds back an end of p that may be the start of a secret.
func (rw *redactingWriter) Write(p []byte) (int, error) {
	if err := rw.pass(p, false); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (rw *redactingWriter) Close() error { return rw.pass(nil, true) }

func (rw *redactingWriter) pass(p []byte, last bool) error {
	out, rest := rw.redactor.replace(nil, append(rw.held, p...), last)
	rw.held = slices.Clone(rest)
	if len(out) == 0 {
		return nil
	}
	_, err := rw.w.Write(out)
	return err
}

// secretsOf lists what in a configuration must not come out again.
func secretsOf(cfg Config) []string {
	secrets := []string{cfg.Key}
	for name, value := range cfg.Headers {
		switch strings.ToLower(name) {
		case "accept", "content-type": // media types: no secrets, and words of many texts
			continue
		}
		secrets = append(secrets, value)
		if _, credential, ok := strings.Cut(value, " "); ok {
			secrets = append(secrets, credential) // after "Bearer" and the like
		}
	}
	for _, base := range cfg.BaseURLs {
		if base == nil {
			continue
		}
		secrets = append(secrets, userSecrets(base.User)...)
		if cfg.Proxy != nil {
			if proxy, err := cfg.Proxy(&http.Request{URL: base}); err == nil && proxy != nil {
				secrets = append(secrets, userSecrets(proxy.User)...)
			}
		}
		for name, values := range base.Query() {
			if name != azureVersion {
				secrets = append(secrets, values...)
			}
		}
	}
	return secrets
}

// userSecrets lists the userinfo of a URL, in its parts and as a whole.
func userSecrets(user *url.Userinfo) []string {
	password, _ := user.Password()
	return []string{user.Username(), password, user.Username() + ":" + password}
}
