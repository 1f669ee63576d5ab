//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestLlamaCpp(t *testing.T) {
	url := os.Getenv("LLAMACPP_URL")
	if url == "" {
		url = start(t, "llamacpp").ready(t).url
	}
	probe(t, url).expect(t, "llamacpp")
	o := scenario(t, "testdata/small.yaml", "--base-url", url)
	o.want(t, 0, "GO")
	if o.result.Target.Server != "llamacpp" || o.result.Target.Version == "" {
		t.Errorf("target %+v", o.result.Target)
	}
	wantCounted(t, o)
	stop := busy(t, url)
	o = scenario(t, "testdata/small.yaml", "--base-url", url, "--when", "concurrency == 2", "--set", "phases.decode.load.requests=20")
	stop()
	o.want(t, 4, "INVALID", "other-traffic")
}

// A gateway before a server: its certificate must be checked, and what it turns
// away must be seen.
func TestGateway(t *testing.T) {
	upstream := start(t, "llamacpp").ready(t)
	port := strconv.Itoa(upstream.port)

	t.Run("over its limit: NO-GO", func(t *testing.T) {
		gateway := start(t, "nginx", port, "limit")
		o := scenario(t, "testdata/small.yaml", "--base-url", gateway.url, "--wait", "30s", "--set", "phases.decode.concurrency=[16]", "--set", "phases.decode.warmup=off")
		o.want(t, 3, "NO-GO", "429")
		if len(o.result.Phases) == 0 || o.result.Phases[0].Levels[0].Outcomes["http_error"] == 0 {
			t.Error("no request was turned away")
		}
	})
	t.Run("TLS", func(t *testing.T) {
		gateway := start(t, "nginx", port, "tls")
		secure := strings.Replace(gateway.url, "http://", "https://", 1)
		dir := os.Getenv("ENGINES_DIR")
		if dir == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				t.Fatal(err)
			}
			dir = filepath.Join(home, ".cache", "engines")
		}
		ca := filepath.Join(dir, "nginx", "ca.pem")
		scenario(t, "testdata/small.yaml", "--base-url", secure, "--wait", "10s", "--set", "target.tls={ca_file: "+ca+"}").want(t, 0, "GO")
		scenario(t, "testdata/small.yaml", "--base-url", secure).want(t, 5, "UNUSABLE", "ca_file")
	})
}
