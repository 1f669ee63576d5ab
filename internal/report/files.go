package report

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"scenario/internal/engine"
)

// Files keeps a run in a folder of its own:
//
//	result.json     the whole result, valid at every moment
//	requests.jsonl  one line per measured request, as each is finished
//	junit.xml       the verdict for CI, valid at every moment
//	scenario.yaml   the scenario as it was run
//
// Folder and files are readable by their owner alone. It implements engine.Store.
type Files struct {
	Dir    string
	redact Redactor
	lines  *os.File
}

// NewFiles makes the folder, which must not exist yet, and writes the scenario.
func NewFiles(dir string, resolved []byte, redact Redactor) (*Files, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	f := &Files{Dir: dir, redact: redact}
	if err := f.write("scenario.yaml", redact.String(string(resolved))); err != nil {
		return nil, err
	}
	lines, err := os.OpenFile(filepath.Join(dir, "requests.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	f.lines = lines
	return f, nil
}

// Request implements engine.Store: one write per line, so that a crash loses none.
func (f *Files) Request(line engine.RequestLine) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f.lines, redactJSON(string(data), f.redact)+"\n")
	return err
}

// Result implements engine.Store: the file is replaced in one step.
func (f *Files) Result(r *engine.Result) error {
	data, err := JSON(r, f.redact)
	if err != nil {
		return err
	}
	if err := f.write("result.json", string(data)+"\n"); err != nil {
		return err
	}
	var junit strings.Builder
	if err := JUnit(&junit, Judged{r, f.redact}); err != nil {
		return err
	}
	return f.write("junit.xml", junit.String())
}

// JSON is a result as it is stored, without secrets.
func JSON(r *engine.Result, redact Redactor) ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return []byte(redactJSON(string(data), redact)), err
}

// Close closes the file of requests.
func (f *Files) Close() error {
	return f.lines.Close()
}

// write replaces a file in one step, so that no reader ever sees half of it.
func (f *Files) write(name, text string) error {
	temporary, err := os.CreateTemp(f.Dir, "."+name+"-*")
	if err != nil {
		return err
	}
	_, err = io.WriteString(temporary, text)
	err = errors.Join(err, temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), filepath.Join(f.Dir, name))
	}
	if err != nil {
		os.Remove(temporary.Name())
	}
	return err
}
