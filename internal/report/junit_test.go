package report

import (
	"encoding/xml"
	"strconv"
	"strings"
	"testing"

	"scenario/internal/engine"
)

// plain is a redactor that knows one secret.
type plain struct{}

func (plain) String(s string) string { return strings.ReplaceAll(s, "sk-SECRET", "<redacted>") }

// parsed reads JUnit XML back as its consumers do.
type parsed struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Name  string `xml:"name,attr"`
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func junit(t *testing.T, results ...*engine.Result) (string, parsed) {
	t.Helper()
	var runs []Judged
	for _, r := range results {
		runs = append(runs, Judged{r, plain{}})
	}
	var b strings.Builder
	if err := JUnit(&b, runs...); err != nil {
		t.Fatal(err)
	}
	var p parsed
	if err := xml.Unmarshal([]byte(b.String()), &p); err != nil {
		t.Fatalf("%v in\n%s", err, &b)
	}
	return b.String(), p
}

func TestJUnit(t *testing.T) {
	text, p := junit(t, result())
	golden(t, "junit.xml", text)
	states := map[string]string{}
	for _, c := range p.Suites[0].Cases {
		switch {
		case c.Failure != nil:
			states[c.Name] = "failure"
		case c.Error != nil:
			states[c.Name] = "error"
		default:
			states[c.Name] = "good"
		}
		if c.Skipped != nil {
			t.Errorf("%s is skipped", c.Name)
		}
	}
	for _, l := range result().Phases[0].Levels {
		want := "error"
		switch {
		case !l.Gated || l.State == engine.Accepted:
			want = "good"
		case l.State == engine.Rejected || l.State == engine.Missed:
			want = "failure"
		}
		if name := "C=" + strconv.Itoa(l.Concurrency); states[name] != want {
			t.Errorf("%s is %s: %s, want %s", name, l.State, states[name], want)
		}
	}
	if p.Tests != 7 || p.Failures == 0 || p.Errors == 0 {
		t.Errorf("%d tests, %d failures, %d errors", p.Tests, p.Failures, p.Errors)
	}
}

func TestJUnitOfARunWithoutLevels(t *testing.T) {
	nobody := &engine.Result{
		Scenario: engine.ScenarioInfo{Name: "gate"},
		Verdict:  engine.Verdict{Decision: engine.Unusable, ExitCode: 5, Reasons: []string{"cannot be reached: \x01 <sk-SECRET> & ]]>"}},
	}
	text, p := junit(t, nobody, nobody)
	if p.Tests != 2 || p.Errors != 2 || p.Suites[0].Cases[0].Error == nil {
		t.Errorf("%d tests, %d errors:\n%s", p.Tests, p.Errors, text)
	}
	if strings.Contains(text, "SECRET") {
		t.Errorf("a secret is in\n%s", text)
	}
}

func TestJUnitOfAnEmptyGo(t *testing.T) {
	if text, p := junit(t, &engine.Result{Verdict: engine.Verdict{Decision: engine.Go}}); p.Tests != 0 || p.Errors != 0 {
		t.Errorf("got\n%s", text)
	}
}
