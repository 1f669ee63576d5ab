package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"scenario/internal/engine"
	"scenario/internal/simserver"
)

// student is a server whose answers to canaries a test decides: it is told the
// right one, the canary's number from 1, and how many requests are in flight.
type student struct {
	says     func(right string, n, inFlight int) string
	fails    func(n, inFlight int) bool // answers a canary with an error
	keeps    bool                       // has a prefix cache, and spoils what it computes under load
	spoilt   sync.Map                   // beginnings of prompts
	n        atomic.Int64
	inFlight atomic.Int64
}

var questions = regexp.MustCompile(`(?s)Q: (?:Repeat the code (\S+)|What is (\d+) \+ (\d+)\?|What is the value of (K\d+)\?)\nA:$`)

// rightAnswer works out what a canary asks for.
func rightAnswer(prompt string) string {
	q := questions.FindStringSubmatch(prompt)
	switch {
	case q == nil:
		return ""
	case q[1] != "":
		return q[1]
	case q[4] != "":
		_, after, _ := strings.Cut(prompt, q[4]+" = ")
		value, _, _ := strings.Cut(after, "\n")
		return value
	}
	var a, b int
	fmt.Sscan(q[2], &a)
	fmt.Sscan(q[3], &b)
	return fmt.Sprint(a + b)
}

func (s *student) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	inFlight := int(s.inFlight.Add(1))
	defer s.inFlight.Add(-1)
	var body struct {
		Prompt any `json:"prompt"`
	}
	data, _ := io.ReadAll(r.Body)
	json.Unmarshal(data, &body)
	prompt, isText := body.Prompt.(string)
	if !isText {
		inner := faulty{reply: func(w http.ResponseWriter, _ *http.Request, _, _ int, a ask) { good(w, a) }}
		r.Body = io.NopCloser(bytes.NewReader(data))
		inner.ServeHTTP(w, r)
		return
	}
	n := int(s.n.Add(1))
	time.Sleep(10 * time.Millisecond) // so that those of a burst are in flight together
	if s.fails != nil && s.fails(n, inFlight) {
		http.Error(w, `{"error":{"message":"busy"}}`, http.StatusServiceUnavailable)
		return
	}
	if s.keeps && int(s.inFlight.Load()) > 4 {
		s.spoilt.Store(prompt[:20], true)
	}
	if _, spoilt := s.spoilt.Load(prompt[:20]); spoilt {
		stream(w, ask{Prompt: make([]int, 100), MaxTokens: 1}, func(int) string { return "one" })
		return
	}
	answer := s.says(rightAnswer(prompt), n, int(s.inFlight.Load()))
	stream(w, ask{Prompt: make([]int, 100), MaxTokens: 1}, func(int) string { return " " + answer })
}

// seldom is true of one question in n, always the same ones.
func seldom(right string, n int) bool {
	h := fnv.New32a()
	h.Write([]byte(right))
	return h.Sum32()%uint32(n) == 0
}

const canaryLadder = `
  - name: decode
    kind: fixed-token
    concurrency: [1, 16]
    workload: {prompt: {ids: random, tokens: 64}, output_tokens: 64}
    warmup: off
    load: {requests: 32}
    checks: {correct: [ok_count >= 0]}
`

func TestCanaries(t *testing.T) {
	right := func(right string, _, _ int) string { return right }
	for name, c := range map[string]struct {
		student *student
		fired   []string
		exit    int
		status  engine.GuardStatus // of canary-failed at C=16
		effect  engine.Effect
		message string
	}{
		"all right": {student: &student{says: right}},
		"right with much around it": {student: &student{says: func(right string, _, _ int) string {
			return "**" + strings.ToLower(right) + "**. Is there more?\nQ: another"
		}}},
		"a model that knows nothing": {
			student: &student{says: func(string, int, int) string { return "once upon a time" }},
			status:  engine.NotChecked, effect: engine.Reject, message: "0 of 20 right, first wrong: copy asked for ",
		},
		"a model that can only copy": {student: &student{says: func(right string, _, _ int) string {
			if strings.Contains(right, "-") {
				return right
			}
			return "one"
		}}},
		"wrong under load": {
			student: &student{says: func(right string, _, inFlight int) string {
				if inFlight > 4 {
					return "one"
				}
				return right
			}},
			fired: []string{"canary-failed"}, exit: engine.ExitRejected,
			status: engine.Fired, effect: engine.Reject, message: "asked again alone, 10 of 10 came right",
		},
		"wrong under load, and ever after from the cache": {
			student: &student{says: right, keeps: true},
			fired:   []string{"canary-failed"}, exit: engine.ExitRejected,
			status: engine.Fired, effect: engine.Reject, message: "asked again alone, 10 of 10 came right",
		},
		"one wrong in a burst may be chance": {student: &student{says: func(right string, n, _ int) string {
			if n == 25 {
				return "one"
			}
			return right
		}}},
		"questions that the model finds hard": {
			student: &student{says: func(right string, n, _ int) string {
				if n > 20 && n < 25 || n > 52 && n < 57 { // and again, alone
					return "one"
				}
				return right
			}},
			status: engine.Fired, effect: engine.Warn, message: "taken for the model's own",
		},
		"a server that was wrong for a while": {
			student: &student{says: func(right string, n, _ int) string {
				if n > 36 && n < 63 { // the second burst, and those that are asked again
					return "one"
				}
				return right
			}},
			fired: []string{"canary-failed"}, exit: engine.ExitRejected,
			status: engine.Fired, effect: engine.Reject, message: "fewer come right under load than alone",
		},
		"a server that went wrong for good": {
			student: &student{says: func(right string, n, _ int) string {
				if n > 40 {
					return "one"
				}
				return right
			}},
			fired: []string{"canary-failed"}, exit: engine.ExitRejected,
			status: engine.Fired, effect: engine.Reject, message: "the server no longer answers as it did",
		},
		"a server that is a little wrong ever after": {
			student: &student{says: func(right string, n, _ int) string {
				if n > 20 && seldom(right, 4) {
					return "one"
				}
				return right
			}},
			fired: []string{"canary-failed"}, exit: engine.ExitInvalid,
			status: engine.Fired, effect: engine.Undecide, message: "cannot be told",
		},
		"errors under load that the measured requests do not get": {
			student: &student{says: right, fails: func(n, inFlight int) bool { return inFlight > 8 }},
			fired:   []string{"canary-failed"}, exit: engine.ExitRejected,
			status: engine.Fired, effect: engine.Reject, message: "http_error",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := world{handler: c.student}.run(t, plan(t, header+canaryLadder, engine.PlanOptions{Nonce: "canaries"}))
			if got := fired(r); !slices.Equal(got, c.fired) || r.Verdict.ExitCode != c.exit {
				t.Errorf("guards %v, exit %d, want %v, %d: %v", got, r.Verdict.ExitCode, c.fired, c.exit, r.Verdict.Reasons)
			}
			var found engine.GuardResult
			for _, g := range r.Phases[0].Levels[1].Guards {
				if g.ID == "canary-failed" {
					found = g
				}
			}
			if found.Status != c.status || found.Effect != c.effect || !strings.Contains(found.Message, c.message) {
				t.Errorf("the guard says %+v", found)
			}
		})
	}
}

func TestCanariesAreCountedApart(t *testing.T) {
	store := &memory{}
	r := world{server: simserver.Healthy(), store: store}.run(t, plan(t, header+ladder, engine.PlanOptions{}))
	if r.Verdict.Decision != engine.Go {
		t.Fatal(r.Verdict)
	}
	calibration := r.Phases[0].Calibration
	if calibration == nil || calibration.Sent != 20 || calibration.Right != 20 || len(calibration.Kinds) != 3 || calibration.API != "completions" {
		t.Errorf("calibration: %+v", calibration)
	}
	issued := 0
	for i, l := range r.Phases[0].Levels {
		issued += l.Figures.Issued
		if c := l.Canaries; c.Sent != 20 || c.Right != 20 || c.Calibrated != (i == 0) {
			t.Errorf("C=%d: %+v", l.Concurrency, c)
		}
		if ratio, known := l.Figures.CanaryPassRatio.Number(); !known || ratio != 1 {
			t.Errorf("C=%d: canary_pass_ratio %g, %v", l.Concurrency, ratio, known)
		}
	}
	if len(store.lines) != issued {
		t.Errorf("%d requests written down, %d measured", len(store.lines), issued)
	}
}

func TestFiguresAreTheSameWithCanaries(t *testing.T) {
	without := healthy(t, strings.Replace(ladder, "checks:", "canaries: off\n    checks:", 1))
	with := healthy(t, ladder)
	for i, l := range with.Phases[0].Levels {
		other := without.Phases[0].Levels[i]
		if l.Figures.OutputTPS != other.Figures.OutputTPS || l.Figures.CachedRatio != other.Figures.CachedRatio || l.Wall != other.Wall {
			t.Errorf("C=%d: canaries change the figures", l.Concurrency)
		}
		if other.Canaries != nil || without.Phases[0].Calibration != nil || without.Phases[0].Canaries != "off" {
			t.Errorf("C=%d: canaries: off, and %+v", l.Concurrency, other.Canaries)
		}
	}
}

func TestALevelOfManySendsABurstOfAsMany(t *testing.T) {
	most := atomic.Int64{}
	s := &student{}
	s.says = func(right string, n, inFlight int) string {
		if n > 20 { // after the calibration
			most.Store(max(most.Load(), int64(inFlight)))
		}
		return right
	}
	r := world{handler: s}.run(t, plan(t, header+strings.Replace(canaryLadder, "[1, 16]", "[3, 32]", 1), engine.PlanOptions{}))
	levels := r.Phases[0].Levels
	if levels[0].Canaries.Sent != 20 || levels[1].Canaries.Sent != 64 || most.Load() != 32 {
		t.Errorf("%d and %d canaries, at most %d at once; want 20, 64, 32", levels[0].Canaries.Sent, levels[1].Canaries.Sent, most.Load())
	}
}

func TestCanariesAreCalibratedOncePerRun(t *testing.T) {
	phases := canaryLadder + strings.Replace(canaryLadder, "decode", "again", 1)
	s := &student{says: func(right string, _, _ int) string { return right }}
	r := world{handler: s}.run(t, plan(t, header+phases, engine.PlanOptions{}))
	if n := s.n.Load(); n != 20+2*32 || r.Verdict.Decision != engine.Go {
		t.Errorf("%d canaries, want 20 and twice 32: %v", n, r.Verdict)
	}
	for _, p := range r.Phases {
		if p.Calibration == nil || p.Levels[0].Canaries.Right != 20 {
			t.Errorf("%s: %+v", p.Name, p.Calibration)
		}
	}
}

func TestAContextTooShortForCanariesIsSaid(t *testing.T) {
	cfg := simserver.Healthy()
	cfg.Context = 400
	small := strings.NewReplacer("tokens: 512", "tokens: 128", "output_tokens: 384", "output_tokens: 256").Replace(ladder)
	r := world{server: cfg}.run(t, plan(t, header+small, engine.PlanOptions{}))
	if r.Verdict.Decision != engine.Go {
		t.Errorf("verdict %v", r.Verdict)
	}
	for _, l := range r.Phases[0].Levels {
		if !slices.ContainsFunc(l.Guards, func(g engine.GuardResult) bool {
			return g.ID == "canary-failed" && g.Status == engine.NotChecked && strings.Contains(g.Message, "context of 400 tokens is too short")
		}) {
			t.Errorf("C=%d: %v", l.Concurrency, l.Guards)
		}
	}
}

func TestCanariesCanBeChecked(t *testing.T) {
	r := healthy(t, strings.Replace(ladder, "ok_count >= 0", "canary_pass_ratio == 1", 1))
	if r.Verdict.Decision != engine.Go {
		t.Errorf("verdict %v", r.Verdict)
	}
}
