package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"unicode/utf8"

	"scenario/internal/diag"
)

// maxSize is the largest file that is read, in bytes. A scenario is written by
// hand; a megabyte is some other file.
const maxSize = 1 << 20

// ReadFile reads a scenario or baseline file. What keeps it from being read is a
// diagnostic without a line.
func ReadFile(path string) ([]byte, diag.List) {
	refuse := func(message, fix string) ([]byte, diag.List) {
		return nil, diag.List{{Pos: diag.Pos{File: path}, Message: message, Fix: fix}}
	}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refuse("there is no such file", "")
	case errors.Is(err, fs.ErrPermission):
		return refuse("this file may not be read: permission denied", "")
	case err != nil:
		return refuse("this file can't be opened: "+reason(err), "")
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return refuse("this is a directory, not a file", "name the YAML file in it")
	}
	src, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return refuse("this file can't be read: "+reason(err), "")
	}
	return src, nil
}

// reason is an error without the operation and the path around it.
func reason(err error) string {
	if number := syscall.Errno(0); errors.As(err, &number) {
		return number.Error()
	}
	return err.Error()
}

// decodeText turns a file's bytes into clean text, or says what the bytes are
// instead. A byte order mark before UTF-8 is dropped.
func decodeText(file string, src []byte) (string, diag.List) {
	whole := func(message, fix string) (string, diag.List) {
		return "", diag.List{{Pos: diag.Pos{File: file}, Message: message, Fix: fix}}
	}
	switch {
	case len(src) > maxSize:
		return whole(fmt.Sprintf("the file is larger than %d bytes", maxSize), "")
	case bytes.HasPrefix(src, []byte{0xff, 0xfe}), bytes.HasPrefix(src, []byte{0xfe, 0xff}), zeroesAlternate(src):
		return whole("the file is encoded in UTF-16", "save it as UTF-8")
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	line, col := 1, 1
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if message := refused(r, size, src[i]); message != "" {
			return "", diag.List{{Pos: diag.Pos{File: file, Line: line, Col: col}, Message: message}}
		}
		i += size
		switch r {
		case '\r':
			if i < len(src) && src[i] == '\n' {
				break // the \n counts
			}
			line, col = line+1, 1
		case '\n', '\u0085', '\u2028', '\u2029':
			line, col = line+1, 1
		default:
			col++
		}
	}
	return string(src), nil
}

// refused says why a rune can't stand in a YAML file, empty if it can.
func refused(r rune, size int, first byte) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("byte 0x%02x is not UTF-8", first)
	case r == 0:
		return "a NUL byte: this is not a text file"
	case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f, r >= 0x80 && r < 0xa0 && r != 0x85:
		return fmt.Sprintf("control character U+%04X: it can't stand in YAML", r)
	case r == 0xfeff:
		return "a byte order mark inside the file: remove it"
	case r == 0xfffe, r == 0xffff:
		return fmt.Sprintf("U+%04X is not a character", r)
	}
	return ""
}

// zeroesAlternate reports whether ASCII text in UTF-16 without a byte order mark
// is the likely reading of src.
func zeroesAlternate(src []byte) bool {
	if len(src) < 4 {
		return false
	}
	return src[0] == 0 && src[1] != 0 && src[2] == 0 && src[3] != 0 ||
		src[0] != 0 && src[1] == 0 && src[2] != 0 && src[3] == 0
}
