package engine

import (
	"slices"

	"scenario/internal/canary"
	"scenario/internal/metric"
)

// CanaryCalibration is what became of the canaries that were sent while nothing
// else ran, once per run.
type CanaryCalibration struct {
	API        string   `json:"api" doc:"completions or chat"`
	Limit      int      `json:"limit" doc:"most tokens of an answer"`
	Sent       int      `json:"sent" doc:"requests with known answers, one at a time"`
	Right      int      `json:"right" doc:"of them answered rightly"`
	Kinds      []string `json:"kinds,omitempty" doc:"kinds of question that are asked under load: copy, add, lookup"`
	Dropped    []string `json:"dropped,omitempty" doc:"kinds that the model does not answer well enough while nothing else runs, with their counts"`
	NotChecked string   `json:"not_checked,omitempty" doc:"why none is asked under load; empty: some are"`
}

// CanaryResult counts a level's canaries.
type CanaryResult struct {
	NotChecked string        `json:"not_checked,omitempty" doc:"why none were sent"`
	Calibrated bool          `json:"calibrated,omitempty" doc:"they are those of the calibration, which stand in for a level of one request at a time"`
	Sent       int           `json:"sent" doc:"requests with known answers, before and after the load"`
	Right      int           `json:"right" doc:"of them answered rightly"`
	Failed     int           `json:"failed,omitempty" doc:"of them without a whole reply"`
	MixedUp    int           `json:"mixed_up,omitempty" doc:"answers that hold the code of another request"`
	Endpoints  []CanaryTally `json:"endpoints,omitempty" doc:"the same by base URL, where there are several"`
	Wrong      []CanaryWrong `json:"wrong,omitempty" doc:"the first that were not right, mixed up ones before others"`
	Again      *CanaryTally  `json:"again,omitempty" doc:"questions of wrong answers that were asked again, alone"`
	Anew       *CanaryTally  `json:"anew,omitempty" doc:"new questions that were then asked alone, to see whether the server is as it was at first"`
	Before     *CanaryTally  `json:"before,omitempty" doc:"what the calibration had of the same kinds, one at a time"`

	tasks   []canaryAnswer // those that were not right
	silence bool           // a request got no answer at all
}

// CanaryTally counts canaries.
type CanaryTally struct {
	Sent   int `json:"sent" doc:"requests with known answers"`
	Right  int `json:"right" doc:"of them answered rightly"`
	Failed int `json:"failed,omitempty" doc:"of them without a whole reply"`
}

// CanaryWrong is a canary that was not answered rightly.
type CanaryWrong struct {
	Kind    string `json:"kind" doc:"copy, add or lookup"`
	Want    string `json:"want" doc:"the right answer"`
	Got     string `json:"got" doc:"the start of what came"`
	Foreign string `json:"foreign,omitempty" doc:"the code of another request in it"`
}

// mostWrong is how many wrong answers are told.
const mostWrong = 3

func (t *CanaryTally) add(a canaryAnswer) {
	t.Sent++
	t.Right += boolToInt(a.right)
	t.Failed += boolToInt(a.request.Failed())
}

// add counts an answer. One that this machine failed to ask for counts nowhere.
func (c *CanaryResult) add(a canaryAnswer, several bool) {
	if a.request.ClientFault {
		return
	}
	total := c.total()
	total.add(a)
	c.Sent, c.Right, c.Failed = total.Sent, total.Right, total.Failed
	if several {
		for len(c.Endpoints) <= a.request.Endpoint {
			c.Endpoints = append(c.Endpoints, CanaryTally{})
		}
		c.Endpoints[a.request.Endpoint].add(a)
	}
	c.silence = c.silence || unanswered(a.request)
	if a.right && a.foreign == "" {
		return
	}
	got := excerpt(a.text)
	if a.request.Failed() {
		got = a.request.Outcome + ": " + a.request.Error
	}
	wrong := CanaryWrong{Kind: string(a.task.Kind), Want: a.task.Answer, Got: got, Foreign: a.foreign}
	if !a.right {
		c.tasks = append(c.tasks, a)
	}
	if a.foreign == "" {
		c.Wrong = append(c.Wrong, wrong)
	} else {
		c.Wrong = slices.Insert(c.Wrong, min(c.MixedUp, len(c.Wrong)), wrong)
		c.MixedUp++
	}
	c.Wrong = c.Wrong[:min(len(c.Wrong), mostWrong)]
}

// total is the counts of all endpoints together.
func (c *CanaryResult) total() CanaryTally { return CanaryTally{c.Sent, c.Right, c.Failed} }

// PassRatio is right / sent, unknown where none were sent.
func (c *CanaryResult) PassRatio() metric.Number {
	if c == nil {
		return metric.Number{}
	}
	return metric.Ratio(metric.Count(c.Right), metric.Count(c.Sent))
}

// gate is how many canaries must be right.
type gate struct{ rate, falseFailure, errorBudget float64 }

// fails reports whether too few of the canaries are right, of all or at one of
// several endpoints.
func (g gate) fails(c *CanaryResult) bool {
	if g.short(c.total(), 1) {
		return true
	}
	return slices.ContainsFunc(c.Endpoints, func(t CanaryTally) bool { return g.short(t, len(c.Endpoints)) })
}

// short reports whether too few are right where the gate is one of several, that
// must together have no more false failures than one. Requests without a whole
// reply are wrong ones, unless they keep to the phase's error budget.
func (g gate) short(t CanaryTally, gates int) bool {
	n := t.Sent
	if !metric.Exceeds(t.Failed, g.errorBudget, t.Sent) {
		n -= t.Failed
	}
	return t.Right < g.least(n, gates)
}

func (g gate) least(n, gates int) int {
	return canary.LeastRight(n, g.rate, g.falseFailure/float64(gates))
}
