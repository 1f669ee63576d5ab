package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scenario/internal/engine"
)

// TestStoredResultsGiveTheReportsOfTheRun: what is rendered later, from
// result.json alone, is what the run has left and printed.
func TestStoredResultsGiveTheReportsOfTheRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "one")
	r := fullResult()
	f, err := NewFiles(dir, nil, stars("secret-1"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Result(r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := engine.DecodeResult(data)
	if err != nil {
		t.Fatal(err)
	}
	var markdown, junit, now, then strings.Builder
	for _, err := range []error{
		Markdown(&markdown, stored), JUnit(&junit, stored),
		Terminal(&now, r, NewPalette(false)), Terminal(&then, stored, NewPalette(false)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"report.md": markdown.String(), "junit.xml": junit.String()} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), text); diff != "" {
			t.Errorf("%s (-run +later):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(now.String(), then.String()); diff != "" {
		t.Errorf("terminal (-run +later):\n%s", diff)
	}
	again, err := JSON(stored, stars("secret-1"))
	if diff := cmp.Diff(string(data), string(again)+"\n"); err != nil || diff != "" {
		t.Errorf("result.json (-run +later): %v\n%s", err, diff)
	}
}

// TestNoReportHoldsASecret: also one that XML, Markdown or GitHub would write in
// another way.
func TestNoReportHoldsASecret(t *testing.T) {
	const secret = "s<e&c%r|zq_q"
	r := fullResult()
	r.Phases[0].Levels[2].Guards[0].Message = "the server says " + secret
	r.Phases[0].Levels[2].Failures[0].Error = secret
	r.Target.Notes = []string{secret}
	r.Verdict.Reasons = append(r.Verdict.Reasons, secret)
	redact := both{secret, "s\\u003ce\\u0026c%r|zq_q"}
	clean, err := Clean(r, redact)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, err := range []error{Markdown(&b, clean), JUnit(&b, clean), Annotations(&b, "", clean)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{"c%r", "c%25r", "zq"} {
		if strings.Contains(b.String(), part) {
			t.Errorf("the reports hold %q", part)
		}
	}
	if strings.Count(b.String(), "redacted") < 8 {
		t.Errorf("the reports hold none of the texts:\n%s", &b)
	}
}

// both takes a secret out as it is and as JSON writes it.
type both [2]string

func (s both) String(text string) string {
	return strings.NewReplacer(s[0], "<redacted>", s[1], "<redacted>").Replace(text)
}

// TestFilesAreReplacedTogether: where one can't be written, the others still say
// what they said.
func TestFilesAreReplacedTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "one")
	f, err := NewFiles(dir, nil, stars("secret-1"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.write(file{"a", "old"}); err != nil {
		t.Fatal(err)
	}
	if err := f.write(file{"a", "new"}, file{"no/such/folder", "new"}); err == nil {
		t.Error("a file in no folder was written")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
