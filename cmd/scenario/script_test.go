package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// status runs a program and wants an exit status: status 3 scenario run …
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// jsonValue wants a value in a JSON file: json FILE path value. The file may be a
// pattern of one file; a value "*" means that there is one, whatever it is.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE path value")
	}
	data := ts.ReadFile(one(ts, args[0]))
	if !gjson.Valid(data) {
		ts.Fatalf("%s is not valid JSON", args[0])
	}
	got := gjson.Get(data, args[1])
	ok := got.String() == args[2] || args[2] == "*" && got.Exists()
	if ok == neg {
		ts.Fatalf("%s is %s, want %s", args[1], got.Raw, args[2])
	}
}

// one is the only file that a pattern matches.
func one(ts *testscript.TestScript, pattern string) string {
	files, err := filepath.Glob(ts.MkAbs(pattern))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("%s: %d files", pattern, len(files))
	}
	return files[0]
}

// holds wants a text in a file: holds FILE text.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: holds FILE text")
	}
	if strings.Contains(ts.ReadFile(one(ts, args[0])), args[1]) == neg {
		ts.Fatalf("%s: holds %q is %v", args[0], args[1], neg)
	}
}

// private wants that a folder and its files are their owner's alone and hold
// none of some texts: private DIR text…
func private(ts *testscript.TestScript, neg bool, args []string) {
	root := one(ts, args[0])
	ts.Check(filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			ts.Fatalf("%s has mode %v", path, info.Mode())
		}
		if info.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		for _, secret := range args[1:] {
			if strings.Contains(string(data), secret) {
				ts.Fatalf("%s holds %q", path, secret)
			}
		}
		return err
	}))
}

// same wants two files to hold the same: same FILE FILE.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	if a, b := ts.ReadFile(one(ts, args[0])), ts.ReadFile(one(ts, args[1])); (a == b) == neg {
		ts.Fatalf("%s holds\n%s\n%s holds\n%s", args[0], a, args[1], b)
	}
}
