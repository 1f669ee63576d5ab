package fixedtoken

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/chat"
	"scenario/internal/engine"
	"scenario/internal/formula"
	"scenario/internal/metric"
	"scenario/internal/spec"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// scenario is a file with one phase of this kind.
func scenario(t *testing.T, phase string) *spec.Scenario {
	t.Helper()
	src := "version: 1\nname: test\ntarget: {base_url: http://127.0.0.1:1}\nphases:\n  - name: decode\n    kind: fixed-token\n" +
		indent(phase) + "    checks: {correct: [ok_count == issued]}\n"
	s, faults := spec.Load("test.yaml", []byte(src), spec.Options{
		Kinds: []spec.KindSchema{{Name: Kind.Name, Schema: Kind.Schema}}, Formulas: formula.IDs(),
	})
	if s == nil {
		t.Fatalf("the scenario has faults:\n%s", faults)
	}
	return s
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("    " + line)
	}
	return b.String()
}

func build(t *testing.T, phase, nonce string) (*spec.Phase, engine.Workload) {
	t.Helper()
	s := scenario(t, phase)
	w, faults := newWorkload(engine.Setup{Phase: &s.Phases[0], API: chat.Completions, Seed: 1, Nonce: nonce})
	if w == nil {
		t.Fatalf("the workload has faults:\n%s", faults)
	}
	return &s.Phases[0], w
}

const randomPhase = "concurrency: 4\nworkload: {prompt: {ids: random, tokens: 100}, output_tokens: 100}\n"

func TestRandomPromptsDifferFromTheStart(t *testing.T) {
	seen := map[string]string{}
	for _, nonce := range []string{"run-1", "run-2"} {
		_, w := build(t, randomPhase, nonce)
		generator := w.(*workload).source.(idPrompts).ids
		for _, purpose := range []engine.Purpose{engine.Measured, engine.Warmup, engine.Probe} {
			for level, concurrency := range []int{1, 4, 8} {
				for i := range 8 {
					at := engine.Place{Concurrency: concurrency, Index: i, Ordinal: level*8 + i, Purpose: purpose}
					ids := generator.ids(at, 100)
					where := fmt.Sprintf("%s %d C=%d #%d", nonce, purpose, concurrency, i)
					head := fmt.Sprint(ids[:16])
					if other, ok := seen[head]; ok {
						t.Errorf("%s and %s share their first 16 ids", where, other)
					}
					seen[head] = where
					if low, high := slices.Min(ids), slices.Max(ids); low < 1000 || high >= 30000 {
						t.Errorf("%s: ids from %d to %d, outside the vocabulary", where, low, high)
					}
					if again := generator.ids(at, 100); !slices.Equal(ids, again) {
						t.Errorf("%s: the same place gave other ids", where)
					}
				}
			}
		}
	}
}

func TestAffinePromptsAreTheSameInEveryRun(t *testing.T) {
	phase := "concurrency: 2\nworkload: {prompt: {ids: affine, tokens: 4, base: 1000, request: 1543, position: 7919, modulo: 48000}, output_tokens: 2}\n"
	for _, nonce := range []string{"a", "b"} {
		_, w := build(t, phase, nonce)
		for ordinal, want := range map[int][]int{
			0:  {1000, 8919, 16838, 24757},
			1:  {2543, 10462, 18381, 26300},
			40: {14720, 22639, 30558, 38477}, // 40·1543 = 61720 = 48000 + 13720
			-1: {47457, 7376, 15295, 23214},  // -1543 mod 48000 = 46457
		} {
			if got := w.(*workload).source.(idPrompts).ids.ids(engine.Place{Ordinal: ordinal}, 4); !slices.Equal(got, want) {
				t.Errorf("request %d: %v, want %v", ordinal, got, want)
			}
		}
	}
}

// bodies are the requests of shipped scenarios, byte for byte.
func TestRequestBodies(t *testing.T) {
	for name, c := range map[string]struct {
		file  string
		place engine.Place
	}{
		"g0":            {"catid/g0-1k-1k.yaml", engine.Place{Concurrency: 4, Index: 3, Ordinal: 4}},
		"g1":            {"catid/g1-1024.yaml", engine.Place{Concurrency: 2, Index: 1, Ordinal: 2}},
		"g1-warmup":     {"catid/g1-1024.yaml", engine.Place{Concurrency: 1, Ordinal: -1, Purpose: engine.Warmup, MaxOutput: 128}},
		"quickstart":    {"quickstart.yaml", engine.Place{Concurrency: 1, Ordinal: 0}},
		"quickstart-p2": {"quickstart.yaml", engine.Place{Concurrency: 1, Ordinal: -(1 << 20), Purpose: engine.Probe}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "..", "..", "scenarios", c.file)
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, faults := spec.Load(path, src, spec.Options{
				Kinds: []spec.KindSchema{{Name: Kind.Name, Schema: Kind.Schema}}, Formulas: formula.IDs(),
			})
			if s == nil {
				t.Fatal(faults)
			}
			phase := &s.Phases[0]
			w, faults := newWorkload(engine.Setup{Phase: phase, API: chat.Completions, Seed: 1, Nonce: "golden"})
			if w == nil {
				t.Fatal(faults)
			}
			made, err := w.Session(c.place, engine.NewComposer(phase, chat.Completions, "model-1", "max_tokens"))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".json", made.(*session).request.Body)
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSuffix(string(want), "\n"), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestJudgeHoldsRepliesToTheirLengths(t *testing.T) {
	asked := metric.Asked{PromptTokens: 1000, OutputTokens: 128, Forced: true}
	reply := func(prompt, output int, finish string) *metric.Request {
		return &metric.Request{OK: true, Outcome: metric.OutcomeOK, PromptTokens: metric.Count(prompt), OutputTokens: metric.Count(output), FinishReason: finish}
	}
	free := asked
	free.Forced = false
	for name, c := range map[string]struct {
		asked   metric.Asked
		r       *metric.Request
		outcome string
		fault   string
	}{
		"exact":                  {asked, reply(1000, 128, "length"), metric.OutcomeOK, ""},
		"one more prompt token":  {asked, reply(1001, 128, "length"), metric.OutcomeLengthMismatch, "prompt tokens: want 1000, got 1001"},
		"five times the prompt":  {asked, reply(5128, 128, "length"), metric.OutcomeLengthMismatch, "prompt tokens: want 1000, got 5128"},
		"stopped early":          {asked, reply(1000, 41, "stop"), metric.OutcomeLengthMismatch, "output tokens: want 128, got 41 (finish reason stop)"},
		"too many":               {asked, reply(1000, 129, "length"), metric.OutcomeLengthMismatch, "output tokens: want 128, got 129 (finish reason length)"},
		"no usage":               {asked, reply(-1, -1, "length"), metric.OutcomeOK, ""},
		"natural end":            {free, reply(1000, 41, "stop"), metric.OutcomeOK, ""},
		"natural, over the most": {free, reply(1000, 200, "length"), metric.OutcomeLengthMismatch, "output tokens: at most 128, got 200"},
	} {
		s := &session{asked: c.asked, regime: metric.Forced}
		s.judge(c.r)
		if c.r.Outcome != c.outcome || c.r.Error != c.fault || c.r.OK != (c.outcome == metric.OutcomeOK) {
			t.Errorf("%s: %s %q ok %v; want %s %q", name, c.r.Outcome, c.r.Error, c.r.OK, c.outcome, c.fault)
		}
	}
	broken := &metric.Request{Outcome: metric.OutcomeStreamBroken, Content: strings.Repeat("!", 100)}
	(&session{asked: asked}).judge(broken)
	if broken.Outcome != metric.OutcomeStreamBroken || broken.Degenerate {
		t.Error("a broken reply is judged by its text")
	}
}

func TestYieldIsWhatAReplyIsSureToGive(t *testing.T) {
	for name, c := range map[string]struct {
		phase string
		want  map[string]int
	}{
		"streamed": {randomPhase, map[string]int{"ttft": 1, "tpot": 1, "e2e": 1, "gap": 6, "client.lag": 6, "start_lag": 1}},
		"one token": {
			"concurrency: 1\nworkload: {prompt: {ids: random, tokens: 10}, output_tokens: 1}\n",
			map[string]int{"ttft": 1, "tpot": 0, "gap": 0, "stall": 0},
		},
		"not streamed": {"stream: false\n" + randomPhase, map[string]int{"ttft": 0, "tpot": 0, "gap": 0, "user_tps": 0, "e2e": 1, "output_tokens": 1}},
	} {
		_, w := build(t, c.phase, "")
		for variable, want := range c.want {
			if got := w.Yield(variable); got != want {
				t.Errorf("%s: yield of %s = %d, want %d", name, variable, got, want)
			}
		}
	}
}

func TestProfileOfAConstantPromptSharesIt(t *testing.T) {
	_, w := build(t, "concurrency: 4\nworkload: {prompt: {ids: constant, id: 7, tokens: 1k}, output_tokens: 1000}\n", "")
	want := engine.Profile{
		PromptTokens: 1024, OutputTokens: 1000, KVTokens: 8096, KVShared: 5024,
		TokenIDs: true, Forced: true, ConstantPrompt: true, CacheDefault: "any",
	}
	if diff := cmp.Diff(want, w.Profile(4)); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

func TestFaultsOfTheWorkload(t *testing.T) {
	for name, c := range map[string]struct{ phase, want string }{
		"a key of another way": {"workload: {prompt: {ids: random, tokens: 8, id: 3}, output_tokens: 8}\n", "id belongs to ids: constant"},
		"a missing key":        {"workload: {prompt: {ids: affine, tokens: 8, base: 1, request: 2, position: 3}, output_tokens: 8}\n", "ids: affine needs modulo"},
		"an empty vocabulary":  {"workload: {prompt: {ids: random, tokens: 8, vocabulary: [9, 9]}, output_tokens: 8}\n", "the vocabulary is empty"},
		"a cold constant":      {"cache: cold\nworkload: {prompt: {ids: constant, id: 3, tokens: 8}, output_tokens: 8}\n", "a constant prompt cannot be cold"},
		"too few ids":          {"workload: {prompt: {ids: random, tokens: 64, vocabulary: [5, 8]}, output_tokens: 8}\n", "too few ids"},
		"too few prompts":      {"cache: cold\nworkload: {prompt: {ids: random, tokens: 2, vocabulary: [1000, 30000]}, output_tokens: 8}\n", "too few ids"},
		"one affine prompt":    {"cache: cold\nworkload: {prompt: {ids: affine, tokens: 8, base: 1, request: 20, position: 3, modulo: 10}, output_tokens: 8}\n", "every prompt is the same"},
		"one id":               {"cache: any\nworkload: {prompt: {ids: random, tokens: 64, vocabulary: [5, 6]}, output_tokens: 8}\n", "write ids: constant and id: 5"},
		"short prompts":        {"workload: {prompt: {ids: random, tokens: 1}, output_tokens: 8}\n", "so short prompts would begin alike"},
		"few affine prompts":   {"concurrency: [1, 8]\nworkload: {prompt: {ids: affine, tokens: 8, base: 1, request: 24, position: 3, modulo: 96}, output_tokens: 8}\n", "only 4 different prompts, fewer than are in flight at C=8"},
		"ids to chat":          {"api: chat\nworkload: {prompt: {ids: random, tokens: 8}, output_tokens: 8}\n", "token ids go to the completions API only"},
		"no way":               {"workload: {prompt: {tokens: 8}, output_tokens: 8}\n", "a prompt needs ids, text or file"},
		"two ways":             {"workload: {prompt: {ids: random, text: story, tokens: 8}, output_tokens: 8}\n", "this one has ids and text"},
		"ids without tokens":   {"workload: {prompt: {ids: random}, output_tokens: 8}\n", "ids: random needs tokens"},
		"a file with tokens":   {"workload: {prompt: {file: a.jsonl, tokens: 8}, output_tokens: 8}\n", "tokens belongs to ids and text, and this prompt has file"},
		"text with an id":      {"workload: {prompt: {text: story, tokens: 8, id: 3}, output_tokens: 8}\n", "id belongs to ids: constant, and this prompt has text: story"},
		"two ways to end":      {"workload: {prompt: {ids: random, tokens: 8}, output_tokens: 8, ignore_eos: false, min_tokens: true}\n", "min_tokens forces the length"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.HasPrefix(c.phase, "concurrency:") {
				c.phase = "concurrency: 1\n" + c.phase
			}
			s := scenario(t, c.phase)
			api := chat.Completions
			if s.Phases[0].API == "chat" {
				api = chat.Chat
			}
			_, faults := newWorkload(engine.Setup{Phase: &s.Phases[0], API: api})
			if !strings.Contains(faults.String(), c.want) || !strings.Contains(faults.String(), "test.yaml:") {
				t.Errorf("faults:\n%swant %q with a place", faults, c.want)
			}
		})
	}
}

func TestPromptsThatRepeatMayDoSoWhereTheyNeedNotBeCold(t *testing.T) {
	for name, phase := range map[string]string{
		"two ids":          "cache: any\nworkload: {prompt: {ids: random, tokens: 64, vocabulary: [5, 7]}, output_tokens: 8}\n",
		"one token":        "cache: any\nworkload: {prompt: {ids: random, tokens: 1}, output_tokens: 8}\n",
		"one prompt":       "cache: any\nworkload: {prompt: {ids: affine, tokens: 8, base: 1, request: 0, position: 3, modulo: 96}, output_tokens: 8}\n",
		"enough of affine": "workload: {prompt: {ids: affine, tokens: 8, base: 1, request: 12, position: 3, modulo: 96}, output_tokens: 8}\n",
		"enough of four":   "workload: {prompt: {ids: random, tokens: 16, vocabulary: [5, 9]}, output_tokens: 8}\n",
	} {
		s := scenario(t, "concurrency: 8\n"+phase)
		if _, faults := newWorkload(engine.Setup{Phase: &s.Phases[0], API: chat.Completions}); len(faults) > 0 {
			t.Errorf("%s: %s", name, faults)
		}
	}
}
