package nullserver

import (
	"runtime"
	"slices"
	"strconv"
	"time"
)

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

// An event has the shape and length of vLLM's.
const (
	before = `data: {"id":"cmpl-0123456789abcdef","object":"text_completion","created":1796078162,"model":"null","choices":[{"index":0,"text":"`
	after  = `","logprobs":null,"finish_reason":null,"stop_reason":null,"token_ids":null,"prompt_logprobs":null}]}` + "\n\n"
	ending = `data: {"choices":[{"index":0,"text":"","finish_reason":"length"}]}` + "\n\n" + `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":`
)

// stamp is a moment as events carry it: nanoseconds of the wall clock.
func stamp(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// Stamps are the moments in a reply's text: when the request had been read, and
// when each event was written. ok is false for any other text.
func Stamps(text string, events int) (request int64, written []int64, ok bool) {
	const digits = 19
	if len(text) != (events+1)*(digits+1) {
		return 0, nil, false
	}
	for i := 0; i < len(text); i += digits + 1 {
		n, err := strconv.ParseInt(text[i:i+digits], 10, 64)
		if err != nil {
			return 0, nil, false
		}
		written = append(written, n)
	}
	return written[0], written[1:], true
}

// tick writes the next events in one write, and with the last of them the end of
// the reply; false: the client is gone.
func (st *stream) tick(events int) bool {
	st.buf = st.buf[:0]
	now := time.Now()
	for range min(events, st.left) {
		size := len(before) + len(after) + 20
		if st.first != "" {
			size += 20
		}
		st.buf = strconv.AppendInt(st.buf, int64(size), 16)
		st.buf = append(append(st.buf, "\r\n"...), before...)
		if st.first != "" {
			st.buf = append(append(st.buf, st.first...), ' ')
			st.first = ""
		}
		st.buf = append(strconv.AppendInt(st.buf, now.UnixNano(), 10), ' ')
		st.buf = append(append(st.buf, after...), "\r\n"...)
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
	text := ending + `1}}` + "\n\ndata: [DONE]\n\n"
	buf = strconv.AppendInt(buf, int64(len(text)), 16)
	return append(append(append(buf, "\r\n"...), text...), "\r\n0\r\n\r\n"...)
}

// pace writes every stream's events when they are due. It has a thread of its own,
// so that nothing else of this process delays it.
func (s *Server) pace() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		next := s.writeDue(time.Now())
		timer.Reset(next)
		select {
		case <-timer.C:
		case <-s.wake:
		case <-s.stop:
			return
		}
	}
}

// writeDue writes what is due and returns how long until the next event is.
func (s *Server) writeDue(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := time.Hour
	for _, st := range s.streams {
		if !st.due.After(now) {
			if !st.tick(s.config.PerWrite) {
				st.left = 0
			}
			// A late tick does not make the next ones late.
			st.due = st.due.Add(s.config.Interval * time.Duration(s.config.PerWrite))
		}
		if st.left == 0 {
			close(st.ended)
			continue
		}
		next = min(next, st.due.Sub(now))
	}
	s.streams = slices.DeleteFunc(s.streams, func(st *stream) bool { return st.left == 0 })
	return max(0, next)
}
