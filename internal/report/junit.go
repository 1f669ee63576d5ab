package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"scenario/internal/engine"
)

// Judged is a result, and what takes its secrets out.
type Judged struct {
	Result *engine.Result
	Redact Redactor
}

// JUnit writes results as JUnit XML: a suite for each phase, a case for each level.
// A level that is rejected or missed is a failure, one that is invalid, undecided,
// incomplete or skipped an error: a reader that takes skipped cases for good must
// not take these so. A level that does not count for the verdict fails nothing. A
// run that is not GO has a case that is not good, whatever its levels are.
func JUnit(w io.Writer, runs ...Judged) error {
	var all junitSuites
	for _, run := range runs {
		all.Suites = append(all.Suites, suites(run)...)
	}
	for i := range all.Suites {
		s := &all.Suites[i]
		s.count()
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		all.seconds += s.seconds
	}
	all.Time = seconds(all.seconds)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`

	seconds float64
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"` // always 0
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`

	seconds float64
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
	Out     string        `xml:"system-out,omitempty"`

	seconds float64
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// count sums up a suite's cases.
func (s *junitSuite) count() {
	for i := range s.Cases {
		c := &s.Cases[i]
		s.Tests++
		if c.Failure != nil {
			s.Failures++
		}
		if c.Error != nil {
			s.Errors++
		}
		c.Time = seconds(c.seconds)
		s.seconds += c.seconds
	}
	s.Time = seconds(s.seconds)
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// suites are those of one run.
func suites(run Judged) []junitSuite {
	r, text := run.Result, run.Redact.String
	var list []junitSuite
	suite := func(name string, cases ...junitCase) {
		list = append(list, junitSuite{
			Name: text(name), Timestamp: r.Run.Started.UTC().Format("2006-01-02T15:04:05"),
			Properties: properties(r, text), Cases: cases,
		})
	}
	bad := false
	for _, p := range r.Phases {
		var cases []junitCase
		for _, l := range p.Levels {
			c := levelCase(l, text)
			c.Class = text(r.Scenario.Name + "." + p.Name)
			bad = bad || c.Failure != nil || c.Error != nil
			cases = append(cases, c)
		}
		suite(r.Scenario.Name+"."+p.Name, cases...)
	}
	if v := r.Verdict; v.Decision != engine.Go && !bad {
		why := strings.Join(v.Reasons, "\n")
		first, _, _ := strings.Cut(why, "\n")
		suite(r.Scenario.Name, junitCase{
			Class: text(r.Scenario.Name), Name: "verdict",
			Error: &junitProblem{Message: text(string(v.Decision) + ": " + first), Type: strings.ToLower(string(v.Decision)), Text: text(why)},
		})
	}
	return list
}

// levelCase is the case of a level.
func levelCase(l *engine.LevelResult, text func(string) string) junitCase {
	c := junitCase{Name: fmt.Sprintf("C=%d", l.Concurrency), seconds: took(l)}
	var b strings.Builder
	terminal{&b, NewPalette(false)}.level(l)
	problem := &junitProblem{Message: text(string(l.State) + ": " + l.Why()), Type: string(l.State), Text: text(b.String())}
	switch {
	case l.State == engine.Accepted:
		c.Out = problem.Text
	case !l.Gated:
		c.Out = text("explored, and does not count: "+problem.Message+"\n") + problem.Text
	case l.State == engine.Rejected || l.State == engine.Missed:
		c.Failure = problem
	default:
		c.Error = problem
	}
	return c
}

// took is how long a level's load was, in seconds, as far as it is known.
func took(l *engine.LevelResult) float64 {
	wall, ok := l.Wall.Duration()
	if found := l.Found(); !ok && found != nil {
		wall, _ = found.Window.Duration()
	}
	return wall.Seconds()
}

// properties say what was run against what.
func properties(r *engine.Result, text func(string) string) []junitProperty {
	list := []junitProperty{
		{"verdict", string(r.Verdict.Decision)}, {"scenario", r.Scenario.File}, {"sha256", r.Scenario.SHA256}, {"run", r.Run.ID}, {"tool", r.Tool},
	}
	if t := r.Target; t != nil {
		list = append(list, junitProperty{"model", t.Model}, junitProperty{"server", strings.TrimSpace(t.Server + " " + t.Version)})
	}
	if r.Run.Simulated != "" {
		list = append(list, junitProperty{"simulated", r.Run.Simulated})
	}
	for i := range list {
		list[i].Value = text(list[i].Value)
	}
	return list
}
