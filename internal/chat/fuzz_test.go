package chat

import (
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// decodeSplit reads a body in pieces whose sizes the bytes of cuts give, in turn.
func decodeSplit(contentType string, body, cuts []byte, streamed bool) *Reply {
	return decodeWith(newDecoder(contentType, streamed), body, cuts)
}

// decodeParsing is decodeSplit in one piece, with every event parsed.
func decodeParsing(contentType string, body []byte, streamed bool) *Reply {
	d := newDecoder(contentType, streamed)
	d.answer.pattern.off = true
	return decodeWith(d, body, nil)
}

func decodeWith(d *decoder, body, cuts []byte) *Reply {
	for i := 0; len(body) > 0; i++ {
		n := len(body)
		if len(cuts) > 0 {
			n = min(n, int(cuts[i%len(cuts)])+1)
		}
		// The decoder must not keep what it is fed.
		piece := append([]byte(nil), body[:n]...)
		d.feed(piece, 1)
		for j := range piece {
			piece[j] = '!'
		}
		body = body[n:]
	}
	d.end(nil)
	r := &Reply{}
	d.answer.write(r)
	if d.fault != nil {
		r.Failure, r.Error, r.Code = d.fault.failure, d.fault.message, d.fault.code
	}
	return r
}

func FuzzDecoder(f *testing.F) {
	files, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(body), "\x00\x05\x80", true, true)
	}
	for _, body := range []string{
		wholeReply, "<html>", "", "\xEF\xBB\xBFdata: [DONE]\r\rdata:x", " \n{\"error\":1}",
		"data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":[\"\\ude42\"]}}]}\n\n",
		"event: error\ndata: a\ndata: b", "{\"a\":\n: x\nid\ndata\ndata: 1\n\n",
	} {
		f.Add(body, "\x00", true, false)
	}
	f.Fuzz(func(t *testing.T, body, cuts string, isStream, streamed bool) {
		contentType := "application/json"
		if isStream {
			contentType = "text/event-stream"
		}
		whole := decodeSplit(contentType, []byte(body), nil, streamed)
		split := decodeSplit(contentType, []byte(body), []byte(cuts), streamed)
		if diff := cmp.Diff(whole, split); diff != "" {
			t.Errorf("the reply depends on the reads (-whole +split):\n%s", diff)
		}
		if diff := cmp.Diff(decodeParsing(contentType, []byte(body), streamed), whole); diff != "" {
			t.Errorf("the reply depends on the fast path (-parsed +by patterns):\n%s", diff)
		}
		if !utf8.ValidString(whole.Content) || !utf8.ValidString(whole.Reasoning) {
			t.Errorf("the text is not valid UTF-8: %q %q", whole.Content, whole.Reasoning)
		}
		if (whole.Failure == NoFailure) != (whole.Error == "") {
			t.Errorf("failure %v with error %q", whole.Failure, whole.Error)
		}
		if whole.Failure == NoFailure && whole.Content == "" && whole.Reasoning == "" && len(whole.ToolCalls) == 0 && whole.Usage.OutputTokens <= 0 {
			t.Errorf("a good reply without output: %+v", whole)
		}
	})
}

func FuzzErrorBodies(f *testing.F) {
	for _, body := range []string{`{"error":{"message":"m","code":1}}`, `{"detail":[{"msg":"a"}]}`, "<html><title>x</title>", `[{"error":"x"}]`, "\xff\x00"} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		e := errorInBody([]byte(body))
		for _, s := range []string{e.message, e.code} {
			if s != OneLine(s, maxMessage+1) {
				t.Errorf("%q is not one clean line", s)
			}
		}
	})
}
