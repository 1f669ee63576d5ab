package spec

import (
	"encoding/json"
	"time"
)

// Scenario is one scenario file as its author meant it: expanded, merged with
// its defaults and checked against the schema. Every part remembers where it
// stands in the file (At, Text), so that later findings point there too.
type Scenario struct {
	At          At
	File        string
	Name        string     `yaml:"name"`
	Description string     `yaml:"description"`
	Target      Target     `yaml:"target"`
	Baseline    Text       `yaml:"baseline"` // path of the baseline file, relative to the scenario's folder; empty: none
	Seed        uint64     `yaml:"seed"`
	Production  Production `yaml:"production"`
	Phases      []Phase    `yaml:"phases"`

	_ int `yaml:"version"`
}

// Production is what production will do, which the phases are held to cover.
type Production struct {
	At          At
	Concurrency int      `yaml:"concurrency"`    // requests in flight; 0: not said
	Context     int      `yaml:"context,tokens"` // prompt and answer; 0: not said
	Features    []string `yaml:"features"`
}

// Target is the server under test as the file describes it.
type Target struct {
	At               At
	BaseURLs         []Text   `yaml:"base_url"`
	Model            Text     `yaml:"model"`          // empty: the only model listed
	APIKeyEnv        Text     `yaml:"api_key_env"`    // name of the variable, never its value
	APIKeyHeader     string   `yaml:"api_key_header"` // empty: Authorization: Bearer
	Headers          Headers  `yaml:"headers"`
	Server           string   `yaml:"server"`                    // auto, or a dialect
	ContextTokens    int      `yaml:"context_tokens,tokens"`     // 0: ask the server
	KVCapacityTokens int      `yaml:"kv_capacity_tokens,tokens"` // 0: unknown
	Accelerators     int      `yaml:"accelerators"`              // 0: unknown
	TLS              TLS      `yaml:"tls"`
	Proxy            Text     `yaml:"proxy"`       // env, off or a URL
	MetricsURL       Text     `yaml:"metrics_url"` // auto, off or a URL
	Timeouts         Timeouts `yaml:"timeouts"`
}

// Header is one extra request header. Its value is a secret.
type Header struct {
	Name  string
	Value Text
}

// TLS says how a target's certificate is checked and which one is shown to it.
type TLS struct {
	CAFile             Text `yaml:"ca_file"`
	CertFile           Text `yaml:"cert_file"`
	KeyFile            Text `yaml:"key_file"`
	InsecureSkipVerify bool `yaml:"insecure_skip_verify"`
}

// Timeouts bound one request: opening a connection, the time from its write to
// the first token, the silence between two reads, and the whole of it.
type Timeouts struct {
	Connect    time.Duration `yaml:"connect"`
	FirstToken time.Duration `yaml:"first_token"`
	Idle       time.Duration `yaml:"idle"`
	Request    time.Duration `yaml:"request"`
}

// Phase is one kind of workload with its levels, its load and its checks.
type Phase struct {
	At          At
	Name        string            `yaml:"name"`
	Kind        Text              `yaml:"kind"`
	Concurrency []int             `yaml:"concurrency"`
	Gate        Text              `yaml:"gate"` // empty: every level counts for the verdict
	Requires    []Text            `yaml:"requires"`
	Workload    At                `yaml:"workload"`
	Load        LoadSettings      `yaml:"load"`
	Warmup      Warmup            `yaml:"warmup"`
	Cache       string            `yaml:"cache"`       // cold, any, warm; empty: the kind's default
	CacheFlush  string            `yaml:"cache_flush"` // level; empty or off: never
	Canaries    string            `yaml:"canaries"`    // edges, interleaved, off
	API         string            `yaml:"api"`         // chat, completions; empty: the kind's default
	Stream      bool              `yaml:"stream"`
	Temperature Optional[float64] `yaml:"temperature"`
	Seed        Optional[int64]   `yaml:"seed"`
	Body        Body              `yaml:"body"`
	Limits      Limits            `yaml:"limits"`
	Repeats     int               `yaml:"repeats"`
	ErrorBudget float64           `yaml:"error_budget"`
	Retries     int               `yaml:"retries"`
	Guards      GuardSettings     `yaml:"guards"`
	Checks      Checks            `yaml:"checks"`
	Summary     Checks            `yaml:"summary"`
	Formula     Text              `yaml:"formula"`
	Assumed     []string          `yaml:"assumed"`
	FailFast    bool              `yaml:"fail_fast"`
}

// LoadSettings say how many sessions a level sends, and when.
type LoadSettings struct {
	At       At
	Mode     string `yaml:"mode"`     // closed, wave, window, rate
	Sessions Count  `yaml:"requests"` // requests, or conversations; not in wave and window mode
	Waves    int    `yaml:"waves"`    // wave mode only

	Rates       []float64     `yaml:"rates"`         // rate mode only: sessions per second, a level for each
	Arrivals    string        `yaml:"arrivals"`      // rate mode only: poisson, constant
	MaxInFlight int           `yaml:"max_in_flight"` // rate mode only: most sessions at once
	Duration    time.Duration `yaml:"duration"`      // window mode, and rate mode where it has no requests; 0: none
	Ramp        time.Duration `yaml:"ramp"`          // over which the first sessions are started
	Drain       string        `yaml:"drain"`         // finish, cancel: what becomes of sessions in flight when the duration is over
	MaxDuration time.Duration `yaml:"max_duration"`  // longest that a level may take; 0: no bound
}

// Limits bound each request's latencies; zero: not limited.
type Limits struct {
	At   At
	TTFT time.Duration `yaml:"ttft"`
	TTFC time.Duration `yaml:"ttfc"`
	TPOT time.Duration `yaml:"tpot"`
	E2E  time.Duration `yaml:"e2e"`
}

// Warmup is what is sent before a level and enters no figure.
type Warmup struct {
	At           At
	Off          bool
	Scope        string `yaml:"scope"` // level, phase, run
	Requests     Count  `yaml:"requests"`
	OutputTokens int    `yaml:"output_tokens,tokens"`
	PerEndpoint  bool   `yaml:"per_endpoint"` // Requests is a count for each base URL, not for all
}

// Optional is a request field that can be left out of the body (unset).
type Optional[T any] struct {
	Value T
	Set   bool
}

// BodyField is one field that goes verbatim into the request body, or, when
// Unset, one that is taken out of it. Value is valid JSON.
type BodyField struct {
	Name  string
	Value json.RawMessage
	Unset bool
}

// GuardSetting tunes a guard or switches it off, with the reason.
type GuardSetting struct {
	At         At
	ID         string
	Off        bool
	Effect     string // empty: the guard's own
	Because    string
	Thresholds map[string]float64
}

// Checks are a phase's expressions by group.
type Checks struct {
	Valid   []Check `yaml:"valid"`
	Correct []Check `yaml:"correct"`
	SLO     []Check `yaml:"slo"`
}

// Check is one expression. When, if not empty, says at which levels it exists.
type Check struct {
	Name string `yaml:"name"` // what reports call it; empty: the expression itself
	Expr Text   `yaml:"expr"`
	When Text   `yaml:"when"`
}

// Count is a number of sessions: fixed, a multiple of the concurrency (5x), or
// auto, which the caller works out.
type Count struct {
	N    int
	PerC int
	Auto bool
}

// Resolve is the count at one concurrency; auto stands for the given number.
func (c Count) Resolve(concurrency, auto int) int {
	switch {
	case c.Auto:
		return auto
	case c.PerC > 0:
		return c.PerC * concurrency
	}
	return c.N
}
