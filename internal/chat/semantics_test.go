package chat

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// outcome is what a client made of a response.
type outcome struct {
	Refused bool // no response
	Status  int
	Header  http.Header
	Body    string
	Cut     bool // the body did not end as it should
	Kept    bool // the connection may carry another exchange
}

func read(resp *http.Response, err error) outcome {
	if err != nil {
		return outcome{Refused: true}
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return outcome{Status: resp.StatusCode}
	}
	body, err := io.ReadAll(resp.Body)
	return outcome{Status: resp.StatusCode, Header: resp.Header, Body: string(body), Cut: err != nil}
}

// answered is a connection on which a request is answered by raw bytes, a few at a
// time, and then closed.
func answered(raw []byte, size int) (near net.Conn, done func()) {
	near, far := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer far.Close()
		readRequest(bufio.NewReader(far))
		for len(raw) > 0 {
			n := min(size, len(raw))
			if _, err := far.Write(raw[:n]); err != nil {
				return
			}
			raw = raw[n:]
		}
	}()
	return near, func() { near.Close(); <-ended }
}

const postHead = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n"

func throughOwn(raw []byte, size int) outcome {
	near, done := answered(raw, size)
	defer done()
	w := newWire(newStampConn(near, NewClock(), nil, 0))
	kept := false
	o := read(w.roundTrip(context.Background(), []byte(postHead), []byte("{}"), func(*wire) { kept = true }, func() {}))
	o.Kept = kept
	return o
}

func throughNetHTTP(raw []byte, size int) outcome {
	near, done := answered(raw, size)
	defer done()
	transport := &http.Transport{
		DialContext:        func(context.Context, string, string) (net.Conn, error) { return near, nil },
		DisableCompression: true, DisableKeepAlives: false,
	}
	defer transport.CloseIdleConnections()
	request, _ := http.NewRequest(http.MethodPost, "http://h/", io.NopCloser(strings.NewReader("{}")))
	request.ContentLength = 2
	kept := make(chan bool, 1)
	trace := &httptrace.ClientTrace{PutIdleConn: func(err error) { kept <- err == nil }}
	o := read(transport.RoundTrip(request.WithContext(httptrace.WithClientTrace(request.Context(), trace))))
	select {
	case o.Kept = <-kept:
	default:
	}
	return o
}

// compareSemantics wants an owned connection to make of a response what net/http
// makes of it, and to be kept only where net/http would keep its own.
func compareSemantics(t *testing.T, raw []byte, size int) {
	t.Helper()
	own, theirs := throughOwn(raw, size), throughNetHTTP(raw, size)
	// On a busy machine net/http may give a connection up that it would keep.
	for tries := 0; own.Kept && !theirs.Kept && tries < 10; tries++ {
		theirs = throughNetHTTP(raw, size)
	}
	if own.Kept && !theirs.Kept {
		t.Errorf("%q in pieces of %d: the connection is kept", raw, size)
	}
	own.Kept = theirs.Kept
	if own.Cut && theirs.Cut {
		// How much was read before the fault is up to the reader.
		n := min(len(own.Body), len(theirs.Body))
		own.Body, theirs.Body = own.Body[:n], theirs.Body[:n]
	}
	if diff := cmp.Diff(theirs, own); diff != "" {
		t.Errorf("%q in pieces of %d (-net/http +own):\n%s", raw, size, diff)
	}
}

var responses = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more",
	"HTTP/1.1 200 OK\r\n\r\nuntil the end",
	"HTTP/1.0 200 OK\r\nX: y\r\n\r\nold",
	"HTTP/1.1 204 No Content\r\n\r\n",
	"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
	"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
	"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 500 Oh\r\nContent-Length: 1\r\n\r\na",
	"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nwhatever",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;name=value\r\nhello\r\nA \r\n0123456789\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nhello\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nhello\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0000000000000005\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n00000000000000005\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\nhello",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a\rb\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a\r\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5 ;a\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5; a \r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nbroken\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
	"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nA: b\r\nA: c\r\n folded\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nbroken\r\n\r\n",
	"HTTP/1.1 000\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 \r\n\r\n", "hello", "", "\r\n", "HTTP/2.0 200 OK\r\n\r\n",
}

func TestSemanticsAreThoseOfNetHTTP(t *testing.T) {
	log.SetOutput(io.Discard) // the transport writes there of bytes that nobody asked for
	for _, raw := range responses {
		for _, size := range []int{1, 7, 1 << 16} {
			compareSemantics(t, []byte(raw), size)
		}
	}
}

func TestWasteInChunksIsBounded(t *testing.T) {
	log.SetOutput(io.Discard)
	for _, c := range []struct{ chunks, data, extension int }{
		{5000, 1, 0},   // a byte at a time is slow, and all right
		{16, 1, 1000},  // below the bound
		{20, 1, 1000},  // above it
		{50, 600, 900}, // much besides, but as much data
	} {
		chunk := fmt.Sprintf("%x;%s\r\n%s\r\n", c.data, strings.Repeat("x", c.extension), strings.Repeat("a", c.data))
		compareSemantics(t, []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+strings.Repeat(chunk, c.chunks)+"0\r\n\r\n"), 4096)
	}
}

func FuzzSemanticsAreThoseOfNetHTTP(f *testing.F) {
	log.SetOutput(io.Discard)
	for i, raw := range responses {
		f.Add([]byte(raw), uint8(i))
	}
	f.Fuzz(func(t *testing.T, raw []byte, size uint8) {
		if bytes.Count(raw, []byte("HTTP/")) >= maxInterim || len(raw) > wireBuffer/2 {
			return // bounds of ours
		}
		compareSemantics(t, raw, 1+int(size))
	})
}

func TestChunksAreGivenOutAsTheyArrive(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	go func() {
		defer far.Close()
		for _, piece := range []string{"8\r\nab", "cd", "efgh\r\n2\r\nij\r\n3\r\nk", "lm\r\n0\r\n", "\r\n"} {
			if _, err := io.WriteString(far, piece); err != nil {
				return
			}
		}
	}()
	near.SetDeadline(time.Now().Add(10 * time.Second))
	body := &chunkedBody{r: bufio.NewReader(near)}
	buf := make([]byte, 64)
	var got []string
	for {
		n, err := body.Read(buf)
		if n > 0 {
			got = append(got, string(buf[:n]))
		}
		if err != nil {
			if err != io.EOF {
				t.Error(err)
			}
			break
		}
	}
	if diff := cmp.Diff([]string{"ab", "cd", "efghijk", "lm"}, got); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
}
