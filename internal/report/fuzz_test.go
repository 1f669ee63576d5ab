package report

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"scenario/internal/engine"
)

// FuzzReportsOfStoredResults: whatever can be read as a result can be reported,
// and no text in it breaks a report's format.
func FuzzReportsOfStoredResults(f *testing.F) {
	r := fullResult()
	data, err := json.Marshal(r)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, "a|b\n::error::x\x00]]>")
	f.Add([]byte(`{"schema":"scenario-result/1","verdict":{"decision":"GO"},"phases":[{"levels":[{"state":"accepted","formulas":{"x":1,"catid-g0":null}}]}]}`), "")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		r, err := engine.DecodeResult(data)
		if err != nil {
			return
		}
		r.Scenario.Name, r.Scenario.File = text, text
		r.Verdict.Reasons = append(r.Verdict.Reasons, text)
		for _, p := range r.Phases {
			p.Name = text
			for _, l := range p.Levels {
				l.Reason = text
				for i := range l.Checks {
					l.Checks[i].Expr, l.Checks[i].At = text, text
				}
			}
		}
		var junit, annotations strings.Builder
		for _, err := range []error{
			JUnit(&junit, r), Annotations(&annotations, "/", r), Markdown(io.Discard, r), Terminal(io.Discard, r, NewPalette(true)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := xml.Unmarshal([]byte(junit.String()), new(junitSuites)); err != nil {
			t.Errorf("%v:\n%s", err, &junit)
		}
		for _, line := range strings.FieldsFunc(annotations.String(), func(r rune) bool { return r == '\n' || r == '\r' }) {
			if !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::warning ") {
				t.Errorf("no command: %q", line)
			}
		}
	})
}
