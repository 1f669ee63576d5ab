package nullserver

import (
	"net"
	"strconv"
)

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

// An event has the shape and length of vLLM's.
const (
	before = `data: {"id":"cmpl-0123456789abcdef","object":"text_completion","created":1796078162,"model":"null","choices":[{"index":0,"text":"`
	after  = `","logprobs":null,"finish_reason":null,"stop_reason":null,"token_ids":null,"prompt_logprobs":null}]}` + "\n\n"
	ending = `data: {"choices":[{"index":0,"text":"","finish_reason":"length"}]}` + "\n\n" + `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":`
)

// stampSize is the length of a stamp in an event's text.
const stampSize = 20

// appendStamp appends a moment as events carry it: 19 digits and a space.
func appendStamp(buf []byte, at int64) []byte {
	const zeros = "0000000000000000000"
	digits := strconv.AppendInt(make([]byte, 0, stampSize), at, 10)
	return append(append(append(buf, zeros[:max(0, len(zeros)-len(digits))]...), digits...), ' ')
}

// Stamps are the moments in a reply's text, as Now gives them: when the request
// had arrived, and just before each event was written. ok is false for any other
// text.
func Stamps(text string, events int) (request int64, written []int64, ok bool) {
	if len(text) != (events+1)*stampSize {
		return 0, nil, false
	}
	moments := make([]int64, 0, events+1)
	for i := 0; i < len(text); i += stampSize {
		n, err := strconv.ParseInt(text[i:i+stampSize-1], 10, 64)
		if err != nil {
			return 0, nil, false
		}
		moments = append(moments, n)
	}
	return moments[0], moments[1:], true
}

// stream is one reply under way.
type stream struct {
	conn    net.Conn
	due     int64 // moment of the next event
	events  int
	left    int
	request int64 // the moment the request had arrived; zero once it was told
	ended   chan struct{}
	buf     []byte
}

// tick writes the next events in one write, and with the last of them the end of
// the reply; false: the client is gone.
func (st *stream) tick(events int) bool {
	st.buf = st.buf[:0]
	now := Now()
	for range min(events, st.left) {
		size := len(before) + len(after) + stampSize
		if st.request != 0 {
			size += stampSize
		}
		st.buf = strconv.AppendInt(st.buf, int64(size), 16)
		st.buf = append(append(st.buf, "\r\n"...), before...)
		if st.request != 0 {
			st.buf, st.request = appendStamp(st.buf, st.request), 0
		}
		st.buf = append(append(appendStamp(st.buf, now), after...), "\r\n"...)
		st.left--
	}
	if st.left == 0 {
		st.buf = st.end(st.buf)
	}
	_, err := st.conn.Write(st.buf)
	return err == nil
}

// end appends the last events and the end of the body.
func (st *stream) end(buf []byte) []byte {
	text := ending + strconv.Itoa(st.events) + "}}\n\ndata: [DONE]\n\n"
	buf = strconv.AppendInt(buf, int64(len(text)), 16)
	return append(append(append(buf, "\r\n"...), text...), "\r\n0\r\n\r\n"...)
}
