package chat

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestStreamsOfServers reads streams as servers send them: written after their
// sources, and recorded from a running one. In the golden files the moment of an
// arrival is the number of its event.
func TestStreamsOfServers(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d streams, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sse"), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d := newDecoder("text/event-stream", true)
			for i, one := range strings.SplitAfter(string(body), "\n\n") {
				d.feed([]byte(one), Stamp(i+1))
			}
			d.end(nil)
			if d.fault != nil {
				t.Fatalf("fault: %+v", d.fault)
			}
			var r Reply
			d.answer.write(&r)
			checkGolden(t, strings.TrimSuffix(file, ".sse")+".golden", &r)
		})
	}
}

func TestWholeReplyOfServer(t *testing.T) {
	body, err := os.ReadFile("testdata/streams/recorded-vllm-whole.json")
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "testdata/streams/recorded-vllm-whole.golden", decode("application/json", string(body), false))
}

func checkGolden(t *testing.T, file string, r *Reply) {
	t.Helper()
	got, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestServersSayTheSame holds the streams of the six servers to one meaning.
func TestServersSayTheSame(t *testing.T) {
	for _, server := range []string{"vllm", "sglang", "llamacpp", "trtllm", "ollama", "lmdeploy"} {
		body, err := os.ReadFile("testdata/streams/" + server + ".sse")
		if err != nil {
			t.Fatal(err)
		}
		got := decode("text/event-stream", string(body), true)
		if got.Failure != NoFailure || got.Content != "One moment." || got.Reasoning != "The user wants Oslo." ||
			got.FinishReason != "tool_calls" || got.Usage.PromptTokens != 100 || got.Usage.OutputTokens != 18 || !got.Done || got.Notes != nil {
			t.Errorf("%s: %+v", server, got)
		}
		if len(got.ToolCalls) != 1 || got.ToolCalls[0].Name != "get_weather" || got.ToolCalls[0].Arguments != `{"city": "Oslo"}` {
			t.Errorf("%s: %+v", server, got.ToolCalls)
		}
	}
}
