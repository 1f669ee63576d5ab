package report

import (
	"encoding/json"
	"strings"
)

// Redactor takes secrets out of what is written.
type Redactor interface {
	String(string) string
}

// redactJSON takes secrets out of the string values of a JSON text. Keys are the
// file's own words, and stay: a header's value may be the same word as one of them.
func redactJSON(data string, redact Redactor) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(data, '"')
		if open < 0 {
			b.WriteString(data)
			return b.String()
		}
		end := open + 1
		for end < len(data) && data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(data))
		inside, rest := data[open+1:end], data[min(end+1, len(data)):]
		b.WriteString(data[:open+1])
		if strings.HasPrefix(strings.TrimLeft(rest, " "), ":") {
			b.WriteString(inside)
		} else {
			b.WriteString(redactInside(inside, redact))
		}
		b.WriteString(data[end : len(data)-len(rest)])
		data = rest
	}
}

// redactInside takes secrets out of what stands between the quotes of a string.
// One that ends in a backslash, say, could take half of an escape with it: then
// the text is redacted as it is meant, and written anew.
func redactInside(inside string, redact Redactor) string {
	out := redact.String(inside)
	if out == inside || json.Valid([]byte(`"`+out+`"`)) {
		return out
	}
	var meant string
	if json.Unmarshal([]byte(`"`+inside+`"`), &meant) != nil {
		return out
	}
	again, err := json.Marshal(redact.String(meant))
	if err != nil {
		return out
	}
	return string(again[1 : len(again)-1])
}
