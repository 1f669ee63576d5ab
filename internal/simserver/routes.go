package simserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"
)

// A route is one path and the only method that it takes.
type route struct {
	method string
	serve  http.HandlerFunc
}

func (s *Server) routes() map[string]route {
	routes := map[string]route{
		"/health":              {http.MethodGet, func(http.ResponseWriter, *http.Request) {}},
		"/version":             {http.MethodGet, s.version},
		"/v1/models":           {http.MethodGet, s.models},
		"/v1/completions":      {http.MethodPost, s.completions},
		"/v1/chat/completions": {http.MethodPost, s.chat},
	}
	if s.cfg.Tokenize {
		routes["/tokenize"] = route{http.MethodPost, s.tokenize}
		routes["/detokenize"] = route{http.MethodPost, s.detokenize}
	}
	if s.cfg.Metrics {
		routes["/metrics"] = route{http.MethodGet, s.metrics}
	}
	if s.cfg.ResetCache {
		routes["/reset_prefix_cache"] = route{http.MethodPost, s.resetCache}
	}
	return routes
}

// handler finds the route of a request, the way vLLM's framework does: the key
// first, then the path, then the method.
func (s *Server) handler() http.Handler {
	routes := s.routes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "scenario-sim")
		if strings.HasPrefix(r.URL.Path, "/v1") && r.Method != http.MethodOptions && !s.authorised(r) {
			writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "Unauthorized"})
			return
		}
		found, ok := routes[r.URL.Path]
		switch {
		case !ok:
			writeJSON(w, http.StatusNotFound, map[string]string{"detail": "Not Found"})
		case r.Method != found.method:
			w.Header().Set("Allow", found.method)
			writeJSON(w, http.StatusMethodNotAllowed, map[string]string{"detail": "Method Not Allowed"})
		default:
			found.serve(w, r)
		}
	})
}

// authorised tells whether a request carries the key, if one is set.
func (s *Server) authorised(r *http.Request) bool {
	if s.cfg.APIKey == "" {
		return true
	}
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	given, wanted := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(s.cfg.APIKey))
	return strings.EqualFold(scheme, "bearer") && subtle.ConstantTimeCompare(given[:], wanted[:]) == 1
}

func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"version": s.cfg.Version})
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	type model struct {
		ID          string   `json:"id"`
		Object      string   `json:"object"`
		Created     int64    `json:"created"`
		OwnedBy     string   `json:"owned_by"`
		Root        string   `json:"root"`
		Parent      *string  `json:"parent"`
		MaxModelLen int      `json:"max_model_len"`
		Permission  []string `json:"permission"`
	}
	writeJSON(w, http.StatusOK, struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{
		Object: "list",
		Data: []model{{
			ID:          s.cfg.Model,
			Object:      "model",
			Created:     time.Now().Unix(),
			OwnedBy:     "vllm",
			Root:        s.cfg.Model,
			MaxModelLen: s.cfg.Context,
			Permission:  []string{},
		}},
	})
}

// tokenize answers with the ids of a prompt, or of messages as the chat template
// writes them: exactly those that a generation would count.
func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) {
	form, fault := readForm(w, r)
	if fault != nil {
		fault.write(w)
		return
	}
	model := form.text("model", s.cfg.Model)
	var ids []int32
	if _, chat := form.get("messages"); chat {
		ids, _ = s.chatPrompt(form, form.flag("add_generation_prompt", true))
	} else if _, ok := form.get("prompt"); ok {
		ids = s.tokenizer.encode([]int32{}, form.text("prompt", ""))
	} else {
		form.fail(invalid("body.prompt", "missing", "Field required"))
	}
	withText := form.flag("return_token_strs", false)
	if form.err == nil && model != s.cfg.Model {
		form.fail(unknownModel(model, s.cfg.Model))
	}
	if form.err != nil {
		form.err.write(w)
		return
	}
	var text []string
	if withText {
		text = make([]string, len(ids))
		for i := range ids {
			text[i] = s.tokenizer.decode(ids[i : i+1])
		}
	}
	writeJSON(w, http.StatusOK, struct {
		Count       int      `json:"count"`
		MaxModelLen int      `json:"max_model_len"`
		Tokens      []int32  `json:"tokens"`
		TokenStrs   []string `json:"token_strs"`
	}{len(ids), s.cfg.Context, ids, text})
}

// detokenize answers with the text of token ids.
func (s *Server) detokenize(w http.ResponseWriter, r *http.Request) {
	form, fault := readForm(w, r)
	if fault != nil {
		fault.write(w)
		return
	}
	model := form.text("model", s.cfg.Model)
	var ids []int32
	switch list, ok := form.get("tokens"); {
	case !ok:
		form.fail(invalid("body.tokens", "missing", "Field required"))
	case !list.IsArray():
		form.fail(invalid("body.tokens", "list_type", "Input should be a valid list"))
	default:
		ids = s.idList(form, "tokens", list)
	}
	if form.err == nil && model != s.cfg.Model {
		form.fail(unknownModel(model, s.cfg.Model))
	}
	if form.err != nil {
		form.err.write(w)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"prompt": s.tokenizer.decode(ids)})
}

// resetCache empties the prefix cache. As on vLLM, the answer is the same when
// nothing was emptied, because requests are running.
func (s *Server) resetCache(http.ResponseWriter, *http.Request) {
	if !s.cfg.faults.keepCache {
		s.engine.forget()
	}
}
