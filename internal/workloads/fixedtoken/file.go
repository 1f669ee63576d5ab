package fixedtoken

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"scenario/internal/chat"
	"scenario/internal/diag"
	"scenario/internal/engine"
	"scenario/internal/spec"
)

// filePrompts are the user's own prompts, in the order of the file, again from its
// start when all have been sent.
type filePrompts struct {
	lines []prompt
	data  engine.Dataset
}

func (f *filePrompts) prompt(at engine.Place) prompt {
	n := len(f.lines)
	return f.lines[((at.Prompt().Ordinal%n)+n)%n]
}

// mostFileBytes bounds a file of prompts.
const mostFileBytes = 1 << 30

// readPrompts reads the file at a path that is relative to a folder.
func readPrompts(at spec.At, folder string, api chat.API) (*filePrompts, diag.List) {
	path := at.Text().String()
	if path == "" {
		return nil, diag.List{at.Diagnose("the file has no name", "file: prompts.jsonl")}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	data, err := readFile(path)
	if err != nil {
		return nil, diag.List{at.Diagnose(fmt.Sprintf("the file %s can't be read: %v", path, err), "the path is relative to the scenario's folder")}
	}
	r := &promptReader{file: path, api: api}
	r.read(data)
	switch {
	case len(r.faults) > 0:
		return nil, r.faults
	case len(r.prompts) == 0:
		return nil, diag.List{at.Diagnose(fmt.Sprintf("the file %s has no prompts", path), `one JSON object per line: {"prompt": "…"}`)}
	}
	sum := sha256.Sum256(data)
	return &filePrompts{r.prompts, engine.Dataset{File: at.Text().String(), SHA256: hex.EncodeToString(sum[:]), Prompts: len(r.prompts)}}, nil
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		var reason *os.PathError
		if errors.As(err, &reason) {
			err = reason.Err
		}
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a folder")
	case info.Size() > mostFileBytes:
		return nil, fmt.Errorf("it has %d bytes, more than %d", info.Size(), mostFileBytes)
	}
	return os.ReadFile(path)
}
