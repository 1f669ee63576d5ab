package spec

import (
	"strings"
	"testing"
)

func TestRedactURL(t *testing.T) {
	for url, want := range map[string]string{
		"http://h:1/v1":                             "http://h:1/v1",
		"http://u:SECRET@h:1/v1":                    "http://h:1/v1",
		"http://SECRET@h":                           "http://h",
		"https://h/v1?key=SECRET&api-version=1&a=":  "https://h/v1?key=redacted&api-version=1&a=",
		"https://h/v1?api-version=2024-01-01":       "https://h/v1?api-version=2024-01-01",
		"https://u:p@h/openai/deployments/x?k=v&v2": "https://h/openai/deployments/x?k=redacted&v2",
		"env": "env", "off": "off", "": "",
		"http://u:SECRET%zz@h/?k=SECRET": "http://h/",
	} {
		if got := redactURL(url); got != want {
			t.Errorf("redactURL(%q) = %q, want %q", url, got, want)
		}
	}
}

func TestBlottedLines(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"api_key: SECRET # x", "api_key: ****** * *"},
		{"{api_key: SECRET, a: b}", "{api_key: ******, a: b}"},
		{`"api-key": "SECRET 1"`, `"api-key": "****** *"`},
		{"max_tokens: 64", "max_tokens: 64"},
		{"first_token: 10m", "first_token: 10m"},
		{"api_key_env: OPENAI_API_KEY", "api_key_env: OPENAI_API_KEY"},
		{"api_key_env: sk-SECRET123", "api_key_env: ************"},
		{"token: ${TOKEN}", "token: ${TOKEN}"},
		{"url: http://u:p@h/?k=v&api-version=1 # ?", "url: http://***@h/?k=*&api-version=1 # ?"},
		{"{authorization: Bearer ${T}, token: x${T:-SECRET}, a: b}", "{authorization: ****** ${T}, token: *${T:-******}, a: b}"},
		{"token: ${T", "token: ${T"},
		{"x: Bearer abcdefgh", "x: ****** ********"},
		{"headers: {A: SECRET, B: 'x y'}", "headers: {A: ******, B: '* *'}"},
		{`headers: {"A": "x ${T} ${U:-SECRET}y", b: ${V}} # x`, `headers: {"A": "* ${T} ${U:-******}*", b: ${V}} # x`},
		{`{headers: {A: "SE\"C, x: ", 'B':SECRET, "": x}, server: vllm}`, `{headers: {A: "***"*, ** ", 'B':******, "": *}, server: vllm}`},
		{"headers: {A SECRET, B: SE, CR: ET", "headers: {* ******, B: **, CR: **"},
		{`headers: {"Authorization: Bearer SECRET": }`, `headers: {"************** ****** ******"* }`},
		{"headers:\n  A: tok-${T}-SECRET-${U:-SECRET}", "headers:\n  A: ****${T}********${U:-******}"},
		{"headers:\n  A: SECRET\n\n  B: ${X}\n  C:\n    SECRET\nserver: vllm", "headers:\n  A: ******\n\n  B: ${X}\n  C:\n    ******\nserver: vllm"},
		{"headers: &h\n  A: SECRET", "headers: **\n  A: ******"},
		{"a ? b = c : d", "a ? b = c : d"},
	} {
		var got []string
		for _, line := range newSource("a.yaml", c.text).shown {
			got = append(got, string(line))
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%q is shown as %q, want %q", c.text, strings.Join(got, "\n"), c.want)
		}
	}
}

func TestLooksLikeKey(t *testing.T) {
	for text, want := range map[string]bool{
		"sk-test-SECRET123": true, "hf_AbCdEf0123456789": true, "Bearer abc123def": true, "AIzaSyA0123456789012345678901": true,
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0": true,
		"sk-learn-tutorial":                    false, "OPENAI_API_KEY": false, "decode-1k-1k": false, "": false, "Qwen/Qwen3.5-122B": false,
	} {
		if got := looksLikeKey(text); got != want {
			t.Errorf("looksLikeKey(%q) = %v, want %v", text, got, want)
		}
	}
}

// TestSecretsBehindAliases hides a header's value where its anchor stands.
func TestSecretsBehindAliases(t *testing.T) {
	_, list := loadText(`x-h: &h {X-Note: SECRET456, X-Num: 5}
x-v: &v "SECRET789"
name: gate
target: {base_url: http://h, headers: {<<: *h, X-Other: *v}}
phases: []
`, options())
	if text := list.String(); strings.Contains(text, "SECRET") || !strings.Contains(text, "X-Num must be text") {
		t.Errorf("got:\n%s", text)
	}
}

// TestSecretsInReferences hides what stands inside a ${…} of a header.
func TestSecretsInReferences(t *testing.T) {
	_, list := loadText(`name: gate
target:
  base_url: http://h
  headers: {A: "${A:?SECRET1}", B: "x ${B:-SECRET2", "C D": "${TENANT:-SECRET3}"}
phases: []
`, options())
	if text := list.String(); strings.Contains(text, "SECRET") || len(list) != 4 {
		t.Errorf("got:\n%s", text)
	}
}
