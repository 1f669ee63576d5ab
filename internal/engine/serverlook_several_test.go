package engine_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"scenario/internal/engine"
)

// fleet serves each host with a server of its own.
type fleet map[string]*metered

func (f fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) { f[r.Host].ServeHTTP(w, r) }

func TestCountersOfSeveralServers(t *testing.T) {
	header := strings.Replace(header, `"http://sim"`, `["http://a", "http://b"]`, 1)
	none := func(*metered, int) string { return "" }
	other := &metered{page: vllm, fake: func(m *metered) (int, int) {
		if m.at(4) { // in its part of the first level
			return 0, 2000
		}
		return 0, 0
	}}
	restarts := &metered{page: func(m *metered, n int) string {
		if m.completions >= inFirst && m.start == 1 {
			m.start, m.prompt, m.output = 60, 0, 0
		}
		return vllm(m, n)
	}, start: 1}
	same := &metered{page: vllm}
	for name, c := range map[string]struct {
		fleet   fleet
		target  string
		want    []string // guards that fire
		says    string   // by other-traffic, where it is not checked
		counted bool     // all output tokens
	}{
		"two":                         {fleet: fleet{"a": {page: vllm}, "b": {page: vllm, start: 1}}, counted: true},
		"one, under two names":        {fleet: fleet{"a": same, "b": same}, counted: true},
		"one without metrics":         {fleet: fleet{"a": {page: vllm}, "b": {page: none}}, says: "only 1 of 2 base URLs offer counters"},
		"one that somebody else uses": {fleet: fleet{"a": {page: vllm, start: 1}, "b": other}, want: []string{"other-traffic"}},
		"one that restarts":           {fleet: fleet{"a": {page: vllm}, "b": restarts}, want: []string{"target-changed"}},
		"one page for both": {
			fleet:  fleet{"a": {page: none}, "b": {page: none}, "metrics": {page: func(*metered, int) string { return "vllm:generation_tokens_total 5\n" }}},
			target: `, metrics_url: "http://metrics/metrics"`, says: "hold 0 of the",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := world{handler: c.fleet}.run(t, plan(t, strings.Replace(header, ", proxy: off", c.target+", proxy: off", 1)+twoLevels, engine.PlanOptions{}))
			if got := fired(r); !slices.Equal(got, c.want) {
				t.Errorf("guards %v, want %v: %v", got, c.want, r.Verdict.Reasons)
			}
			for _, l := range r.Phases[0].Levels {
				said := ""
				for _, g := range l.Guards {
					if g.ID == "other-traffic" && g.Status == engine.NotChecked {
						said = g.Message
					}
				}
				if c.says == "" && said != "" || !strings.Contains(said, c.says) {
					t.Errorf("C=%d: other-traffic was not checked: %q, want %q", l.Concurrency, said, c.says)
				}
				generated, known := l.Found().Server.GenerationTokens.Number()
				if want := float64(256 * l.Found().Issued); c.counted && (!known || generated != want) {
					t.Errorf("C=%d: the servers counted %v, %v; want %v", l.Concurrency, generated, known, want)
				}
			}
		})
	}
}
