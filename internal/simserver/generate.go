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
	if bent.restartAfter > 0 && now.number == bent.restartAfter+1 {
		s.engine.restart()
	}
	if bent.foreign != nil && bent.foreign(now) {
		s.engine.submit(s.someoneElses(asked))
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
	if !s.cfg.faults.buffered && control.Flush() != nil { // the client sees the headers while it waits for a token
		return
	}
	out := newWire(q.request, b, &s.cfg.faults)
	buffer := out.opening(nil)
	if out.chatty && !s.greet(ctx, w, out, q) {
		return
	}
	for sent, said := 0, 0; sent < len(q.reply.tokens); {
		var err error
		if said, err = q.wait(ctx, said); err != nil {
			panic(http.ErrAbortHandler)
		}
		before := sent
		if buffer, sent = s.appendEvents(buffer, out, q, sent, said); sent == before {
			continue
		}
		if s.cfg.faults.buffered && sent < len(q.reply.tokens) {
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
			to = out.event(to, event, sent, nil, nil)
			continue
		}
		cached := s.cachedCount(q)
		to = out.event(to, event, sent, &q.reply, cached)
		return out.closing(to, sent, cached), sent
	}
}

// greet sends what a chatty server has to say before the first token: an opening
// of its own and, while there is none, a sign of life from time to time.
func (s *Server) greet(ctx context.Context, w http.ResponseWriter, out *wire, q *sequence) bool {
	const every = 100 * time.Millisecond
	control := http.NewResponseController(w)
	for news := out.opening([]byte(ping)); ; news = []byte(ping) {
		if _, err := w.Write(news); err != nil || control.Flush() != nil {
			return false
		}
		patience, cancel := context.WithTimeout(ctx, every)
		_, err := q.wait(patience, 0)
		cancel()
		if err == nil || ctx.Err() != nil {
			return true // the caller sees which
		}
	}
}

// someoneElses is a request of another user that is as long as this one.
func (s *Server) someoneElses(asked *request) *sequence {
	theirs := *asked
	theirs.texts, theirs.stop = nil, nil
	theirs.seed = mix(asked.seed ^ uint64(s.requests.Load()))
	theirs.prompt = make([]int32, len(asked.prompt))
	for i := range theirs.prompt {
		theirs.prompt[i] = firstWord + int32(mix(theirs.seed+uint64(i))%uint64(len(s.lexicon.words)))
	}
	return newSequence(&theirs, s.plan(&theirs), &s.cfg)
}
