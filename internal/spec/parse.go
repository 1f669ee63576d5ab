package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"

	"scenario/internal/diag"
)

// parse reads one YAML file into a tree. The tree is nil when there is none; it
// may be there along with faults. What is the word for a whole file of this sort.
func parse(file string, src []byte, what string, f *faults) *node {
	text, list := decodeText(file, src)
	if list != nil {
		f.list = append(f.list, list...)
		return nil
	}
	s := newSource(file, text)
	documents, err := documents(text)
	if err != nil {
		f.note(syntaxFault(s, err))
		return nil
	}
	if len(documents) == 0 || empty(documents[0]) && len(documents) == 1 {
		f.note(diag.Diagnostic{Pos: diag.Pos{File: file}, Message: "there is no " + what + " in this file"})
		return nil
	}
	if len(documents) > 1 {
		second := documents[1]
		f.note(s.diagnose(place{second.Line, second.Column}, 3,
			"a second YAML document starts here: a file holds one "+what, "split the file, or remove the ---"))
		return nil
	}
	b := newBuilder(s, f)
	root := b.tree(documents[0].Content[0])
	if b.left < 0 {
		return nil
	}
	if root.form != mapForm {
		f.add(root, fmt.Sprintf("a %s file is a mapping (name: …), this is %s", what, root.found()), "")
		return nil
	}
	return root
}

// documents parses the text into at most two documents; two are one too many.
func documents(text string) (found []*yaml.Node, err error) {
	// The parser panics on some malformed inputs; for a file that is an error.
	defer func() {
		if cause := recover(); cause != nil {
			found, err = nil, fmt.Errorf("yaml: %v", cause)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	for len(found) < 2 {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		found = append(found, &document)
	}
	return found, nil
}

// empty reports whether a document holds nothing.
func empty(document *yaml.Node) bool {
	return len(document.Content) == 0 ||
		document.Content[0].Kind == yaml.ScalarNode && document.Content[0].Style == 0 && document.Content[0].Value == ""
}
