package chat

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"
)

// TestStreamsHaveSmallStacks reads recorded streams of text on stacks of 8 KB, below
// callers that take 1 KB of them. Stacks are doubled when they are too small, and each of
// thousands of streams has one.
func TestStreamsHaveSmallStacks(t *testing.T) {
	if raceDetector || testing.CoverMode() != "" {
		t.Skip("frames are larger than in the program")
	}
	// It would make a stack smaller that is not used much.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	files, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		stream, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(stream, []byte("tool_calls")) {
			continue
		}
		outgrown := make(chan bool)
		go func() {
			haveStack()
			outgrown <- outgrows(func() {
				d := newDecoder("text/event-stream", true)
				d.feed(stream, 1)
				d.end(nil)
			})
		}()
		if <-outgrown {
			t.Errorf("%s: 8 KB are not enough", file)
		}
	}
}

// haveStack makes a stack that is smaller one of 8 KB.
//
//go:noinline
func haveStack() {
	var much [5 << 10]byte
	runtime.KeepAlive(&much)
}

// outgrows reports whether the stack was replaced by a larger one while f ran.
//
//go:noinline
func outgrows(f func()) bool {
	var callers [1 << 10]byte
	before := uintptr(unsafe.Pointer(&callers))
	f()
	return uintptr(unsafe.Pointer(&callers)) != before
}
