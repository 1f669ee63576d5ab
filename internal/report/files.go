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
//	report.md       the same for people, as Markdown
//	junit.xml       the same for CI servers
//	requests.jsonl  one line per measured request, as each is finished
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
	if err := f.write(file{"scenario.yaml", redact.String(string(resolved))}); err != nil {
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

// Result implements engine.Store: the files are replaced, each in one step, or
// none of them is.
func (f *Files) Result(r *engine.Result) error {
	data, err := JSON(r, f.redact)
	if err != nil {
		return err
	}
	clean, err := decode(data)
	if err != nil {
		return err
	}
	var markdown, junit strings.Builder
	if err := errors.Join(Markdown(&markdown, clean), JUnit(&junit, clean)); err != nil {
		return err
	}
	return f.write(file{"report.md", markdown.String()}, file{"junit.xml", junit.String()}, file{"result.json", string(data) + "\n"})
}

// JSON is a result as it is stored, without secrets.
func JSON(r *engine.Result, redact Redactor) ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return []byte(redactJSON(string(data), redact)), err
}

// Clean is a result without secrets, as reports are made from: what would be read
// from its result.json.
func Clean(r *engine.Result, redact Redactor) (*engine.Result, error) {
	data, err := JSON(r, redact)
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// decode reads a result that this program has just encoded.
func decode(data []byte) (*engine.Result, error) {
	r := new(engine.Result)
	return r, json.Unmarshal(data, r)
}

// Close closes the file of requests.
func (f *Files) Close() error {
	return f.lines.Close()
}

// file is a file of the folder and its text.
type file struct{ name, text string }

// write replaces files, each in one step, so that no reader ever sees half of one.
// None is replaced before all are on disk.
func (f *Files) write(files ...file) error {
	var temporary []string
	defer func() {
		for _, path := range temporary {
			os.Remove(path) // gone, if it has been renamed
		}
	}()
	for _, one := range files {
		t, err := os.CreateTemp(f.Dir, "."+one.name+"-*")
		if err != nil {
			return err
		}
		temporary = append(temporary, t.Name())
		_, err = io.WriteString(t, one.text)
		if err := errors.Join(err, t.Close()); err != nil {
			return err
		}
	}
	for i, one := range files {
		if err := os.Rename(temporary[i], filepath.Join(f.Dir, one.name)); err != nil {
			return err
		}
	}
	return nil
}
