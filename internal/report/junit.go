package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"scenario/internal/engine"
)

// JUnit writes results, without their secrets, as the JUnit XML that CI servers
// read: a suite for each phase with a test case for each level. What was wrong or
// too slow is a failure; what could not be decided, or was not run, an error and
// never skipped, which CI would take for a pass. Levels that do not count for the
// verdict can't fail: their outcome is in the case's system-out.
//
// Reasons of the verdict that are no level's are cases of their own, and a result
// that is not GO has at least one case that failed.
func JUnit(w io.Writer, results ...*engine.Result) error {
	all := junitSuites{Name: "scenario"}
	for _, r := range results {
		for _, suite := range junitResult(r) {
			all.Suites = append(all.Suites, suite)
			all.add(suite.junitCounts)
		}
	}
	all.Time = seconds(all.length)
	data, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(data)+"\n")
	return err
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []*junitSuite `xml:"testsuite"`
}

// junitCounts are attributes of one suite and of all.
type junitCounts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`

	length time.Duration
}

func (c *junitCounts) add(other junitCounts) {
	c.Tests += other.Tests
	c.Failures += other.Failures
	c.Errors += other.Errors
	c.length += other.length
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Class     string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
	SystemOut string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// junitResult are the suites of one run: that of the run as a whole, where there
// is something to say of it, and those of its phases.
func junitResult(r *engine.Result) []*junitSuite {
	reasons := elsewhere(r)
	var suites []*junitSuite
	problems := 0
	for _, p := range r.Phases {
		suite := newSuite(r, r.Scenario.Name+"."+p.Name, started(r, p))
		for _, l := range judged(p) {
			suite.level(l)
		}
		suite.reasons(r, "summary", reasons[p.Name])
		problems += suite.Failures + suite.Errors
		suites = append(suites, suite)
	}
	whole := newSuite(r, r.Scenario.Name, r.Run.Started)
	ofRun := reasons[""]
	if r.Verdict.Decision != engine.Go && problems+len(ofRun) == 0 {
		ofRun = []string{"the verdict is " + string(r.Verdict.Decision)}
	}
	if whole.reasons(r, "run", ofRun); whole.Tests > 0 {
		suites = append([]*junitSuite{whole}, suites...)
	}
	return suites
}

func newSuite(r *engine.Result, name string, started time.Time) *junitSuite {
	s := &junitSuite{Name: name, Properties: properties(r)}
	s.Time = seconds(0)
	if !started.IsZero() {
		s.Timestamp = started.UTC().Format("2006-01-02T15:04:05") // the schema allows no zone
	}
	return s
}

// started is when the first level of a phase began.
func started(r *engine.Result, p *engine.PhaseResult) time.Time {
	for _, l := range p.Levels {
		if l.Started != nil {
			return *l.Started
		}
	}
	return r.Run.Started
}

func properties(r *engine.Result) []junitProperty {
	list := []junitProperty{
		{"verdict", string(r.Verdict.Decision)},
		{"exit_code", fmt.Sprint(r.Verdict.ExitCode)},
		{"scenario", r.Scenario.Name},
		{"sha256", r.Scenario.SHA256},
	}
	if r.Target != nil {
		list = append(list, junitProperty{"model", r.Target.Model}, junitProperty{"server", strings.TrimSpace(r.Target.Server + " " + r.Target.Version)})
	}
	simulated := r.Run.Simulated
	if simulated == "" {
		simulated = "no"
	}
	list = append(list, junitProperty{"tool", r.Tool}, junitProperty{"run", r.Run.ID}, junitProperty{"simulated", simulated})
	if len(r.Run.Partial) > 0 {
		list = append(list, junitProperty{"partial", strings.Join(r.Run.Partial, " ")})
	}
	if changed := overridden(r.Run.Overrides); changed != "" {
		list = append(list, junitProperty{"overridden", changed})
	}
	return list
}

// level adds the case of a level. The time of one whose figures are withheld is
// withheld too; it is written as 0 because readers want a number.
func (s *junitSuite) level(l *engine.LevelResult) {
	c := junitCase{Name: levelName(l)}
	wall, _ := l.Wall.Duration()
	text := levelText(l)
	switch {
	case !l.Gated:
		c.SystemOut = "explored, not part of the verdict: " + string(l.State) + "\n" + text
	case l.State == engine.Accepted:
	default:
		message := string(l.State)
		if why := l.Why(); why != "" {
			message += ": " + why
		}
		c.problem(l.State == engine.Rejected || l.State == engine.Missed, string(l.State), message, text)
	}
	s.put(c, wall)
}

// levelText is what a level's case says: all its troubles, and what its warm-up
// and its replies showed.
func levelText(l *engine.LevelResult) string {
	var b strings.Builder
	for _, t := range troubles(l) {
		fmt.Fprintln(&b, t)
	}
	if l.Warmup != nil && l.Warmup.Failed > 0 {
		fmt.Fprintln(&b, warmupFailed(l.Warmup))
	}
	for _, note := range l.Notes {
		fmt.Fprintln(&b, note)
	}
	return b.String()
}

// reasons adds a case for each reason of the verdict that is no level's.
func (s *junitSuite) reasons(r *engine.Result, name string, reasons []string) {
	for i, reason := range reasons {
		c := junitCase{Name: name}
		if i > 0 {
			c.Name = fmt.Sprintf("%s %d", name, i+1)
		}
		c.problem(r.Verdict.Decision == engine.NoGo, string(r.Verdict.Decision), reason, "")
		s.put(c, 0)
	}
}

// problem makes a case one that failed, or one that could not be decided.
func (c *junitCase) problem(failed bool, kind, message, text string) {
	p := &junitProblem{Message: message, Type: kind, Text: text}
	if failed {
		c.Failure = p
	} else {
		c.Error = p
	}
}

// put adds a case and counts it.
func (s *junitSuite) put(c junitCase, length time.Duration) {
	c.Class, c.Time = s.Name, seconds(length)
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
	s.length += length
	s.Time = seconds(s.length)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
