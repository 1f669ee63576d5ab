package assert

import (
	"math"
	"reflect"
	"slices"
	"time"

	"scenario/internal/metric"
)

// The sample level has every sort of variable that a scope can have.
type sampleLevel struct {
	sampleCommon
	Requests    []sampleRequest `json:"requests" doc:"every measured request, failed ones too"`
	Turns       []*sampleTurn   `json:"turns" doc:"one user message and all replies up to the next"`
	TTFT        *samples        `json:"ttft" doc:"start to first token event" speed:"true"`
	TPOT        samples         `json:"tpot" doc:"time per output token" speed:"true"`
	UserTPS     *rates          `json:"user_tps" doc:"1 / tpot" unit:"tok/s" speed:"true"`
	OutputTPS   optional        `json:"output_tps" doc:"good output tokens per second" unit:"tok/s" speed:"true"`
	CachedRatio optional        `json:"cached_ratio" doc:"share of prompt tokens found in the cache" unit:"ratio"`
	ErrorRatio  float64         `json:"error_ratio" doc:"share of requests that failed" unit:"ratio"`
	OKCount     int             `json:"ok_count" doc:"requests that went well"`
	Truncated   answer          `json:"truncated" doc:"a prompt was cut"`
	Steady      bool            `json:"steady" doc:"the steady window was found"`
	Wall        time.Duration   `json:"wall" doc:"length of the measured part"`
	Drift       *lag            `json:"drift" doc:"first to last median"`
	Class       *word           `json:"scaling_class" doc:"how throughput grows" enum:"linear|sublinear|flat"`
	Model       string          `json:"model" doc:"what replies call the model"`
	Server      *sampleServer   `json:"server" doc:"what the server reports"`
	Client      sampleClient    `json:"client" doc:"what the client used"`
	Note        string          `json:"note"`
}

type sampleCommon struct {
	Concurrency int      `json:"concurrency" doc:"requests in flight" plan:"true"`
	Length      optional `json:"length,omitempty" doc:"prompt plus answer" unit:"tokens" plan:"true"`
}

type sampleServer struct {
	KVUsageMax optional `json:"kv_usage_max" doc:"largest share of the KV cache in use" unit:"ratio"`
	RunningMax uint32   `json:"running_max" doc:"most requests running at once"`
}

type sampleClient struct {
	CPURatio float32 `json:"cpu_ratio" doc:"share of the processors used" unit:"ratio"`
}

type sampleRequest struct {
	Index        int           `json:"index" doc:"place in the level"`
	OK           bool          `json:"ok" doc:"all went well"`
	Outcome      string        `json:"outcome" doc:"how it ended" enum:"ok|http_error|connect_error|timeout|stream_broken"`
	Error        word          `json:"error" doc:"what went wrong"`
	FinishReason word          `json:"finish_reason" doc:"why the model stopped" enum:"stop|length|tool_calls"`
	PromptTokens int           `json:"prompt_tokens" doc:"as the server counts"`
	OutputTokens optional      `json:"output_tokens" doc:"as the server counts"`
	TTFT         time.Duration `json:"ttft" doc:"start to first token event" speed:"true"`
	E2E          lag           `json:"e2e" doc:"start to last token event" speed:"true"`
	Degenerate   answer        `json:"degenerate" doc:"repeats itself"`
}

type sampleTurn struct {
	Task    string          `json:"task" doc:"its task"`
	Pass    bool            `json:"pass" doc:"the task was solved"`
	Replies []sampleRequest `json:"replies" doc:"the answers of the model"`
	TTFT    samples         `json:"ttft" doc:"of its replies" speed:"true"`
}

type sampleFormula struct {
	AggregateTPS optional `json:"aggregate_tps" doc:"as published" unit:"tok/s" speed:"true"`
}

// optional, answer, lag and word are values that may be unknown.
type (
	optional struct {
		v  float64
		ok bool
	}
	answer uint8
	lag    struct{ d time.Duration }
	word   string
)

func (o optional) Number() (float64, bool) { return o.v, o.ok }

func (f answer) Bool() (value, known bool) { return f == 2, f != 0 }

func (l *lag) Duration() (time.Duration, bool) { return l.d, l.d >= 0 }

func (w word) Text() (string, bool) { return string(w), w != "?" }

// values is a distribution; samples one of durations, rates one of numbers.
type (
	values  []float64
	samples struct{ values }
	rates   struct{ values }
)

func (v values) Count() int { return len(v) }

func (v values) Quantile(q float64) (float64, bool) {
	if len(v) < metric.MinSamples(q) {
		return 0, false
	}
	x := q * float64(len(v)-1)
	low := int(x)
	high := min(low+1, len(v)-1)
	s := slices.Sorted(slices.Values(v))
	return s[low] + (x-float64(low))*(s[high]-s[low]), true
}

func (v values) Mean() (float64, bool) {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v)), len(v) > 0
}

func (v values) Min() (float64, bool) {
	if len(v) == 0 {
		return math.NaN(), true // unknown all the same
	}
	return slices.Min(v), true
}

func (v values) Max() (float64, bool) {
	if len(v) == 0 {
		return 0, false
	}
	return slices.Max(v), true
}

func (*samples) IsDuration() bool { return true }
func (*rates) IsDuration() bool   { return false }

// sampleScope has the level's own variables, a formula's, and a baseline's.
func sampleScope() *Scope {
	return NewScope(
		Root{Type: reflect.TypeFor[sampleLevel]()},
		Root{Name: "formulas.catid_g0", Type: reflect.TypeFor[sampleFormula]()},
		Root{Name: "baseline", Type: reflect.TypeFor[sampleLevel](), Optional: true},
		Root{Name: "baseline.formulas.catid_g0", Type: reflect.TypeFor[sampleFormula](), Optional: true},
	).Later("crosstalk_count", "server.preemptions", "requests.reasoning", "conversations")
}

// sampleValues is a level of four requests, one of which timed out, and three
// turns, one of which is missing.
func sampleValues() *sampleLevel {
	flat := word("flat")
	l := &sampleLevel{
		sampleCommon: sampleCommon{Concurrency: 8, Length: optional{2048, true}},
		Requests: []sampleRequest{
			{Index: 0, OK: true, Outcome: "ok", Error: "?", FinishReason: "stop", PromptTokens: 10, OutputTokens: optional{100, true}, TTFT: 120 * time.Millisecond, E2E: lag{time.Second}, Degenerate: 1},
			{Index: 1, Outcome: "timeout", Error: "read: i/o timeout", FinishReason: "?", PromptTokens: 10, TTFT: 5 * time.Second, E2E: lag{-1}},
			{Index: 2, OK: true, Outcome: "ok", FinishReason: "length", PromptTokens: 10, OutputTokens: optional{64, true}, TTFT: 130 * time.Millisecond, E2E: lag{2 * time.Second}, Degenerate: 2},
			{Index: 3, OK: true, Outcome: "ok", FinishReason: "length", PromptTokens: 10, OutputTokens: optional{64, true}, TTFT: 140 * time.Millisecond, E2E: lag{2 * time.Second}, Degenerate: 1},
		},
		TTFT:        &samples{},
		UserTPS:     &rates{values{31.23456, 40}},
		CachedRatio: optional{0.99996, true},
		ErrorRatio:  0.25,
		OKCount:     3,
		Truncated:   1,
		Steady:      true,
		Wall:        90 * time.Second,
		Class:       &flat,
		Model:       "qwen",
		Server:      &sampleServer{RunningMax: 9},
	}
	for i := range 12 {
		l.TTFT.values = append(l.TTFT.values, float64(i+1)*1e8)
	}
	l.Turns = []*sampleTurn{
		{Task: "recall", Pass: true, Replies: l.Requests[:1], TTFT: samples{values{1e8}}},
		nil,
		{Task: "transact", Replies: l.Requests},
	}
	return l
}
