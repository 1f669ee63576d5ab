package simserver

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestWireBytes(t *testing.T) {
	const chat, completions = "/v1/chat/completions", "/v1/completions"
	messages := []fields{{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is near the harbor?"}}
	usage := fields{"include_usage": true}
	for _, c := range []struct {
		golden string
		path   string
		body   fields
	}{
		{"chat.sse", chat, fields{"messages": messages, "stream": true, "stream_options": usage, "max_tokens": 4}},
		{"chat_without_usage.sse", chat, fields{"messages": messages, "stream": true, "max_tokens": 2}},
		{"chat_running_totals.sse", chat, fields{
			"messages": messages, "stream": true, "max_tokens": 2,
			"stream_options": fields{"include_usage": true, "continuous_usage_stats": true},
		}},
		{"chat.json", chat, fields{"messages": messages, "max_tokens": 4}},
		{"completions.sse", completions, fields{
			"prompt": []int{1000, 1001, 1002}, "stream": true, "stream_options": usage, "max_tokens": 4, "ignore_eos": true,
		}},
		{"completions_running_totals.sse", completions, fields{
			"prompt": "The harbor", "stream": true, "max_tokens": 2,
			"stream_options": fields{"include_usage": true, "continuous_usage_stats": true},
		}},
		{"completions_stopped.sse", completions, fields{
			"prompt": "The harbor", "stream": true, "stream_options": usage, "max_tokens": 100, "stop": []string{"e "},
		}},
		{"completions.json", completions, fields{"prompt": "The harbor", "max_tokens": 4}},
	} {
		t.Run(c.golden, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := serve(t, Healthy())
				g := r.must(r.post(t.Context(), c.path, c.body))
				golden(t, c.golden, g.body)
				if server := g.header.Get("Server"); server != "scenario-sim" {
					t.Errorf("the server calls itself %q", server)
				}
			})
		})
	}
}

func TestEveryEventIsJSONWhateverTheText(t *testing.T) {
	nasty := "a \"quoted\" \\ word\n\tand\x01 é 🙂 </script>"
	for _, chat := range []bool{true, false} {
		for _, finished := range []*reply{nil, {finish: "stop", stop: nasty}} {
			w := newWire(&request{chat: chat, runningTotals: true}, &response{ID: nasty, Model: nasty}, &faults{})
			event := string(w.event(nil, []token{{text: nasty}, {text: "!"}}, 2, finished, nil))
			data, ok := strings.CutPrefix(event, "data: ")
			var back struct {
				Model   string
				Choices []struct {
					Delta      struct{ Content string }
					Text       string
					StopReason string `json:"stop_reason"`
				}
			}
			if err := json.Unmarshal([]byte(data), &back); err != nil || !ok || !strings.HasSuffix(event, "}\n\n") {
				t.Fatalf("%v in %q", err, event)
			}
			choice := back.Choices[0]
			if back.Model != nasty || choice.Delta.Content+choice.Text != nasty+"!" {
				t.Errorf("came back as %+v", back)
			}
			if finished != nil && choice.StopReason != nasty {
				t.Errorf("the stop string came back as %q", choice.StopReason)
			}
		}
	}
}

func TestEventsCarryAnInterval(t *testing.T) {
	for _, c := range []struct{ interval, tokens, events int }{
		{1, 10, 10}, {8, 1, 1}, {8, 2, 2}, {8, 9, 2}, {8, 10, 3}, {8, 20, 4}, {8, 100, 14},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := Healthy()
			cfg.StreamInterval = c.interval
			r := serve(t, cfg)
			g := r.must(r.post(t.Context(), "/v1/completions", ask(ids(1, 10), c.tokens)))
			if g.events != c.events || g.output != c.tokens || !g.done || g.finish != "length" {
				t.Errorf("interval %d: %d tokens in %d events, want %d in %d",
					c.interval, g.output, g.events, c.tokens, c.events)
			}
			if first := cfg.Step(1, 10); g.ttft != first || g.e2e != first+time.Duration(c.tokens-1)*cfg.Step(1, 0) {
				t.Errorf("interval %d: first after %v, last after %v", c.interval, g.ttft, g.e2e)
			}
		})
	}
}
