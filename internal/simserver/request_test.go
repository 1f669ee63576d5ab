package simserver

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tidwall/gjson"
)

func TestRequestsThatCannotBeServed(t *testing.T) {
	const completions, chat, tokenize = "/v1/completions", "/v1/chat/completions", "/tokenize"
	s := New(Healthy())
	for _, c := range []struct {
		path, body string
		status     int
		kind       string
		param      string
		message    string // a part of it
	}{
		{completions, `{"prompt":`, 400, "Bad Request", "body.10", "JSON decode error"},
		{completions, ``, 400, "Bad Request", "body.0", "JSON decode error"},
		{completions, "{\"prompt\":\"\xff\"}", 400, "Bad Request", "body", "not UTF-8"},
		{completions, strings.Repeat("[", 100000), 400, "Bad Request", "", "JSON decode error"},
		{completions, `[1]`, 400, "Bad Request", "body", "valid dictionary or object"},
		{completions, `"text"`, 400, "Bad Request", "body", "valid dictionary or object"},
		{completions, `{}`, 400, "BadRequestError", "prompt", "must be provided and non-empty"},
		{completions, `{"prompt":null}`, 400, "BadRequestError", "prompt", "must be provided and non-empty"},
		{completions, `{"prompt":""}`, 400, "BadRequestError", "prompt", "must be provided and non-empty"},
		{completions, `{"prompt":[]}`, 400, "BadRequestError", "prompt", "must be provided and non-empty"},
		{completions, `{"prompt":[[]]}`, 400, "BadRequestError", "prompt", "must be provided and non-empty"},
		{completions, `{"prompt":5}`, 400, "Bad Request", "body.prompt", "valid string"},
		{completions, `{"prompt":[{"a":1}]}`, 400, "Bad Request", "body.prompt", "valid string"},
		{completions, `{"prompt":["a","b"]}`, 400, "BadRequestError", "prompt", "one prompt per request, got 2"},
		{completions, `{"prompt":[[1],[2]]}`, 400, "BadRequestError", "prompt", "one prompt per request, got 2"},
		{completions, `{"prompt":[1,"a"]}`, 400, "Bad Request", "body.prompt", "valid integer"},
		{completions, `{"prompt":[1.5]}`, 400, "Bad Request", "body.prompt", "valid integer"},
		{completions, `{"prompt":[1e300]}`, 400, "Bad Request", "body.prompt", "valid integer"},
		{completions, `{"prompt":[1,-1]}`, 400, "Bad Request", "body.prompt", "greater than or equal to 0"},
		{completions, `{"prompt":[151935,151936]}`, 400, "BadRequestError", "prompt", "Token id 151936 is out of vocabulary"},
		{completions, `{"prompt":"a","max_tokens":"x"}`, 400, "Bad Request", "body.max_tokens", "valid integer"},
		{completions, `{"prompt":"a","max_tokens":1.5}`, 400, "Bad Request", "body.max_tokens", "valid integer"},
		{completions, `{"prompt":"a","max_tokens":true}`, 400, "Bad Request", "body.max_tokens", "valid integer"},
		{completions, `{"prompt":"a","max_tokens":1e400}`, 400, "Bad Request", "body.max_tokens", "valid integer"},
		{completions, `{"prompt":"a","max_tokens":0}`, 400, "BadRequestError", "max_tokens", "must be at least 1, got 0"},
		{completions, `{"prompt":"a","max_tokens":-1}`, 400, "BadRequestError", "max_tokens", "must be at least 1, got -1"},
		{completions, `{"prompt":"a","max_tokens":5,"min_tokens":6}`, 400, "BadRequestError", "min_tokens", "max_tokens=5, got 6"},
		{completions, `{"prompt":"a","min_tokens":-1}`, 400, "BadRequestError", "min_tokens", "equal to 0, got -1"},
		{completions, `{"prompt":"a","temperature":-0.1}`, 400, "BadRequestError", "temperature", "in [0, 2], got -0.1"},
		{completions, `{"prompt":"a","temperature":2.5}`, 400, "BadRequestError", "temperature", "in [0, 2], got 2.5"},
		{completions, `{"prompt":"a","temperature":"hot"}`, 400, "Bad Request", "body.temperature", "valid number"},
		{completions, `{"prompt":"a","stream":"maybe"}`, 400, "Bad Request", "body.stream", "valid boolean"},
		{completions, `{"prompt":"a","stream_options":{"include_usage":true}}`, 400, "BadRequestError", "stream_options", "only be defined when"},
		{completions, `{"prompt":"a","stream":true,"stream_options":5}`, 400, "Bad Request", "body.stream_options", "valid dictionary"},
		{completions, `{"prompt":"a","stream":true,"stream_options":{"include_usage":5}}`, 400, "Bad Request", "body.include_usage", "valid boolean"},
		{completions, `{"prompt":"a","stop":5}`, 400, "Bad Request", "body.stop", "valid string"},
		{completions, `{"prompt":"a","stop":["b",""]}`, 400, "BadRequestError", "stop", "empty string"},
		{completions, `{"prompt":"a","n":2}`, 400, "BadRequestError", "n", "one choice"},
		{completions, `{"prompt":"a","echo":true}`, 400, "BadRequestError", "echo", "does not support echo"},
		{completions, `{"prompt":"a","logprobs":1}`, 400, "BadRequestError", "logprobs", "does not support logprobs"},
		{completions, `{"prompt":"a","model":"other"}`, 404, "NotFoundError", "model", "The model `other` does not exist. Valid aliases: sim-1."},
		{completions, `{"prompt":"a","model":7}`, 400, "Bad Request", "body.model", "valid string"},
		{
			completions, `{"prompt":"a","max_tokens":32768}`, 400, "BadRequestError", "input_tokens",
			"This model's maximum context length is 32768 tokens. However, you requested 32768 output tokens and " +
				"your prompt contains 1 input tokens, for a total of 32769 tokens.",
		},
		{
			completions, `{"prompt":[` + strings.Repeat("1,", 32767) + `1],"max_tokens":1}`, 400, "BadRequestError", "input_tokens",
			"maximum context length is 32768 tokens. However, your prompt contains 32768 input tokens",
		},
		{chat, `{}`, 400, "Bad Request", "body.messages", "Field required"},
		{chat, `{"messages":"hi"}`, 400, "Bad Request", "body.messages", "valid list"},
		{chat, `{"messages":[]}`, 400, "BadRequestError", "messages", "must not be empty"},
		{chat, `{"messages":["hi"]}`, 400, "Bad Request", "body.messages", "valid dictionary"},
		{chat, `{"messages":[{"content":"hi"}]}`, 400, "Bad Request", "body.messages.role", "Field required"},
		{chat, `{"messages":[{"role":"judge","content":"hi"}]}`, 400, "BadRequestError", "messages", `Unexpected message role "judge"`},
		{chat, `{"messages":[{"role":"user","content":5}]}`, 400, "Bad Request", "body.messages.content", "valid string"},
		{chat, `{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}`, 400, "BadRequestError", "messages", "not a multimodal model"},
		{chat, `{"messages":[{"role":"user","content":"hi"}],"tools":[]}`, 400, "BadRequestError", "tools", "must not be an empty array"},
		{chat, `{"messages":[{"role":"user","content":"hi"}],"max_tokens":5,"max_completion_tokens":0}`, 400, "BadRequestError", "max_completion_tokens", "at least 1"},
		{tokenize, `{}`, 400, "Bad Request", "body.prompt", "Field required"},
		{tokenize, `{"prompt":5}`, 400, "Bad Request", "body.prompt", "valid string"},
		{tokenize, `{"prompt":"a","model":"other"}`, 404, "NotFoundError", "model", "does not exist"},
	} {
		name := c.body
		if len(name) > 80 {
			name = name[:80]
		}
		t.Run(c.path+" "+name, func(t *testing.T) {
			response := call(s, http.MethodPost, c.path, c.body)
			body := response.Body.String()
			if response.Code != c.status || gjson.Get(body, "error.code").Int() != int64(c.status) {
				t.Errorf("status %d in %.300s, want %d", response.Code, body, c.status)
			}
			if kind := gjson.Get(body, "error.type").String(); kind != c.kind {
				t.Errorf("type %q, want %q", kind, c.kind)
			}
			if param := gjson.Get(body, "error.param").String(); param != c.param && c.param != "" {
				t.Errorf("param %q, want %q", param, c.param)
			}
			if message := gjson.Get(body, "error.message").String(); !strings.Contains(message, c.message) {
				t.Errorf("message %q, want %q in it", message, c.message)
			}
		})
	}
}

// call calls the handler without a connection, for what is answered at once.
func call(s *Server, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	response := httptest.NewRecorder()
	s.handler().ServeHTTP(response, r)
	return response
}

func TestRequestsThatAreReadGenerously(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		for _, c := range []struct {
			path, body     string
			prompt, output int
		}{
			{"/v1/completions", `{"prompt":"the harbor","ignore_eos":true}`, 2, 16},
			{"/v1/completions", `{"prompt":["the harbor"],"ignore_eos":true,"max_tokens":3.0}`, 2, 3},
			{"/v1/completions", `{"prompt":[[5,6,7]],"max_tokens":1}`, 3, 1},
			{"/v1/completions", `{"prompt":[5,6,7.0],"max_tokens":1}`, 3, 1},
			{"/v1/completions", `{"prompt":[5],"max_tokens":1,"no_such_field":{"a":[1]},"top_k":-1}`, 1, 1},
			{"/v1/completions", `{"prompt":[5],"max_tokens":9,"max_tokens":2,"n":1,"model":null,"seed":null,"echo":false}`, 1, 2},
			{"/v1/completions", `{"prompt":[5],"max_tokens":1,"seed":-9007199254740993,"stop":null,"logprobs":null}`, 1, 1},
			{"/v1/completions", `{"prompt":[5],"max_tokens":2,"max_completion_tokens":9}`, 1, 2},
			{"/v1/chat/completions", `{"messages":[{"role":"user","content":"the harbor"}],"max_tokens":9,"max_completion_tokens":2}`, 10, 2},
			{"/v1/chat/completions", `{"messages":[{"role":"user","content":[{"type":"text","text":"the"},{"type":"text","text":" harbor"}]}],"max_tokens":1}`, 10, 1},
			{"/v1/chat/completions", `{"messages":[{"role":"user","content":null}],"max_tokens":1}`, 8, 1},
			{"/v1/chat/completions", `{"messages":[{"role":"user"}],"add_generation_prompt":false,"max_tokens":1}`, 5, 1},
		} {
			g := r.must(r.send(t.Context(), http.MethodPost, c.path, c.body))
			if g.prompt != c.prompt || g.output != c.output {
				t.Errorf("%s: %d prompt and %d output tokens, want %d and %d", c.body, g.prompt, g.output, c.prompt, c.output)
			}
		}
	})
}

func TestChatWithoutALimitEndsByNature(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		g := r.must(r.post(t.Context(), "/v1/chat/completions", fields{
			"messages": []fields{{"role": "user", "content": "Hello"}}, "stream": true,
			"stream_options": fields{"include_usage": true},
		}))
		if g.finish != "stop" || g.output < 40 || g.output > 119 || g.events != g.output {
			t.Errorf("got %v", g)
		}
	})
}

func TestTokenizeAgreesWithUsage(t *testing.T) {
	tools := []fields{{"type": "function", "function": fields{"name": "lookup", "parameters": fields{}}}}
	call := []fields{{"id": "c1", "type": "function", "function": fields{"name": "lookup", "arguments": "{}"}}}
	for _, body := range []fields{
		{"prompt": "The harbor, 12345 crates.\n\n  Código 🙂"},
		{"messages": []fields{{"role": "user", "content": "Hello"}}},
		{"messages": []fields{{"role": "system", "content": ""}, {"role": "user", "content": "a\nb"}}, "tools": tools},
		{"messages": []fields{
			{"role": "user", "content": "Hello"},
			{"role": "assistant", "content": nil, "tool_calls": call},
			{"role": "tool", "tool_call_id": "c1", "content": "42"},
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := serve(t, Healthy())
			path := "/v1/completions"
			if body["messages"] != nil {
				path = "/v1/chat/completions"
			}
			body["return_token_strs"], body["max_tokens"] = true, 1
			counted, used := r.must(r.post(t.Context(), "/tokenize", body)), r.must(r.post(t.Context(), path, body))
			reply := gjson.Parse(counted.body)
			n := reply.Get("count").Int()
			if int(n) != used.prompt || reply.Get("tokens.#").Int() != n || reply.Get("token_strs.#").Int() != n {
				t.Errorf("tokenize says %s, usage %d", counted.body, used.prompt)
			}
			if reply.Get("max_model_len").Int() != 32768 {
				t.Errorf("tokenize says %s", counted.body)
			}
		})
	}
}

func TestMessagesCostWhatTheTemplateSays(t *testing.T) {
	s := New(Healthy())
	count := func(body fields) int {
		response := call(s, http.MethodPost, "/tokenize", body.json())
		return int(gjson.Get(response.Body.String(), "count").Int())
	}
	text := "The harbor is near."
	bare := count(fields{"prompt": text})
	for n := 1; n < 5; n++ {
		var messages []fields
		for range n {
			messages = append(messages, fields{"role": "user", "content": text})
		}
		if got, want := count(fields{"messages": messages}), n*(bare+messageOverhead)+replyOverhead; got != want {
			t.Errorf("%d messages cost %d tokens, want %d", n, got, want)
		}
		if got, want := count(fields{"messages": messages, "add_generation_prompt": false}), n*(bare+messageOverhead); got != want {
			t.Errorf("%d messages without a reply cost %d tokens, want %d", n, got, want)
		}
	}
}

func TestTextDependsOnPromptAndAboveZeroOnTheSeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		say := func(prompt string, temperature float64, seed int) string {
			return r.must(r.post(t.Context(), "/v1/completions", fields{
				"prompt": prompt, "temperature": temperature, "seed": seed, "max_tokens": 30,
			})).text
		}
		cold, warm := say("a", 0, 1), say("a", 1, 1)
		for name, same := range map[string]bool{
			"the same, cold":       say("a", 0, 1) == cold,
			"another seed, cold":   say("a", 0, 2) == cold,
			"another prompt":       say("b", 0, 1) != cold,
			"the same, warm":       say("a", 1, 1) == warm,
			"another seed, warm":   say("a", 1, 2) != warm,
			"warm and cold":        warm != cold,
			"another prompt, warm": say("b", 1, 1) != warm,
			"a longer prompt":      say("a a", 0, 1) != cold,
			"another last token":   say("a b c", 0, 1) != say("a b d", 0, 1),
			"another order":        say("a b c", 0, 1) != say("c b a", 0, 1),
			"the seed 0, cold":     say("a", 0, 0) == cold,
		} {
			if !same {
				t.Error(name)
			}
		}
	})
}

func FuzzAnyBodyIsAnswered(f *testing.F) {
	for _, body := range []string{
		`{"prompt":[1,2],"max_tokens":3,"stop":["a"],"stream":true,"stream_options":{"include_usage":true}}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}],"tools":[{}]}`,
		`{"prompt":"a","temperature":1e999,"seed":-1}`, `[`, `{"prompt":{}}`, "{\"\xff\":1}",
	} {
		f.Add(body)
	}
	s := New(Healthy())
	f.Fuzz(func(t *testing.T, body string) {
		for _, chat := range []bool{true, false} {
			form, fault := parseForm([]byte(body))
			if fault == nil {
				var asked *request
				if asked, fault = s.parseRequest(form, chat); fault == nil {
					checkPlan(t, s, asked)
					continue
				}
			}
			if fault.status < 400 || fault.status > 499 || fault.message == "" {
				t.Errorf("refused with %+v", fault)
			}
		}
	})
}

func checkPlan(t *testing.T, s *Server, asked *request) {
	if len(asked.prompt) < 1 || asked.maxTokens < 1 || len(asked.prompt)+asked.maxTokens > s.cfg.Context {
		t.Errorf("%d prompt tokens and %d more were accepted", len(asked.prompt), asked.maxTokens)
	}
	planned := s.plan(asked)
	if n := len(planned.tokens); n < 1 || n > asked.maxTokens {
		t.Errorf("a reply of %d tokens within %d", n, asked.maxTokens)
	}
	if event := newWire(asked, &response{}, &faults{}).event(nil, planned.tokens, 1, &planned, nil); !json.Valid([]byte(strings.TrimPrefix(string(event), "data: "))) {
		t.Errorf("not JSON: %s", event)
	}
}
