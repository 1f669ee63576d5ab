package chat

import (
	"html"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
)

// maxMessage is the longest message of a server that is passed on, in runes.
const maxMessage = 300

// serverError is what a server says went wrong, in its own words.
type serverError struct{ message, code string }

// errorIn looks for an error in a JSON object that is, or should be, a reply:
// a member "error" that is not null, false, zero, an empty text or list, or the older form
// with the message at the top. found is false if the object carries none.
func errorIn(root gjson.Result) (e serverError, found bool) {
	if v := root.Get("error"); says(v) {
		if v.IsObject() {
			return readError(v), true
		}
		e := readError(root)
		return serverError{OneLine(v.String(), maxMessage), e.code}, true
	}
	if root.Get("object").Str == "error" || root.Get("type").Str == "error" {
		return readError(root), true
	}
	return serverError{}, false
}

// says reports whether a value of a member "error" means that there is one.
func says(v gjson.Result) bool {
	switch v.Type {
	case gjson.Null, gjson.False:
		return false
	case gjson.String:
		return strings.TrimSpace(v.Str) != ""
	case gjson.Number:
		return v.Num != 0
	}
	return !v.IsArray() || len(v.Array()) > 0
}

// readError reads the members of an error object.
func readError(v gjson.Result) serverError {
	var e serverError
	for _, name := range []string{"message", "detail", "msg", "error_description", "title", "reason"} {
		if e.message = messageText(v.Get(name)); e.message != "" {
			break
		}
	}
	for _, name := range []string{"code", "type", "status", "statusCode"} {
		if c := v.Get(name); says(c) && (c.Type == gjson.String || c.Type == gjson.Number) {
			e.code = OneLine(c.String(), 60)
			break
		}
	}
	return e
}

// messageText is a message that is a string, an object around one, or a list of
// validation errors.
func messageText(v gjson.Result) string {
	switch {
	case v.Type == gjson.String:
		return OneLine(v.Str, maxMessage)
	case v.IsArray():
		var all []string
		for _, one := range v.Array() {
			if m := messageText(one); m != "" {
				all = append(all, m)
			}
		}
		return OneLine(strings.Join(all, "; "), maxMessage)
	case v.IsObject():
		return readError(v).message
	}
	return ""
}

// errorInBody reduces the body of an HTTP error to the server's message: JSON of
// any of the known shapes, the title of an HTML page, or plain text.
func errorInBody(body []byte) serverError {
	s := strings.TrimSpace(string(body))
	if validJSON(s) {
		root := gjson.Parse(s)
		if root.IsArray() {
			root = root.Get("0")
		}
		if e, found := errorIn(root); found && e.message != "" {
			return e
		}
		if root.IsObject() {
			if e := readError(root); e.message != "" {
				return e
			}
		}
	}
	if strings.HasPrefix(s, "<") {
		return serverError{message: htmlTitle(s)}
	}
	return serverError{message: OneLine(s, maxMessage)}
}

// htmlTitle is the title of a page, or a word for a page without one.
func htmlTitle(page string) string {
	lower := strings.ToLower(page)
	if len(lower) == len(page) {
		if start := strings.Index(lower, "<title"); start >= 0 {
			if open := strings.IndexByte(lower[start:], '>'); open >= 0 {
				title := page[start+open+1:]
				title, _, _ = strings.Cut(title, "<")
				if title = OneLine(html.UnescapeString(title), maxMessage); title != "" {
					return title
				}
			}
		}
	}
	return "an HTML page"
}

// OneLine makes a text of unknown origin fit to be printed: runs of white space
// and of what cannot be printed become one space, and what is over limit runes
// is cut off.
func OneLine(s string, limit int) string {
	var out strings.Builder
	n, gap := 0, false
	for _, r := range s {
		if !unicode.IsPrint(r) || r == ' ' {
			gap = n > 0
			continue
		}
		if n >= limit {
			out.WriteString("…")
			break
		}
		if gap {
			out.WriteByte(' ')
			n, gap = n+1, false
		}
		out.WriteRune(r)
		n++
	}
	return out.String()
}
