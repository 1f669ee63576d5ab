//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// scaled are the settings that make a shipped scenario small.
func scaled(phase string, concurrency string, prompt, output int) []string {
	set := func(path, value string) []string {
		return []string{"--set", "phases." + phase + "." + path + "=" + value}
	}
	return slices.Concat(
		set("concurrency", concurrency),
		set("workload.prompt.tokens", strconv.Itoa(prompt)),
		set("workload.output_tokens", strconv.Itoa(output)),
		set("checks.correct", fmt.Sprintf(`["all(requests, .prompt_tokens == %d and .output_tokens == %d)"]`, prompt, output)),
		set("checks.slo", "[]"),
	)
}

func TestVLLM(t *testing.T) {
	url := vllm(t)
	at := func(args ...string) []string { return append(args, "--base-url", url) }

	t.Run("probe", func(t *testing.T) { probe(t, url).expect(t, "vllm") })
	t.Run("a sound server with the right figures: GO", func(t *testing.T) {
		o := scenario(t, at("testdata/small.yaml")...)
		o.want(t, 0, "GO")
		wantCounted(t, o)
		compare(t, url, o.result.Phases[0].Levels[0].Figures)
		if !strings.HasPrefix(o.result.Target.Server, "vllm") || o.result.Target.Version == "" {
			t.Errorf("target %+v", o.result.Target)
		}
	})
	t.Run("beside another client: INVALID", func(t *testing.T) {
		stop := busy(t, url)
		o := scenario(t, at("testdata/small.yaml", "--when", "concurrency == 2", "--set", "phases.decode.load.requests=20")...)
		stop()
		o.want(t, 4, "INVALID", "other-traffic", "our requests account for")
	})
	t.Run("a wrong correct check: NO-GO", func(t *testing.T) {
		o := scenario(t, at("testdata/small.yaml", "--when", "concurrency == 1", "--set", `phases.decode.checks.correct=["all(requests, .output_tokens == 25)"]`)...)
		o.want(t, 3, "NO-GO", "correct fails", ".output_tokens = 24")
		if l := o.result.Phases[0].Levels[0]; l.Figures != nil || l.State != "rejected" {
			t.Errorf("the level is %s, its figures are not withheld", l.State)
		}
	})
	t.Run("a missed SLO: NO-GO", func(t *testing.T) {
		o := scenario(t, at("testdata/small.yaml", "--when", "concurrency == 1", "--set", "phases.decode.checks.slo=[ttft.p50 < us(1)]")...)
		o.want(t, 1, "NO-GO", "slo fails ttft.p50 < us(1)")
	})
	t.Run("quickstart", func(t *testing.T) {
		o := scenario(t, at(append([]string{"../scenarios/quickstart.yaml"}, scaled("decode", "[1, 2]", 32, 24)...)...)...)
		o.want(t, 0, "GO")
	})
	t.Run("catid G0", func(t *testing.T) {
		o := scenario(t, at(append([]string{"../scenarios/catid/g0-1k-1k.yaml"}, scaled("wave", "[1, 4]", 32, 24)...)...)...)
		o.want(t, 0, "GO", "assumed", "aggregate_tps", "constant-prompt")
	})
	t.Run("catid G1, and again with the prefix cache on", func(t *testing.T) {
		args := at(append([]string{"../scenarios/catid/g1-1024.yaml"}, scaled("wave", "[1, 2]", 272, 24)...)...)
		first := scenario(t, args...)
		first.want(t, 0, "GO", "output_tokens_per_s")
		again := scenario(t, args...)
		again.want(t, 4, "INVALID", "cache-warm")
	})
	t.Run("no such model", func(t *testing.T) {
		scenario(t, at("testdata/small.yaml", "--model", "nobody")...).want(t, 5, "UNUSABLE", "nobody", "lists")
	})
}

func TestNobodyListens(t *testing.T) {
	scenario(t, "testdata/small.yaml", "--base-url", fmt.Sprintf("http://127.0.0.1:%d", freePort(t))).want(t, 5, "UNUSABLE", "connection refused")
}

func TestVLLMKilledHalfWay(t *testing.T) {
	e := start(t, "vllm").ready(t)
	c := command(t, "testdata/small.yaml", "--base-url", e.url, "--set", "phases.decode.load.requests=40")
	screen, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stdout, c.cmd.Stderr = screen, screen
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for finished(c.out) < 5 {
		time.Sleep(100 * time.Millisecond)
	}
	e.kill()
	err = c.cmd.Wait()
	text, _ := os.ReadFile(screen.Name())
	o := c.read(t, string(text), err)
	o.want(t, 3, "NO-GO", "died", "connection refused")
	if o.lines < 40 {
		t.Errorf("%d requests on disk, want all 40", o.lines)
	}
}

// finished is how many requests of a run have been written down.
func finished(out string) int {
	files, _ := filepath.Glob(filepath.Join(out, "*", "requests.jsonl"))
	if len(files) == 0 {
		return 0
	}
	data, _ := os.ReadFile(files[0])
	return strings.Count(string(data), "\n")
}

// wantCounted wants the server's own counters to hold exactly the load of each level,
// whatever was sent around it.
func wantCounted(t *testing.T, o outcome) {
	t.Helper()
	for _, l := range o.result.Phases[0].Levels {
		s, n := l.Figures.Server, float64(l.Figures.OKCount)
		if s.PromptTokens == nil || *s.PromptTokens != 32*n || s.GenerationTokens == nil || *s.GenerationTokens != 24*n {
			t.Errorf("C=%d: %v requests of 32 and 24 tokens, the server counts %+v", l.Concurrency, n, s)
		}
		if s.RunningMax == nil || *s.RunningMax > float64(l.Concurrency) {
			t.Errorf("C=%d: the server's gauges say %+v", l.Concurrency, s)
		}
	}
}

// busy sends completions to a server, one after the other, until it is stopped.
func busy(t *testing.T, url string) (stop func()) {
	t.Helper()
	model := served(t, url)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-quit:
				return
			default:
			}
			body := fmt.Sprintf(`{"model":%q,"prompt":"Once upon a time","max_tokens":24}`, model)
			if response, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(body)); err == nil {
				io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// compare measures the same load at C = 1 with a client of its own.
func compare(t *testing.T, url string, f *figures) {
	t.Helper()
	var ttft, e2e []float64
	for i := range 5 {
		ids := make([]int, 32)
		for j := range ids {
			ids[j] = 1000 + (i*7001+j*104729+int(time.Now().UnixNano()%20000))%28000
		}
		first, last := independent(t, url, ids, 24)
		ttft, e2e = append(ttft, first.Seconds()), append(e2e, last.Seconds())
	}
	slices.Sort(ttft)
	slices.Sort(e2e)
	t.Logf("independent client: TTFT %.3f s, E2E %.3f s; scenario: %.3f s, %.3f s", ttft[2], e2e[2], *f.TTFT.P50, *f.E2E.P50)
	for name, pair := range map[string][2]float64{"ttft.p50": {*f.TTFT.P50, ttft[2]}, "e2e.p50": {*f.E2E.P50, e2e[2]}} {
		if ratio := pair[0] / pair[1]; ratio < 0.7 || ratio > 1.4 {
			t.Errorf("%s is %.3f s, an independent client measures %.3f s", name, pair[0], pair[1])
		}
	}
}

// independent sends one streamed completion and returns the times to the first
// and to the last event with text.
func independent(t *testing.T, url string, ids []int, output int) (first, last time.Duration) {
	t.Helper()
	prompt, _ := json.Marshal(ids)
	model := served(t, url)
	body := fmt.Sprintf(`{"model":%q,"prompt":%s,"max_tokens":%d,"temperature":0,"ignore_eos":true,"stream":true}`, model, prompt, output)
	began := time.Now()
	response, err := http.Post(url+"/v1/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"text":"`) && !strings.Contains(lines.Text(), `"text":""`) {
			last = time.Since(began)
			if first == 0 {
				first = last
			}
		}
	}
	return first, last
}

func served(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var list struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil || len(list.Data) == 0 {
		t.Fatal("no model", err)
	}
	return list.Data[0].ID
}
