package spec

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

func (t *Target) setDefaults() {
	t.Server = "auto"
	t.Proxy = NewText("env")
	t.MetricsURL = NewText("auto")
	t.Timeouts.setDefaults()
}

func (t *Timeouts) setDefaults() {
	*t = Timeouts{Connect: 10 * time.Second, FirstToken: 10 * time.Minute, Idle: 2 * time.Minute, Request: time.Hour}
}

// Headers are a target's further request headers, in file order.
type Headers []Header

func (h *Headers) decode(a At, d *decoder) {
	first := map[string]*node{}
	for _, e := range a.node.entries {
		header := Header{Name: e.key.text}
		d.value(At{node: e.value, key: e.key}, valueOf(&header.Value))
		name := strings.ToLower(header.Name)
		if other := first[name]; other != nil {
			d.faults.add(e.key, fmt.Sprintf("header %s is the same as %s: their names differ in case only", header.Name, other.text), "keep one of the two")
			continue
		}
		first[name] = e.key
		*h = append(*h, header)
	}
}

// hideSecrets keeps the values of headers, of secret fields of bodies, and keys
// that stand where the name of a variable is due, out of every message and line
// that is printed.
func hideSecrets(root *node) {
	target := root.get("target")
	if headers := target.get("headers"); headers != nil {
		headers.blot()
	}
	if name := target.get("api_key_env"); name != nil && keyInPlaceOfName(name.text) {
		name.blot()
	}
	for _, path := range []string{"phases[].body", "defaults.body"} {
		for _, body := range at(root, path) {
			blotFields(body.node)
		}
	}
}

// blotFields strikes out the values that stand under the names of secrets.
func blotFields(n *node) {
	for _, item := range n.items {
		blotFields(item)
	}
	for _, e := range n.entries {
		if secretField.MatchString(e.key.text) {
			e.value.blot()
		}
		blotFields(e.value)
	}
}

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	mixedName    = regexp.MustCompile(`[a-z].*[0-9]|[0-9].*[a-z]`)
)

// keyInPlaceOfName reports whether text is more likely a key than the name of a
// variable.
func keyInPlaceOfName(text string) bool {
	return looksLikeKey(text) || !variableName.MatchString(text) && !strings.HasPrefix(text, "${") ||
		len(text) >= 20 && mixedName.MatchString(text)
}

// checkTarget looks at what the schema can't: URLs, and secrets in the file.
func (c *checker) checkTarget(t *Target) {
	for _, base := range t.BaseURLs {
		if c.faults.bad[base.node] {
			continue
		}
		if c.options.CheckURL != nil {
			if message, fix := c.options.CheckURL(base.String()); message != "" {
				c.faults.add(base.node, message, fix)
			}
		}
		c.warnPassword(base)
	}
	c.warnPassword(t.Proxy)
	c.warnPassword(t.MetricsURL)
	if name := t.APIKeyEnv; name.node != nil && keyInPlaceOfName(name.String()) {
		c.faults.add(name.node, "this looks like an API key, and api_key_env wants the name of the variable that holds it",
			"write api_key_env: NAME, and set NAME to the key")
	}
	if t.At.node != nil {
		c.refuseKeys(t.At.node)
	}
	c.warnSecrets(t.Headers)
}

// refuseKeys reports API keys that stand in the file, headers aside.
func (c *checker) refuseKeys(n *node) {
	if n.form == textForm && looksLikeKey(n.text) && len(n.edits) == 0 {
		c.faults.add(n, "this looks like an API key, and files end up in repositories and reports",
			"write target.api_key_env: NAME, the environment variable that holds it")
	}
	for _, item := range n.items {
		c.refuseKeys(item)
	}
	for _, e := range n.entries {
		if e.key.text != "headers" && !c.faults.bad[e.key] {
			c.refuseKeys(e.value)
		}
	}
}

// refuseSecrets reports the values in a request's body whose keys say that they
// are secret. A variable may bring one: the stored scenario has its name alone.
func (c *checker) refuseSecrets(n *node) {
	for _, item := range n.items {
		c.refuseSecrets(item)
	}
	for _, e := range n.entries {
		literal := e.value.scalar() && e.value.form != nullForm && e.value.form != boolForm &&
			len(e.value.edits) == 0 && e.value.text != "" && !unset(e.value)
		if literal && secretField.MatchString(e.key.text) {
			c.faults.bad[e.value] = true
			c.faults.add(e.key, "an API key can't stand in the file: files end up in repositories and reports",
				`write "${NAME}", and set the variable NAME`)
		}
		c.refuseSecrets(e.value)
	}
}

// warnSecrets warns of headers whose values are no variables and likely secret.
func (c *checker) warnSecrets(headers Headers) {
	for _, header := range headers {
		literal := header.Value.node != nil && len(header.Value.node.edits) == 0
		if literal && header.Value.String() != redacted && (secretHeader(header.Name) || looksLikeKey(header.Value.String())) {
			c.faults.warn(header.Value.node, fmt.Sprintf("header %s looks like a secret that stands in the file", header.Name),
				"write ${NAME}, and set the variable NAME")
		}
	}
}

// warnPassword warns of a password that stands in a URL of the file.
func (c *checker) warnPassword(text Text) {
	if text.node == nil || c.faults.bad[text.node] || len(text.node.edits) > 0 {
		return
	}
	if m := userinfo.FindStringSubmatch(text.String()); m != nil && strings.Contains(m[1], ":") {
		c.faults.warn(text.node, "a password stands in this URL", "write ${NAME} in its place, and set the variable NAME")
	}
}
