package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestEncoding(t *testing.T) {
	wide := func(order func(uint16) []byte, text string) []byte {
		var out []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			out = append(out, order(unit)...)
		}
		return out
	}
	little := func(u uint16) []byte { return []byte{byte(u), byte(u >> 8)} }
	big := func(u uint16) []byte { return []byte{byte(u >> 8), byte(u)} }
	for name, c := range map[string]struct {
		src  []byte
		want string
	}{
		"UTF-16 little":           {wide(little, "\ufeffname: x\n"), "a.yaml: the file is encoded in UTF-16"},
		"UTF-16 big":              {wide(big, "\ufeffname: x\n"), "a.yaml: the file is encoded in UTF-16"},
		"UTF-16 without a mark":   {wide(little, "name: x\n"), "a.yaml: the file is encoded in UTF-16"},
		"NUL":                     {[]byte("name: x\nab\x00"), "a.yaml:2:3: a NUL byte: this is not a text file"},
		"escape":                  {[]byte("é: \x1b[31m"), "a.yaml:1:4: control character U+001B: it can't stand in YAML"},
		"delete":                  {[]byte("a: \x7f"), "a.yaml:1:4: control character U+007F: it can't stand in YAML"},
		"Latin-1":                 {[]byte("name: caf\xe9\n"), "a.yaml:1:10: byte 0xe9 is not UTF-8"},
		"after every line end":    {[]byte("a\rb\r\nc\u0085d\u2028e\u2029 \x01"), "a.yaml:6:2: control character U+0001: it can't stand in YAML"},
		"mark inside":             {[]byte("a: \ufeffb"), "a.yaml:1:4: a byte order mark inside the file: remove it"},
		"no character":            {[]byte("a: \uffff"), "a.yaml:1:4: U+FFFF is not a character"},
		"a megabyte and one byte": {[]byte(strings.Repeat("#", maxSize+1)), "a.yaml: the file is larger than 1048576 bytes"},
		"a megabyte":              {[]byte(strings.Repeat("#", maxSize)), "a.yaml: there is no scenario in this file"},
		"only a mark":             {[]byte("\xef\xbb\xbf"), "a.yaml: there is no scenario in this file"},
	} {
		s, list := Load("a.yaml", c.src, options())
		if s != nil || len(list) != 1 || list[0].Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", name, list, c.want)
		}
	}
	s, list := loadText("\xef\xbb\xbf"+twoPhases, options())
	if s == nil {
		t.Errorf("a byte order mark is not tolerated:\n%s", list)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.yaml")
	if err := os.WriteFile(file, []byte("name: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if src, list := ReadFile(file); string(src) != "name: x\n" || list != nil {
		t.Errorf("got %q, %v", src, list)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "no.yaml"): "there is no such file",
		dir:                           "this is a directory, not a file",
		filepath.Join(file, "below"):  "this file can't be opened: not a directory",
		"":                            "there is no such file",
	} {
		src, list := ReadFile(path)
		if src != nil || len(list) != 1 || list[0].Message != want || list[0].Pos.File != path || list[0].Pos.Line != 0 {
			t.Errorf("%s: got %q, %v; want %q", path, src, list, want)
		}
	}
	if err := os.Truncate(file, 3*maxSize); err != nil {
		t.Fatal(err)
	}
	if src, list := ReadFile(file); len(src) != maxSize+1 || list != nil {
		t.Errorf("of a file that is too large %d bytes are read, want one too many (%v)", len(src), list)
	}
}
