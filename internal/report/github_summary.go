package report

import (
	"errors"
	"io"
	"os"
	"strings"

	"scenario/internal/engine"
)

// mostSummary is how many bytes GitHub takes as the summary of one step.
const mostSummary = 1 << 20

// AppendSummary appends results, without their secrets, as Markdown to the file
// that GitHub Actions shows as the job's summary. What does not fit into the limit
// of a step is left out, and said so.
func AppendSummary(path string, results ...*engine.Result) (err error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, r := range results {
		if err := Markdown(&b, r); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	_, err = io.WriteString(f, shortened(b.String(), mostSummary-int(min(info.Size(), mostSummary))))
	return err
}

// shortened is a Markdown text of at most so many bytes: cut after a line, with
// what was open closed and a note at its end.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const note = "\n</details>\n\n**This is cut: the whole is in report.md in the run's folder.**\n"
	if most < len(note) {
		return ""
	}
	text = text[:most-len(note)]
	text = text[:strings.LastIndexByte(text, '\n')+1]
	if strings.Count(text, "\n<details>") > strings.Count(text, "\n</details>") {
		return text + note
	}
	return text + strings.TrimPrefix(note, "\n</details>")
}
