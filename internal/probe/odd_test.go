package probe_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// odd is a server with the manners of several: it takes no ids, knows no
// ignore_eos and max_tokens alone, and what its switches say.
type odd struct {
	noChat, noCompletions bool
	noUsage, noDone       bool
	silent                bool
	leak, callAsText      bool
	strict                bool   // max_completion_tokens alone, no temperature
	reasoning             string // the field it comes in
	call                  string // arguments of the call
	onlyRequired          bool   // there is a call if one is required
	metrics               string
	window                int // longer prompts are cut to it
	status                int // of every reply
	slow                  time.Duration
	random, refuse        *int
}

func (o odd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	asked := gjson.ParseBytes(body)
	isChat := strings.HasSuffix(r.URL.Path, "/chat/completions")
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		io.WriteString(w, `{"object":"list","data":[{"id":"m","owned_by":"someone"}]}`)
	case r.URL.Path == "/metrics" && o.metrics != "":
		io.WriteString(w, o.metrics)
	case isChat && !o.noChat, strings.HasSuffix(r.URL.Path, "/v1/completions") && !o.noCompletions:
		o.reply(w, r, asked, isChat)
	default:
		http.Error(w, `{"detail":"Not Found"}`, http.StatusNotFound)
	}
}

func (o odd) reply(w http.ResponseWriter, r *http.Request, asked gjson.Result, isChat bool) {
	switch {
	case o.silent:
		<-r.Context().Done()
		return
	case o.status != 0:
		http.Error(w, `{"error":{"message":"it broke"}}`, o.status)
		return
	case o.refuse != nil && *o.refuse == 0:
		*o.refuse++
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many", http.StatusTooManyRequests)
		return
	case o.strict && asked.Get("max_tokens").Exists():
		http.Error(w, `{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}`, http.StatusBadRequest)
		return
	case o.strict && asked.Get("temperature").Exists():
		http.Error(w, `{"error":{"message":"Unsupported value: 'temperature' does not support 0."}}`, http.StatusBadRequest)
		return
	case asked.Get("prompt").IsArray():
		http.Error(w, `{"error":{"message":"prompt must be a string"}}`, http.StatusBadRequest)
		return
	}
	time.Sleep(o.slow) // virtual
	words := strings.Fields(o.words(asked))
	finish := "stop"
	field := "max_tokens"
	if o.strict {
		field = "max_completion_tokens"
	}
	if limit := int(asked.Get(field).Int()); limit > 0 && limit < len(words) {
		words, finish = words[:limit], "length"
	}
	prompt := len(strings.Fields(asked.Get("prompt").String() + asked.Get("messages.0.content").String()))
	if o.window > 0 {
		prompt = min(prompt, o.window)
	}
	a := answer{chat: isChat, field: "content", usage: fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d}`, prompt, len(words))}
	if o.noUsage {
		a.usage = "null"
	}
	if o.reasoning != "" && isChat {
		a.field = o.reasoning
	}
	if o.call != "" && asked.Get("tools").Exists() && (!o.onlyRequired || asked.Get("tool_choice").String() == "required") {
		a.call, words, finish = o.call, nil, "tool_calls"
	}
	if asked.Get("stream").Bool() {
		a.stream(w, words, finish, !o.noDone)
		return
	}
	a.whole(w, words, finish)
}

// words are the reply: longer to a question that wants it.
func (o odd) words(asked gjson.Result) string {
	question := asked.Get("messages.0.content").String()
	text := "It is fine and so is the sea."
	switch {
	case strings.Contains(question, "Count"):
		text = strings.Repeat("one two three four ", 8)
	case o.callAsText && asked.Get("tools").Exists():
		text = `<tool_call> {"name": "get_weather"} </tool_call>`
	case o.leak:
		text = "I think so. </think> Yes."
	}
	if o.random != nil {
		*o.random++
		text = fmt.Sprint(*o.random, " ", text)
	}
	return text
}

// answer is how a reply is written.
type answer struct {
	chat               bool
	field, call, usage string
}

// choice is one choice with a piece of text, as part "delta" or "message".
func (a answer) choice(part, piece, finish string) string {
	text, _ := json.Marshal(piece)
	end := "null"
	if finish != "" {
		end = `"` + finish + `"`
	}
	if !a.chat {
		return fmt.Sprintf(`{"index":0,"text":%s,"finish_reason":%s}`, text, end)
	}
	calls := ""
	if a.call != "" && (piece == "" || part == "message") {
		arguments, _ := json.Marshal(a.call)
		calls = fmt.Sprintf(`,"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"get_weather","arguments":%s}}]`, arguments)
	}
	return fmt.Sprintf(`{"index":0,%q:{"role":"assistant",%q:%s%s},"finish_reason":%s}`, part, a.field, text, calls, end)
}

func (a answer) stream(w http.ResponseWriter, words []string, finish string, done bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, word := range words {
		fmt.Fprintf(w, "data: {\"choices\":[%s]}\n\n", a.choice("delta", word+" ", ""))
	}
	fmt.Fprintf(w, "data: {\"choices\":[%s]}\n\n", a.choice("delta", "", finish))
	if a.usage != "null" {
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":%s}\n\n", a.usage)
	}
	if done {
		io.WriteString(w, "data: [DONE]\n\n")
	}
}

func (a answer) whole(w http.ResponseWriter, words []string, finish string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"choices":[%s],"usage":%s}`, a.choice("message", strings.Join(words, " "), finish), a.usage)
}
