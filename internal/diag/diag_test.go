package diag

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListString(t *testing.T) {
	list := List{
		{Pos: Pos{"b.yaml", 3, 5}, Message: "second", Source: "    \tkéy: 日本", Width: 3},
		{Pos: Pos{"a.yaml", 12, 3}, Message: "first", Fix: "write concurrency", Source: "  concurency: 4", Width: 10},
		{Pos: Pos{"a.yaml", 12, 3}, Message: "first"},
		{Pos: Pos{File: "c.yaml"}, Severity: Warning, Message: "whole file"},
		{Message: "no file"},
	}
	list.Sort()
	want := `no file
a.yaml:12:3: first
  12 |   concurency: 4
     |   ^^^^^^^^^^
     = fix: write concurrency
b.yaml:3:5: second
   3 |     	kéy: 日本
     |     ^^^
c.yaml: warning: whole file
`
	if diff := cmp.Diff(want, list.String()); diff != "" {
		t.Errorf("diagnostics differ (-want +got):\n%s", diff)
	}
	if !list.HasErrors() {
		t.Error("HasErrors is false with errors in the list")
	}
	if (List{{Severity: Warning}}).HasErrors() {
		t.Error("HasErrors is true with warnings alone")
	}
}

func TestSnippetOfWideAndLongLines(t *testing.T) {
	wide := Diagnostic{Pos: Pos{"a.yaml", 1, 4}, Source: "日本 x", Width: 1}
	if want := "   1 | 日本 x\n     |      ^\n"; wide.Snippet() != want {
		t.Errorf("wide: got %q, want %q", wide.Snippet(), want)
	}
	long := make([]byte, 1000)
	for i := range long {
		long[i] = 'a' + byte(i%26)
	}
	d := Diagnostic{Pos: Pos{"a.yaml", 1, 501}, Source: string(long), Width: 4}
	shown, pad, caret := clip(d.Source, d.Pos.Col, d.Width)
	if got := []rune(shown)[len(pad)]; got != rune(long[500]) || caret != 4 {
		t.Errorf("the caret stands under %q (width %d), want %q (width 4)", got, caret, long[500])
	}
	if got := (Diagnostic{Pos: Pos{"a", 1, 1}, Source: "a\x1b[31mb\rc"}).Snippet(); got != "   1 | a�[31mb�c\n     | ^\n" {
		t.Errorf("control characters are printed: %q", got)
	}
	past := Diagnostic{Pos: Pos{"a.yaml", 1, 99}, Source: "short", Width: 3}
	if want := "   1 | short\n     |      ^\n"; past.Snippet() != want {
		t.Errorf("past the end: got %q, want %q", past.Snippet(), want)
	}
}

func TestNearest(t *testing.T) {
	keys := []string{"concurrency", "checks", "cache", "name", "kind"}
	for _, c := range []struct {
		name, want string
		ok         bool
	}{
		{"concurency", "concurrency", true},
		{"chekcs", "checks", true},
		{"knid", "kind", true},
		{"Name", "name", true},
		{"thinking", "", false},
		{"", "", false},
	} {
		got, ok := Nearest(c.name, keys)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("Nearest(%q) = %q, %v; want %q, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}
