package engine

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"scenario/internal/canary"
	"scenario/internal/chat"
	"scenario/internal/spec"
	"scenario/internal/target"
)

// chatRun is a phase of chats with a server.
func chatRun(t *testing.T, base string, facts target.Facts, body ...spec.BodyField) *phaseRun {
	t.Helper()
	u, err := chat.ParseBaseURL(base)
	if err != nil {
		t.Fatal(err)
	}
	clock := chat.NewClock()
	client, err := chat.New(chat.Config{BaseURLs: []*url.URL{u}, Clock: clock, Timeouts: chat.Timeouts{Connect: time.Minute, FirstToken: time.Minute, Idle: time.Minute, Request: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	s := &spec.Phase{Canaries: "edges", Stream: true, Temperature: spec.Optional[float64]{Set: true, Value: 0.7}, Body: body}
	return &phaseRun{
		runner:  &Runner{Client: client, Clock: clock, facts: &facts, BaseURLs: []string{base}, Plan: &Plan{Seed: 1, Nonce: "n"}},
		plan:    &PhasePlan{Spec: s, API: chat.Chat},
		compose: NewComposer(s, chat.Chat, "m", "max_tokens"),
		result:  &PhaseResult{},
	}
}

// chatBody is what a server reads of a request.
type chatBody struct {
	Messages []struct{ Content string }
	Kwargs   map[string]any `json:"chat_template_kwargs"`
	Effort   string         `json:"reasoning_effort"`
	Limit    int            `json:"max_tokens"`
	Stop     any            `json:"stop"`
	Tools    any            `json:"tools"`
	Heat     float64        `json:"temperature"`
	Lane     string         `json:"lane"`
}

var asked = regexp.MustCompile(`(?s)(?:Repeat this code and nothing else: (\S+)|What is (\d+) \+ (\d+)\?.*|What is the value of (K\d+)\?.*)$`)

// solved is the right answer to a message.
func solved(message string) string {
	q := asked.FindStringSubmatch(message)
	switch {
	case q == nil:
		return "?"
	case q[1] != "":
		return q[1]
	case q[4] != "":
		_, after, _ := strings.Cut(message, q[4]+" = ")
		value, _, _ := strings.Cut(after, "\n")
		return value
	}
	var a, b int
	fmt.Sscan(q[2], &a)
	fmt.Sscan(q[3], &b)
	return fmt.Sprint(a + b)
}

// said writes a streamed reply.
func said(w http.ResponseWriter, reasoning, content, finish string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for name, text := range map[string]string{"reasoning": reasoning, "content": content} {
		if text != "" {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{%q:%q}}]}\n\n", name, text)
		}
	}
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", finish)
}

func TestMannersOfChats(t *testing.T) {
	thinks := func(w http.ResponseWriter, b chatBody, answer string) {
		switch {
		case b.Limit <= canaryAnswerTokens:
			said(w, "hmm, the user wants", "", "length")
		default:
			said(w, "hmm, that is "+answer, answer, "stop")
		}
	}
	for name, c := range map[string]struct {
		server string
		reply  func(w http.ResponseWriter, b chatBody, answer string)
		limit  int
		off    bool // thinking is switched off
		kinds  int
	}{
		"a plain model": {
			server: "openai", limit: canaryAnswerTokens, kinds: 3,
			reply: func(w http.ResponseWriter, b chatBody, answer string) {
				if b.Kwargs != nil || b.Effort != "" {
					http.Error(w, "what is that", http.StatusBadRequest)
					return
				}
				said(w, "", answer, "stop")
			},
		},
		"thinking can be switched off": {
			server: "vllm", limit: canaryAnswerTokens, off: true, kinds: 3,
			reply: func(w http.ResponseWriter, b chatBody, answer string) {
				if b.Kwargs["enable_thinking"] != false {
					thinks(w, b, answer)
					return
				}
				said(w, "", answer, "stop")
			},
		},
		"by effort": {
			server: "ollama", limit: canaryAnswerTokens, off: true, kinds: 3,
			reply: func(w http.ResponseWriter, b chatBody, answer string) {
				if b.Effort != "none" {
					thinks(w, b, answer)
					return
				}
				said(w, "", answer, "stop")
			},
		},
		"the switch is refused": {
			server: "sglang", limit: canaryAnswerTokens, kinds: 3,
			reply: func(w http.ResponseWriter, b chatBody, answer string) {
				if b.Kwargs != nil {
					http.Error(w, `{"error":{"message":"unknown field"}}`, http.StatusBadRequest)
					return
				}
				said(w, "", answer, "stop")
			},
		},
		"the switch puts the answer into the thinking": {
			server: "vllm", limit: canaryThinkingTokens, kinds: 3,
			reply: func(w http.ResponseWriter, b chatBody, answer string) {
				if b.Kwargs != nil {
					said(w, answer, "", "stop")
					return
				}
				thinks(w, b, answer)
			},
		},
		"it always thinks": {server: "vllm", reply: thinks, limit: canaryThinkingTokens, kinds: 3},
		"it thinks in its answer": {
			server: "unknown", limit: canaryThinkingTokens, kinds: 3,
			reply: func(w http.ResponseWriter, _ chatBody, answer string) {
				said(w, "", "<think>maybe 1?</think>"+answer, "stop")
			},
		},
		"it thinks now and then": {
			server: "vllm", limit: canaryAnswerTokens, off: true, kinds: 2,
			reply: func(w http.ResponseWriter, b chatBody, answer string) {
				if len(answer) == 3 { // a sum
					thinks(w, b, answer)
					return
				}
				said(w, "", answer, "stop")
			},
		},
		"it knows nothing": {server: "vllm", limit: canaryThinkingTokens, reply: func(w http.ResponseWriter, _ chatBody, _ string) { said(w, "", "I can't.", "stop") }},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var b chatBody
				if err := json.NewDecoder(r.Body).Decode(&b); err != nil || len(b.Messages) != 1 {
					t.Errorf("body: %v, %+v", err, b)
				}
				if b.Heat != 0 || b.Stop != nil || b.Tools != nil || b.Lane != "fast" {
					t.Errorf("fields of the load are sent, or those of the server are not: %+v", b)
				}
				c.reply(w, b, solved(b.Messages[0].Content))
			}))
			defer server.Close()
			p := chatRun(t, server.URL, target.Facts{Server: c.server}, spec.BodyField{Name: "tools", Value: json.RawMessage(`[{}]`)}, spec.BodyField{Name: "lane", Value: json.RawMessage(`"fast"`)})
			p.calibrateCanaries(t.Context())
			got := p.canaries
			if len(got.kinds) != c.kinds || c.kinds > 0 && (got.manner.limit != c.limit || (got.manner.off != nil) != c.off) {
				t.Errorf("%+v by %+v", got.told, got.manner)
			}
			if (got.told.NotChecked == "") != (c.kinds > 0) {
				t.Errorf("not checked: %q", got.told.NotChecked)
			}
		})
	}
}

func TestAReplicaThatIsWrongDoesNotHideBehindTheOthers(t *testing.T) {
	source := canary.NewSource("k", 200)
	for name, c := range map[string]struct {
		wrong func(i int) bool
		fires bool
		says  string
	}{
		"all right":               {func(int) bool { return false }, false, ""},
		"one of sixteen is wrong": {func(i int) bool { return i%16 == 3 }, true, "0 of 5 requests with known answers came back right at C=4 from endpoint 3"},
		"one wrong answer of 80":  {func(i int) bool { return i == 7 }, false, ""},
	} {
		counted := &CanaryResult{}
		for i := range 80 {
			task := source.Task(i, canary.Copy)
			r := reply(i)
			r.Endpoint = i % 16
			counted.add(canaryAnswer{task: task, request: r, right: !c.wrong(i), text: "x"}, true)
		}
		if c.fires {
			counted.Again = &CanaryTally{Sent: 5, Right: 5}
		}
		e := scene(replies(4, nil))
		e.canaries = counted
		results := watch(tune(nil), e)
		i := slices.IndexFunc(results, func(r GuardResult) bool { return r.ID == "canary-failed" })
		if (i >= 0) != c.fires || i >= 0 && (!strings.Contains(results[i].Message, c.says) || results[i].Effect != Reject) {
			t.Errorf("%s: %v", name, results)
		}
	}
}

func TestFailedCanariesKeepToTheErrorBudget(t *testing.T) {
	for _, c := range []struct {
		failed int
		budget float64
		fails  bool
	}{{0, 0, false}, {2, 0, false}, {3, 0, true}, {3, 0.2, false}, {5, 0.2, true}} {
		g := gate{canary.HealthyRate, canary.FalseFailure, c.budget}
		if got := g.fails(&CanaryResult{Sent: 20, Right: 20 - c.failed, Failed: c.failed}); got != c.fails {
			t.Errorf("%d of 20 failed, budget %g: %v", c.failed, c.budget, got)
		}
	}
}
