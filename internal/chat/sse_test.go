package chat

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// record is a sink that writes down what it is given.
type record struct{ got []string }

func (r *record) event(name, data []byte) *fault {
	r.got = append(r.got, string(name)+"|"+string(data))
	return nil
}

func (r *record) stray(line []byte) { r.got = append(r.got, "stray "+string(line)) }

func TestFramer(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"one event", "data: a\n\n", []string{"|a"}},
		{"no space, and more than one", "data:a\n\ndata:  b\n\n", []string{"|a", "| b"}},
		{"several lines of data", "data: a\ndata:\ndata: b\n\n", []string{"|a\n\nb"}},
		{"a name", "event: error\ndata: a\n\ndata: b\n\n", []string{"error|a", "|b"}},
		{"carriage returns and line feeds", "event: x\r\ndata: a\r\ndata: b\r\n\r\n", []string{"x|a\nb"}},
		{"carriage returns", "event: x\rdata: a\rdata: b\r\rdata: c\r\r", []string{"x|a\nb", "|c"}},
		{"mixed ends", "data: a\r\n\ndata: b\n\rdata: c\r\r\n", []string{"|a", "|b", "|c"}},
		{"comments and other fields", ":\n: a\nid: 1\nretry: 2\nid\ndata: a\n\n", []string{"|a"}},
		{"a name without data", "event: x\n\ndata: a\n\n", []string{"|a"}},
		{"a field without a colon", "data\n\n", []string{"|"}},
		{"colons in the data", "data: a: b\n\n", []string{"|a: b"}},
		{"a field in other letters", "Data: a\n\n", []string{"stray Data: a"}},
		{"a space before the field", " data: a\n\n", []string{"stray  data: a"}},
		{"the end without a blank line", "data: a\n", []string{"|a"}},
		{"the end within a line", "data: a\ndata: b", []string{"|a\nb"}},
		{"blank lines", "\n\r\n\r\n", nil},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		for size := 1; size <= max(1, len(tt.in)); size++ {
			var r record
			f := framer{sink: &r}
			for rest := tt.in; rest != ""; {
				piece := []byte(rest[:min(size, len(rest))])
				rest = rest[len(piece):]
				f.feed(piece)
				copy(piece, strings.Repeat("!", len(piece)))
			}
			f.end()
			if diff := cmp.Diff(tt.want, r.got); diff != "" {
				t.Errorf("%s, in pieces of %d (-want +got):\n%s", tt.name, size, diff)
			}
		}
	}
}
