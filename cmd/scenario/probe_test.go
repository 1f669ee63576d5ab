package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/probe"
	"scenario/internal/simserver"
	"scenario/internal/target"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// simulated is the URL of a simulated server that ends with the test.
func simulated(t *testing.T, persona string) string {
	t.Helper()
	p, ok := simserver.Find(persona)
	if !ok {
		t.Fatalf("no persona %s", persona)
	}
	s, err := startSimulation(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s.url
}

func TestProbeOfTheSimulatedServer(t *testing.T) {
	url := simulated(t, "healthy")
	var out, errs bytes.Buffer
	if status := run(t.Context(), []string{"probe", url}, &out, &errs); status != 0 || errs.Len() > 0 {
		t.Fatalf("exit status %d\n%s", status, &errs)
	}
	for _, want := range []string{url, "vllm 0.32.0+sim", "32768 tokens", "ignore_eos", "as is: token ids, exact lengths", "requests sent in"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, &out)
		}
	}
	out.Reset()
	if status := run(t.Context(), []string{"probe", url, "--json"}, &out, &errs); status != 0 {
		t.Fatalf("exit status %d\n%s", status, &errs)
	}
	var r probe.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || !r.Usable || r.Schema != probe.Schema || r.Findings["token-ids"].Answer != probe.Yes {
		t.Errorf("%v\n%s", err, &out)
	}
}

func TestProbeRefusesWhatItCannotUse(t *testing.T) {
	url := simulated(t, "healthy")
	for name, c := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"no URL":          {nil, 2, "probe takes one URL, not 0"},
		"no scheme":       {[]string{"127.0.0.1:8000"}, 2, "the base URL has no scheme; write http://127.0.0.1:8000"},
		"an endpoint":     {[]string{url + "/v1/chat/completions"}, 2, "write " + url + "/v1"},
		"a key":           {[]string{url, "--api-key-env", "sk-SECRET-1"}, 2, "not the key"},
		"another server":  {[]string{url, "--server", "vlm"}, 2, `--server "vlm" is unknown`},
		"no CA file":      {[]string{url, "--ca-file", "nowhere.pem"}, 2, "can't be read"},
		"no such option":  {[]string{url, "--modle", "m"}, 2, "unknown flag"},
		"no time":         {[]string{url, "--timeout", "0s"}, 2, "--timeout"},
		"nobody there":    {[]string{"http://127.0.0.1:1"}, 5, "cannot be reached"},
		"no such model":   {[]string{url, "--model", "sim-2"}, 5, `did you mean "sim-1"?`},
		"a variable that": {[]string{"http://127.0.0.1:1", "--api-key-env", "NOT_SET_HERE"}, 5, "NOT_SET_HERE is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			status := run(t.Context(), append([]string{"probe"}, c.args...), &out, &out)
			if status != c.status || !strings.Contains(out.String(), c.want) {
				t.Errorf("exit status %d\n%s", status, &out)
			}
			if strings.Contains(out.String(), "SECRET") {
				t.Errorf("a secret is shown:\n%s", &out)
			}
		})
	}
}

func TestProbeShowsNoSecret(t *testing.T) {
	secrets := []string{"sk-test-SECRET123/<&\"", "SECRETuser", "SECRET789=", "SECRETquery1"}
	t.Setenv("MY_KEY", secrets[0])
	for _, status := range []int{200, 400, 401, 500} {
		for _, form := range []string{"--no-color", "--json"} {
			t.Run(fmt.Sprint(status, form), func(t *testing.T) {
				url := strings.Replace(echo(t, status).URL, "http://", "http://"+secrets[1]+":"+secrets[2]+"@", 1) + "/v1?token=" + secrets[3]
				var out bytes.Buffer
				run(t.Context(), []string{"probe", url, "--api-key-env", "MY_KEY", form, "--timeout", "5s"}, &out, &out)
				if !strings.Contains(out.String(), "vllm") {
					t.Errorf("nothing was found:\n%s", &out)
				}
				if strings.Contains(out.String(), "SECRET") {
					t.Errorf("a part of a secret is shown:\n%s", around(out.String(), "SECRET"))
				}
			})
		}
	}
}

func TestProbePrinted(t *testing.T) {
	full := &probe.Report{
		URL: "http://h/v1", Usable: true, Requests: 31, Seconds: 4.25, Cut: true,
		Target: &target.Facts{
			Server: "sglang", Version: "0.5.16", Model: "m", Models: []string{"m", "n"}, ModelRoot: "/models/m", SystemFingerprint: "fp-1",
			ContextTokens: 131072, KVCapacityTokens: 400000, KVCapacitySource: "from /server_info: max_total_num_tokens × dp_size", KVBlockTokens: 64,
			Fingerprints: []target.Fingerprint{{ProcessStart: "1796000000"}}, Notes: []string{"something was found"},
		},
		Findings: map[string]probe.Finding{
			"completions":  {Answer: probe.Yes, Detail: "8 events"},
			"chat":         {Answer: probe.Yes, Detail: "48 events"},
			"ignore-eos":   {Answer: probe.No, Detail: "accepted and ignored: the reply ended after 11 of 27 tokens"},
			"over-limit":   {Answer: probe.Yes, Detail: strings.Repeat("a long message of the server ", 6)},
			"usage-stream": {Answer: probe.Unknown, Detail: "not asked: the time was over"},
		},
		Quirks: []string{"the stream ended without [DONE]"},
		Kinds:  []probe.KindAdvice{{Kind: "fixed-token", Runs: probe.No, Detail: "no ignore_eos"}, {Kind: "long-context", Runs: probe.Unknown, Detail: "it needs chat"}},
		Advice: []string{"target.model: m (it serves 2 models)"},
	}
	var b bytes.Buffer
	for _, r := range []*probe.Report{full, {URL: "http://h/v1", Reason: "http://h/v1 cannot be reached", Requests: 1}} {
		if err := printProbe(&b, r, false); err != nil {
			t.Fatal(err)
		}
		b.WriteString("----\n")
	}
	file := filepath.Join("testdata", "probe.txt")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
	b.Reset()
	if printProbe(&b, full, true); !strings.Contains(b.String(), "\x1b[") {
		t.Error("no colour")
	}
}
