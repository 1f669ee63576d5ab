package engine

import (
	"time"

	"scenario/internal/metric"
	"scenario/internal/target"
)

// ResultSchema names the layout of result.json; it changes when a field changes
// its meaning or goes away.
const ResultSchema = "scenario-result/1"

// Result is everything a run found out: what result.json holds and what every
// report is made from. Durations are in seconds, unknown values are null.
type Result struct {
	Schema   string         `json:"schema" doc:"layout of this file: scenario-result/1"`
	Tool     string         `json:"tool" doc:"the program and its version"`
	Scenario ScenarioInfo   `json:"scenario" doc:"the file that was run"`
	Run      RunInfo        `json:"run" doc:"when and how it was run"`
	Verdict  Verdict        `json:"verdict" doc:"the decision"`
	Target   *target.Facts  `json:"target" doc:"the server under test as found before the load (its fingerprint); null: never reached"`
	Trial    *Trial         `json:"trial,omitempty" doc:"the client against a server that does nothing, before the load"`
	Baseline *BaselineInfo  `json:"baseline,omitempty" doc:"the figures that checks compare with"`
	Phases   []*PhaseResult `json:"phases" doc:"in file order"`

	Production *ProductionResult `json:"production,omitempty" doc:"what production will do, and whether levels that count have done it"`
}

// ScenarioInfo names the scenario file.
type ScenarioInfo struct {
	Name        string `json:"name" doc:"the scenario's name"`
	Description string `json:"description,omitempty" doc:"the scenario's description"`
	File        string `json:"file" doc:"path as given"`
	SHA256      string `json:"sha256" doc:"of the file's bytes"`
}

// RunInfo says when and how a scenario was run.
type RunInfo struct {
	ID          string    `json:"id" doc:"name of the run's folder"`
	Started     time.Time `json:"started" doc:"wall clock"`
	Ended       time.Time `json:"ended" doc:"wall clock; of the last update while the run goes on"`
	Complete    bool      `json:"complete" doc:"false: interrupted, crashed or still running"`
	Interrupted bool      `json:"interrupted,omitempty" doc:"stopped by a signal"`
	Seed        uint64    `json:"seed" doc:"run seed"`
	Nonce       string    `json:"nonce" doc:"what makes this run's random prompts differ from every other run's; with the seed it gives the same prompts again"`
	Simulated   string    `json:"simulated,omitempty" doc:"persona of the simulated server; empty: a real target"`
	Partial     []string  `json:"partial,omitempty" doc:"options that left parts of the scenario out"`
	Overrides   []string  `json:"overrides,omitempty" doc:"--set options, values of secret keys left out"`
}

// Decision is the verdict of a run.
type Decision string

// The decisions.
const (
	Go         Decision = "GO"
	NoGo       Decision = "NO-GO"
	Invalid    Decision = "INVALID"
	Incomplete Decision = "INCOMPLETE"
	Unusable   Decision = "UNUSABLE"
)

// Verdict is the decision, the exit status that says it, and why.
type Verdict struct {
	Decision Decision `json:"decision" doc:"GO, NO-GO, INVALID, INCOMPLETE (stopped) or UNUSABLE (the target never answered as it must)"`
	ExitCode int      `json:"exit_code" doc:"0 GO, 1 NO-GO by an SLO, 3 NO-GO by wrong output, 4 INVALID, 5 target never usable, 130 interrupted"`
	Reasons  []string `json:"reasons,omitempty" doc:"what decided it, worst first"`
}

// State is what became of a level.
type State string

// The states of a level.
const (
	Accepted        State = "accepted"
	Missed          State = "missed"
	Rejected        State = "rejected"
	InvalidLevel    State = "invalid"
	UndecidedLevel  State = "undecided"
	IncompleteLevel State = "incomplete"
	Skipped         State = "skipped"
)

// PhaseResult is one phase of a run.
type PhaseResult struct {
	Name    string         `json:"name" doc:"the phase's name"`
	Kind    string         `json:"kind" doc:"its kind of workload"`
	Assumed []string       `json:"assumed,omitempty" doc:"keys whose value the published source does not state"`
	Cache   string         `json:"cache" doc:"cold, any or warm: what the phase expects of the prefix cache"`
	API     string         `json:"api" doc:"completions or chat"`
	Tuned   []TunedGuard   `json:"tuned,omitempty" doc:"guards that the scenario has changed, and why"`
	Levels  []*LevelResult `json:"levels" doc:"in the order of the ladder"`
	Drift   *DriftResult   `json:"drift,omitempty" doc:"the target alone with one request, before and after the phase"`
	Warmup  *WarmupResult  `json:"warmup,omitempty" doc:"the warm-up that was sent once for the phase"`
	Prompts *PromptFit     `json:"prompts,omitempty" doc:"how text prompts were brought to their length"`
	Data    *Dataset       `json:"data,omitempty" doc:"the file that the prompts come from"`

	Canaries    string             `json:"canaries" doc:"requests with known answers: edges, interleaved or off"`
	Calibration *CanaryCalibration `json:"calibration,omitempty" doc:"what the model can be asked"`

	Scaling *metric.Scaling `json:"scaling,omitempty" doc:"how throughput grows over the accepted levels"`
	Summary *SummaryResult  `json:"summary,omitempty" doc:"the checks of the phase as a whole"`
}

// LevelResult is one level of a phase. Its figures are in Figures when the level
// is accepted or missed, in Withheld otherwise, so that nobody quotes them by accident.
type LevelResult struct {
	Concurrency      int             `json:"concurrency,omitempty" doc:"sessions in flight; not at a rate"`
	Rate             float64         `json:"rate,omitempty" doc:"sessions started per second, in load.mode: rate alone"`
	State            State           `json:"state" doc:"accepted, missed, rejected, invalid, undecided, incomplete or skipped"`
	Reason           string          `json:"reason,omitempty" doc:"why a level was skipped or is incomplete"`
	Gated            bool            `json:"gated" doc:"counts for the verdict"`
	Planned          int             `json:"planned" doc:"sessions that the plan has; 0: as many as come to be within a window"`
	Started          *time.Time      `json:"started,omitempty" doc:"wall clock"`
	Wall             metric.Duration `json:"wall" doc:"from before the first session was prepared to the end of the last; null where figures are withheld"`
	Figures          *metric.Level   `json:"figures,omitempty" doc:"figures of an accepted or missed level"`
	Withheld         *metric.Level   `json:"withheld,omitempty" doc:"figures of a level that is neither: not results"`
	Formulas         map[string]any  `json:"formulas,omitempty" doc:"figures as a published method computes them, by formula id"`
	WithheldFormulas map[string]any  `json:"withheld_formulas,omitempty" doc:"the same of a level whose figures are withheld"`
	Outcomes         map[string]int  `json:"outcomes,omitempty" doc:"requests by outcome"`
	Failures         []FailureCount  `json:"failures,omitempty" doc:"the most frequent causes of requests that were not good, most frequent first"`
	Retried          int             `json:"retried,omitempty" doc:"requests that were sent again after a failure, which counts all the same"`
	OtherCauses      int             `json:"other_causes,omitempty" doc:"further causes that are not listed"`
	Checks           []CheckResult   `json:"checks,omitempty" doc:"the phase's checks at this level"`
	Guards           []GuardResult   `json:"guards,omitempty" doc:"built-in guards that fired or could not be checked"`
	Warmup           *WarmupResult   `json:"warmup,omitempty" doc:"what was sent before, and enters no figure"`
	Flush            *FlushResult    `json:"flush,omitempty" doc:"whether the prefix cache was emptied before the level"`
	Canaries         *CanaryResult   `json:"canaries,omitempty" doc:"requests with known answers before and after the load; in no other figure"`
	KV               *KVDemand       `json:"kv,omitempty" doc:"KV cache that the level asks for"`
	Repeats          []RepeatResult  `json:"repeats,omitempty" doc:"the level's runs, where there are several: the figures above are pooled, rates are the median"`
	Notes            []string        `json:"notes,omitempty" doc:"oddities of replies, with their number"`
}

// Found are the level's figures, whether they may be shown or not; nil: none.
func (l *LevelResult) Found() *metric.Level {
	if l.Figures != nil {
		return l.Figures
	}
	return l.Withheld
}

// FailureCount is one cause of failed requests.
type FailureCount struct {
	Outcome string `json:"outcome" doc:"outcome of the requests"`
	Error   string `json:"error" doc:"what went wrong, in words"`
	Count   int    `json:"count" doc:"number of requests"`
}

// WarmupResult counts a warm-up's requests.
type WarmupResult struct {
	Sent   int    `json:"sent" doc:"requests"`
	Failed int    `json:"failed" doc:"of them not good"`
	Error  string `json:"error,omitempty" doc:"of the first that was not good"`
}

// KVDemand is the KV cache that a level asks for, in tokens, against what the
// target has.
type KVDemand struct {
	Tokens       int    `json:"tokens" doc:"tokens when all sessions are at their end at once and no prefix is shared"`
	SpreadTokens int    `json:"spread_tokens,omitempty" doc:"tokens when the sessions are spread evenly over their course; left out where they all start at once"`
	SharedTokens int    `json:"shared_tokens,omitempty" doc:"tokens when equal prefixes are shared"`
	Capacity     int    `json:"capacity,omitempty" doc:"tokens the target holds; 0: not known"`
	Message      string `json:"message,omitempty" doc:"what it means when the level does not fit"`
}

// BaselineInfo says where the compared figures come from.
type BaselineInfo struct {
	File     string   `json:"file" doc:"path"`
	SHA256   string   `json:"sha256" doc:"of the file's bytes"`
	Source   string   `json:"source" doc:"published or recorded"`
	Model    string   `json:"model,omitempty" doc:"as the baseline states it"`
	Hardware string   `json:"hardware,omitempty" doc:"as the baseline states it"`
	Engine   string   `json:"engine,omitempty" doc:"as the baseline states it"`
	Method   string   `json:"method,omitempty" doc:"as the baseline states it"`
	Origin   string   `json:"origin,omitempty" doc:"where it was published"`
	Unstated []string `json:"unstated,omitempty" doc:"what the baseline does not state"`
}

// TunedGuard is a guard that a phase has changed.
type TunedGuard struct {
	ID         string             `json:"id" doc:"the guard"`
	Effect     Effect             `json:"effect" doc:"its effect in this phase; off: switched off"`
	Thresholds map[string]float64 `json:"thresholds,omitempty" doc:"thresholds that were set"`
	Because    string             `json:"because" doc:"the scenario's reason"`
}
