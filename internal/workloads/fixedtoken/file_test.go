package fixedtoken

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scenario/internal/chat"
	"scenario/internal/engine"
)

const fileWorkload = "concurrency: 1\napi: chat\nworkload: {prompt: {file: p.jsonl}, output_tokens: 8}\n"

// prompts reads a file of prompts as a phase would.
func prompts(t *testing.T, content string, api chat.API) (engine.Workload, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.jsonl"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	s := scenario(t, fileWorkload)
	w, faults := newWorkload(engine.Setup{Phase: &s.Phases[0], API: api, Dir: dir})
	return w, strings.ReplaceAll(faults.String(), dir+string(filepath.Separator), "")
}

func TestFaultsOfAFileOfPrompts(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"nothing":                {"\n\n", "has no prompts"},
		"text":                   {"Say yes.\n", "p.jsonl:1:1: the line is not JSON: invalid character 'S'"},
		"a line that ends early": {`{"prompt": "a"}` + "\n" + `{"prompt": "b"` + "\n", "p.jsonl:2:15: the line is not JSON: it ends too early"},
		"a list":                 {`["a"]`, "p.jsonl:1:1: the line is not an object: it is of type array"},
		"a number as prompt":     {`{"prompt": 7}`, "prompt must be of type string, not number"},
		"two objects":            {`{"prompt": "a"} {"prompt": "b"}`, "p.jsonl:1:16: something stands after the object"},
		"a slip of the pen":      {`{"promt": "é"}`, `p.jsonl:1:2: unknown key "promt"`},
		"a key of elsewhere":     {`{"prompt": "é", "category": "x"}`, `p.jsonl:1:17: unknown key "category"`},
		"no prompt":              {`{"expected": "x"}`, "neither a prompt nor messages"},
		"both":                   {`{"prompt": "a", "messages": [{"role": "user", "content": "b"}]}`, "p.jsonl:1:17: a line has a prompt or messages, not both"},
		"an empty prompt":        {`{"prompt": "  "}`, "the prompt is empty"},
		"no messages":            {`{"messages": []}`, "with at least one"},
		"messages of text":       {`{"messages": ["hello"]}`, "messages must be a list of objects"},
		"a message of nobody":    {`{"messages": [{"content": "a"}]}`, "message 1 has no role"},
		"no room to answer":      {`{"prompt": "a", "max_tokens": 0}`, "max_tokens must be at least 1"},
		"an expected number":     {`{"prompt": "a", "expected": 42}`, "expected must be a text or a list of texts"},
		"an answer of nothing":   {`{"prompt": "a", "expected": ["x", " "]}`, "an expected text is empty"},
		"match without expected": {`{"prompt": "a", "match": "exact"}`, "nothing is expected"},
		"a strange match":        {`{"prompt": "a", "expected": "b", "match": "fuzzy"}`, `match is "fuzzy", and may be contains, exact or regexp`},
		"a broken pattern":       {`{"prompt": "a", "expected": "(b", "match": "regexp"}`, "not a pattern: error parsing regexp"},
		"other bytes":            {"{\"prompt\": \"\xff\"}", "p.jsonl:1:1: the line is not UTF-8"},
	} {
		if w, faults := prompts(t, c.content, chat.Chat); w != nil || !strings.Contains(faults, c.want) {
			t.Errorf("%s: %s\nwant %q", name, faults, c.want)
		}
	}
	if _, faults := prompts(t, `{"messages": [{"role": "user", "content": "a"}]}`, chat.Completions); !strings.Contains(faults, "messages go to the chat API only") {
		t.Errorf("messages to completions: %s", faults)
	}
	many, faults := prompts(t, strings.Repeat("no\n", 100), chat.Chat)
	if many != nil || strings.Count(faults, "p.jsonl:") != mostFileFaults {
		t.Errorf("%d faults are told, want %d", strings.Count(faults, "p.jsonl:"), mostFileFaults)
	}
	s := scenario(t, fileWorkload)
	if _, faults := newWorkload(engine.Setup{Phase: &s.Phases[0], API: chat.Chat, Dir: t.TempDir()}); !strings.Contains(faults.String(), "p.jsonl can't be read: no such file") {
		t.Errorf("no file: %s", faults)
	}
}

func TestPromptsOfAFileAreSentInTheirOrder(t *testing.T) {
	w, faults := prompts(t, "\uFEFF{\"prompt\": \"a\"}\r\n\r\n{\"prompt\": \"b\", \"max_tokens\": 3}\n{\"messages\": [{\"role\": \"system\", \"content\": \"c\"}]}", chat.Chat)
	if w == nil {
		t.Fatal(faults)
	}
	phase := scenario(t, fileWorkload).Phases[0]
	compose := engine.NewComposer(&phase, chat.Chat, "m", "max_tokens")
	for ordinal, want := range map[int]string{
		0:  `"messages":[{"role":"user","content":"a"}],"max_tokens":8`,
		1:  `"messages":[{"role":"user","content":"b"}],"max_tokens":3`,
		2:  `"messages":[{"role":"system","content":"c"}],"max_tokens":8`,
		3:  `"content":"a"`,
		-1: `"content":"c"`,
	} {
		made, err := w.Session(engine.Place{Ordinal: ordinal, Concurrency: 1}, compose)
		if err != nil {
			t.Fatal(err)
		}
		if body := string(made.(*session).request.Body); !strings.Contains(body, want) || strings.Contains(body, "ignore_eos") {
			t.Errorf("request %d: %s, want %s and no forced length", ordinal, body, want)
		}
	}
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		line  string
		right []string
		wrong []string
	}{
		"contained":     {`"expected": "Paris"`, []string{"It is paris.", "PARIS"}, []string{"", "Par is", "London"}},
		"several":       {`"expected": ["red", "blue"]`, []string{"Blue  and\nred"}, []string{"red"}},
		"over spaces":   {`"expected": "New York"`, []string{"new\n york"}, []string{"newyork"}},
		"exact":         {`"expected": ["7", "seven"], "match": "exact"`, []string{" Seven\n", "7"}, []string{"7 days", "17"}},
		"by a pattern":  {`"expected": "^\\d{3}$", "match": "regexp"`, []string{"123"}, []string{"1234", "abc"}},
		"said contains": {`"expected": "x", "match": "contains"`, []string{"axb"}, []string{"y"}},
	} {
		w, faults := prompts(t, `{"prompt": "q", `+c.line+`}`, chat.Chat)
		if w == nil {
			t.Fatalf("%s: %s", name, faults)
		}
		a := w.(*workload).source.prompt(engine.Place{}).answer
		for _, text := range c.right {
			if wrong := a.wrong(text); wrong != "" {
				t.Errorf("%s: %q is wrong: %s", name, text, wrong)
			}
		}
		for _, text := range c.wrong {
			if a.wrong(text) == "" {
				t.Errorf("%s: %q is right", name, text)
			}
		}
	}
}

func FuzzLinesOfPrompts(f *testing.F) {
	f.Add([]byte(`{"prompt": "a", "expected": ["b"], "match": "exact"}`))
	f.Add([]byte(`{"messages": [{"role": "user", "content": []}]}`))
	f.Add([]byte("{\"prompt\":\"\\ud800\",\"max_tokens\":1e3}\n[]\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &promptReader{file: "p.jsonl", api: chat.Chat}
		r.read(data)
		for _, fault := range r.faults {
			if fault.Pos.Line < 1 || fault.Pos.Col < 1 || fault.Message == "" || fault.Snippet() == "" {
				t.Errorf("fault %+v", fault)
			}
		}
		for _, p := range r.prompts {
			if _, err := chat.Encode(p.fields); err != nil {
				t.Errorf("a prompt cannot be sent: %v", err)
			}
			if p.answer != nil {
				p.answer.wrong("text")
			}
		}
	})
}
