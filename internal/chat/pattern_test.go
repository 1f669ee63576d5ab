package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPatternsReadWhatParsingReads(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatal("no streams", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decodeParsing("text/event-stream", body, true), decodeSplit("text/event-stream", body, nil, true)); diff != "" {
			t.Errorf("%s (-parsed +by patterns):\n%s", file, diff)
		}
	}
}

func TestPatternsAreUsed(t *testing.T) {
	d := newDecoder("text/event-stream", true)
	d.feed([]byte(vllmEvent("one")), 1)
	if d.answer.pattern.text == nil {
		t.Fatal("an event with one text makes no pattern")
	}
	if !d.answer.pattern.read(&d.answer, []byte(strings.TrimSuffix(strings.TrimPrefix(vllmEvent(" two"), "data: "), "\n\n")), 2) {
		t.Error("the next event does not fit the pattern")
	}
}

// FuzzPatterns puts texts and foreign pieces into the events of a stream.
func FuzzPatterns(f *testing.F) {
	f.Add("a", "b", `"finish_reason":"stop"`, "c")
	f.Add(`\u00e9`, "é", `"usage":{"completion_tokens":3}`, "\xff")
	f.Add("\\", `"`, `"content":"x"`, `x","reasoning":"y`)
	f.Add("", "x", `"text":null`, "\x1f")
	f.Fuzz(func(t *testing.T, first, second, member, third string) {
		event := func(text, extra string) string {
			return fmt.Sprintf("data: {\"id\":1,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}%s}]}\n\n", text, extra)
		}
		body := event(first, "") + event(second, "") + event(second, ","+member) + event(third, "") + event(first+third, ","+member) + event(second, ","+member) +
			finish("stop") + event(second, "") + used(5, 3) + done
		parsed, read := decodeParsing("text/event-stream", []byte(body), true), decodeSplit("text/event-stream", []byte(body), nil, true)
		if diff := cmp.Diff(parsed, read); diff != "" {
			t.Errorf("%q (-parsed +by patterns):\n%s", body, diff)
		}
	})
}
