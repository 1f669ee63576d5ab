package simserver

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

func (s *Server) completions(w http.ResponseWriter, r *http.Request) { s.generate(w, r, false) }
func (s *Server) chat(w http.ResponseWriter, r *http.Request)        { s.generate(w, r, true) }

// generate answers a generation request, from its body to the last byte.
func (s *Server) generate(w http.ResponseWriter, r *http.Request, chat bool) {
	form, fault := readForm(w, r)
	if fault != nil {
		fault.write(w)
		return
	}
	asked, fault := s.parseRequest(form, chat)
	if fault != nil {
		fault.write(w)
		return
	}
	now := load{number: int(s.requests.Add(1)), inFlight: int(s.inFlight.Add(1))}
	defer s.inFlight.Add(-1)
	bent := s.cfg.faults
	if bent.dieAfter > 0 && now.number > bent.dieAfter {
		s.die()
		panic(http.ErrAbortHandler)
	}
	if bent.refuse != nil {
		if fault := bent.refuse(now); fault != nil {
			fault.write(w)
			return
		}
	}
	if bent.request != nil {
		bent.request(asked)
	}
	sequence := newSequence(asked, s.plan(asked), &s.cfg)
	s.engine.submit(sequence)
	defer s.engine.remove(sequence)
	if asked.stream {
		s.stream(r.Context(), w, sequence, s.envelope(chat, now.number))
	} else {
		s.whole(r.Context(), w, sequence, s.envelope(chat, now.number))
	}
}

// envelope is what every event and every response object of a request begins
// with.
func (s *Server) envelope(chat bool, number int) *response {
	kind := "cmpl"
	if chat {
		kind = "chatcmpl"
	}
	created := time.Now()
	unique := mix(uint64(created.UnixNano()) ^ mix(uint64(number)))
	return &response{
		ID:                fmt.Sprintf("%s-%016x%016x", kind, unique, mix(unique)),
		Created:           created.Unix(),
		Model:             s.cfg.Model,
		SystemFingerprint: s.fingerprint,
	}
}

// cachedCount is the cached tokens that usage states; nil when it states none.
func (s *Server) cachedCount(q *sequence) *int {
	if !s.cfg.ReportCached {
		return nil
	}
	return &q.cached
}

// whole answers with one object when the last token is out.
func (s *Server) whole(ctx context.Context, w http.ResponseWriter, q *sequence, b *response) {
	if q.waitAll(ctx) != nil {
		panic(http.ErrAbortHandler)
	}
	b.fill(q.request, &q.reply, s.cachedCount(q))
	writeJSON(w, http.StatusOK, b)
}

// stream answers with events. All that is out is written at once, so that a
// client too slow for the engine gets several events in one piece.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, q *sequence, b *response) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	if control.Flush() != nil { // the client sees the headers while it waits for a token
		return
	}
	out := newWire(q.request, b)
	buffer := out.opening(nil)
	for sent, said := 0, 0; sent < len(q.reply.tokens); {
		var err error
		if said, err = q.wait(ctx, said); err != nil {
			panic(http.ErrAbortHandler)
		}
		before := sent
		if buffer, sent = s.appendEvents(buffer, out, q, sent, said); sent == before {
			continue
		}
		if _, err := w.Write(buffer); err != nil || control.Flush() != nil {
			return
		}
		buffer = buffer[:0]
	}
}

// appendEvents appends the events that are due when sent tokens have been sent
// and said are out. It returns how many are then sent.
func (s *Server) appendEvents(to []byte, out *wire, q *sequence, sent, said int) ([]byte, int) {
	tokens := q.reply.tokens
	for {
		size := min(s.cfg.StreamInterval, said-sent)
		switch {
		case sent == 0:
			size = 1
		case said < len(tokens) && size < s.cfg.StreamInterval:
			size = 0
		}
		if size == 0 {
			return to, sent
		}
		event := tokens[sent : sent+size]
		if sent += size; sent < len(tokens) {
			to = out.event(to, event, sent, nil)
			continue
		}
		to = out.event(to, event, sent, &q.reply)
		return out.closing(to, sent, s.cachedCount(q)), sent
	}
}
