package chat

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// vllmEvent is an event of the length that vLLM sends.
func vllmEvent(text string) string {
	return fmt.Sprintf(`data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1796078162,"model":"qwen3.5-397b","choices":[{"index":0,"delta":{"content":%q},"logprobs":null,"finish_reason":null,"token_ids":null}]}`+"\n\n", text)
}

// BenchmarkDecoder feeds 1,000 events, in one read of many and in reads of one.
func BenchmarkDecoder(b *testing.B) {
	const events = 1000
	one := []byte(vllmEvent(" token"))
	many := []byte(strings.Repeat(string(one), events))
	run := func(name string, feed func(d *decoder)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(many)))
			for b.Loop() {
				d := newDecoder("text/event-stream", true)
				feed(d)
				if len(d.answer.events) != events {
					b.Fatalf("%d events", len(d.answer.events))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
		})
	}
	run("coalesced", func(d *decoder) {
		for rest := many; len(rest) > 0; {
			n := min(readSize, len(rest))
			d.feed(rest[:n], 1)
			rest = rest[n:]
		}
	})
	run("one event per read", func(d *decoder) {
		for range events {
			d.feed(one, 1)
		}
	})
}

func TestEventsAreReadWithoutAllocation(t *testing.T) {
	one := []byte(vllmEvent(" token"))
	d := newDecoder("text/event-stream", true)
	d.answer.events = make([]Event, 0, 4096)
	d.answer.content.buf = make([]byte, 0, 1<<16)
	d.feed(one, 1)
	if n := testing.AllocsPerRun(1000, func() { d.feed(one, 1) }); n > 0 {
		t.Errorf("%v allocations per event", n)
	}
}

// longStream is a recorded stream whose first text event comes so many times more.
func longStream(b *testing.B, name string, times int) [][]byte {
	b.Helper()
	stream, err := os.ReadFile(filepath.Join("testdata", "streams", name+".sse"))
	if err != nil {
		b.Fatal(err)
	}
	pieces := bytes.SplitAfter(stream, []byte("\n\n"))
	d := newDecoder("text/event-stream", true)
	for i, piece := range pieces {
		if d.feed(piece, 1); len(d.answer.events) > 0 {
			return slices.Concat(pieces[:i], slices.Repeat(pieces[i:i+1], times), pieces[i:])
		}
	}
	b.Fatalf("%s has no text", name)
	return nil
}

// BenchmarkRecordedStreams feeds streams as servers send them, in reads of one event
// and in reads of as many as fit.
func BenchmarkRecordedStreams(b *testing.B) {
	const times = 1000
	// The second one states its usage in every event, which takes the whole parser.
	for _, name := range []string{"recorded-vllm-completions", "recorded-vllm-chat", "sglang", "llamacpp", "trtllm", "ollama", "lmdeploy"} {
		pieces := longStream(b, name, times)
		run := func(way string, pieces [][]byte) {
			b.Run(name+"/"+way, func(b *testing.B) {
				size := 0
				for _, piece := range pieces {
					size += len(piece)
				}
				b.SetBytes(int64(size))
				b.ReportAllocs()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					d := newDecoder("text/event-stream", true)
					for _, piece := range pieces {
						d.feed(piece, 1)
					}
					d.end(nil)
					if len(d.answer.events) < times {
						b.Fatalf("%d events: %v", len(d.answer.events), d.fault)
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*times), "ns/event")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N*times), "allocs/event")
			})
		}
		run("one event per read", pieces)
		run("coalesced", slices.Collect(slices.Chunk(bytes.Join(pieces, nil), readSize)))
	}
}
