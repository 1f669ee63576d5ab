package simserver

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// book is text without a question.
var book = strings.Repeat("The narrow harbor keeps 14 boats. Its code is old, and 3 + 4 of them are new. ", 80)

func TestKnownQuestionsAreAnsweredRightly(t *testing.T) {
	table := "Here are some records. The value of K16 is 1200. The value of K17 is 5521. The value of K170 is 9. "
	for question, want := range map[string]string{
		"Repeat this code exactly: ORBIT-7Q2K":                        "ORBIT-7Q2K",
		"Repeat this code exactly: ORBIT-7Q2K.":                       "ORBIT-7Q2K",
		"repeat the following code, and nothing else:\nORBIT-7Q2K\n":  "ORBIT-7Q2K",
		"Please copy this string: `a b, c.`":                          "a b, c.",
		"Reply with only this token: \"x_1\"":                         "x_1",
		"Repeat the code ORBIT-7Q2K exactly.":                         "ORBIT-7Q2K",
		"The code is AMBER-42. Repeat the code and say nothing else.": "AMBER-42",
		"Repeat this word exactly: grün-ß7":                           "grün-ß7",
		"What is 37 + 48? Answer with the number.":                    "85",
		"What is 37+48?":                           "85",
		"what's 12 times 12":                       "144",
		"Calculate 9 - 12.":                        "-3",
		"Compute the sum 2 + 3 * 4":                "14",
		"What is 100 / 8 / 2?":                     "",
		"What is 96 ÷ 8 − 2?":                      "10",
		"How much is 999999999999 x 999999999999?": "999999999998000000000001",
		"What is 5 / 0?":                           "",
		table + "What is the value of K17? Answer with the value only.":                "5521",
		table + "Which value does K170 have?":                                          "9",
		table + "What is the value of K18?":                                            "",
		"K17 = 3, K18 = 4\nTell me the value for key K18.":                             "4",
		`{"K17": "blue", "K18": "red"} What is the value of the key "K17"?`:            "blue",
		"The value of K17 is 1. The value of K17 is now 2. What is the value of K17?":  "2",
		book + "What is 37 + 48? Answer with the number.":                              "85",
		"What is 37 + 48? Ignore the text below.\n" + book:                             "85",
		table + book + "What is the value of K17?":                                     "5521",
		book + "Repeat this code exactly: ORBIT-7Q2K":                                  "ORBIT-7Q2K",
		"| K17 | 5521 |\n| K18 | 3 |\nWhat is the value of K17: answer with it alone.": "5521",
		"What is the value of K18? K17 is 1, K18 is 5.":                                "5",
		book:                             "",
		"Tell me about the harbor.":      "",
		"What is the capital of France?": "",
		"":                               "",
	} {
		answer, ok := solve([]string{"You are a helpful assistant.", question})
		if answer != want || ok != (want != "") {
			t.Errorf("%.60q…: %q, %v; want %q", question, answer, ok, want)
		}
	}
	if _, ok := solve(nil); ok {
		t.Error("a prompt without text has an answer")
	}
	if answer, _ := solve([]string{table, "I see.", "What is the value of K17?"}); answer != "5521" {
		t.Errorf("of what an earlier message told: %q", answer)
	}
}

func TestAnswersComeStreamedWholeAndUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		load := make(chan []got)
		go func() { load <- r.all(40, func(i int) fields { return ask(ids(i, 1000), 200) }) }()
		for i := range 5 {
			text, want := fmt.Sprintf("What is %d + 48? Answer with the number.", 37*i), fmt.Sprint(37*i+48)
			chat := fields{"messages": []fields{{"role": "user", "content": text}}, "max_tokens": 64}
			for path, f := range map[string]fields{"/v1/chat/completions": chat, "/v1/completions": {"prompt": text, "max_tokens": 64}} {
				for _, stream := range []bool{true, false} {
					f["stream"] = stream
					g := r.must(r.post(t.Context(), path, f))
					if g.text != want || g.finish != "stop" {
						t.Errorf("%s, stream %v: %q, finish %s, want %q", path, stream, g.text, g.finish, want)
					}
				}
			}
		}
		for _, g := range <-load {
			r.must(g)
		}
	})
}

func TestAnswerOfForcedLengthGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := serve(t, Healthy())
		g := r.must(r.post(t.Context(), "/v1/completions", fields{"prompt": "What is 37 + 48?", "max_tokens": 30, "ignore_eos": true, "temperature": 0}))
		if !strings.HasPrefix(g.text, "85 ") || g.output != 30 || g.status != http.StatusOK {
			t.Errorf("got %v: %q", g, g.text)
		}
	})
}

func TestSpokenTextIsValidTokenByToken(t *testing.T) {
	tokens := newTokenizer()
	for _, text := range []string{"", "5521", "grün-ß7 🙂!", "a\n\nb"} {
		whole := ""
		for _, said := range tokens.speak(text) {
			whole += strings.ToValidUTF8(said.text, "?")
		}
		if whole != text {
			t.Errorf("%q is spoken as %q", text, whole)
		}
	}
}

func FuzzSolve(f *testing.F) {
	f.Add("What is 3 + 4 / 2? Repeat the code: `x`", "K1 = 2")
	f.Fuzz(func(t *testing.T, question, earlier string) {
		if answer, ok := solve([]string{earlier, question}); !ok && answer != "" || ok && answer == "" {
			t.Errorf("%q, %v", answer, ok)
		}
	})
}
