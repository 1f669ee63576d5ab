package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// echo is a server that sends back whatever secret it was given: in headers,
// error bodies, model names and texts, cut into pieces.
func echo(t *testing.T, status int) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		secret := strings.Join([]string{r.Header.Get("Authorization"), r.Header.Get("X-Token"), user, password, r.URL.RawQuery}, " ")
		quoted, _ := json.Marshal(secret)
		w.Header().Set("X-Echo", secret)
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprintf(w, `{"data":[{"id":"m","owned_by":"vllm","max_model_len":4096,"root":%s}]}`, quoted)
			return
		}
		if status != http.StatusOK {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"message":%s,"type":%s,"code":%s}}`, quoted, quoted, quoted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		half := len(secret) / 2
		for _, piece := range []string{secret[:half], secret[half:]} {
			text, _ := json.Marshal(piece)
			fmt.Fprintf(w, "data: {\"model\":%s,\"system_fingerprint\":%s,\"choices\":[{\"index\":0,\"text\":%s}]}\n\n", quoted, quoted, text)
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"length\"}]}\n\n")
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":16,\"completion_tokens\":8}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return server
}

func TestNoSecretIsWrittenOrPrinted(t *testing.T) {
	secrets := []string{"sk-test-SECRET123/<&\"", "SECRET456+header value", "SECRETuser", "SECRET789=", "SECRETquery1"}
	t.Setenv("MY_KEY", secrets[0])
	t.Setenv("MY_TOKEN", secrets[1])
	t.Setenv("MY_PASSWORD", secrets[3])
	for _, status := range []int{200, 401, 429, 500} {
		for _, output := range []string{"--no-color", "--json", "--quiet"} {
			t.Run(fmt.Sprint(status, output), func(t *testing.T) {
				dir := t.TempDir()
				base := strings.Replace(echo(t, status).URL, "http://", "http://"+secrets[2]+":${MY_PASSWORD}@", 1) + "/v1?token=" + secrets[4]
				file := filepath.Join(dir, "s.yaml")
				src := fmt.Sprintf(`
name: s
target:
  base_url: %s
  api_key_env: MY_KEY
  headers: {X-Token: "${MY_TOKEN}"}
phases:
  - name: decode
    kind: fixed-token
    concurrency: 1
    retries: 1
    body: {user: "${MY_PASSWORD}", metadata: {token: "a ${MY_KEY}"}}
    workload: {prompt: {ids: random, tokens: 16}, output_tokens: 8}
    checks:
      correct: ["none(requests, .content contains \"zzz\")", "all(requests, .content == \"never\")"]
`, base)
				if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
					t.Fatal(err)
				}
				t.Setenv("GITHUB_ACTIONS", "true")
				t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(dir, "runs", "summary.md"))
				var out, errs bytes.Buffer
				code := run(t.Context(), []string{"run", file, "--out", filepath.Join(dir, "runs"), "--junit", filepath.Join(dir, "runs", "fixed.xml"), output, "--set", "target.timeouts={request: 20s}"}, &out, &errs)
				if code == 0 || code == 2 {
					t.Fatalf("exit status %d\n%s%s", code, &out, &errs)
				}
				texts := map[string]string{"stdout": out.String(), "stderr": errs.String()}
				filepath.WalkDir(filepath.Join(dir, "runs"), func(path string, d os.DirEntry, err error) error {
					if err == nil && !d.IsDir() {
						data, _ := os.ReadFile(path)
						texts[d.Name()] = string(data)
					}
					return err
				})
				if len(texts) != 9 {
					t.Errorf("%d texts, want stdout, stderr, five files of the run, GitHub's summary and the JUnit file", len(texts))
				}
				if !strings.Contains(errs.String(), "::error ") {
					t.Errorf("no annotation:\n%s", &errs)
				}
				for name, text := range texts {
					for _, secret := range secrets {
						for _, form := range forms(secret) {
							if strings.Contains(text, form) {
								t.Errorf("%s holds %q", name, form)
							}
						}
					}
					if strings.Contains(text, "SECRET") {
						t.Errorf("%s holds a part of a secret:\n%s", name, around(text, "SECRET"))
					}
				}
			})
		}
	}
}

// forms are the ways in which a secret may be written.
func forms(secret string) []string {
	inJSON, _ := json.Marshal(secret)
	return []string{secret, strings.Trim(string(inJSON), `"`), base64.StdEncoding.EncodeToString([]byte(secret))}
}

func around(text, word string) string {
	i := strings.Index(text, word)
	return text[max(0, i-60):min(len(text), i+60)]
}
