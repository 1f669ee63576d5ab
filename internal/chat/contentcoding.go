package chat

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

// plainBody is the body of a response without its content coding. Servers are
// told to use none; gzip is undone all the same, for a gateway that does not
// listen. Any other coding is named, and the body of no use.
func plainBody(resp *http.Response) (body io.Reader, unknown string) {
	coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	switch coding {
	case "", "identity":
		return resp.Body, ""
	case "gzip", "x-gzip":
		return &gunzip{packed: resp.Body}, ""
	}
	return nil, `"` + OneLine(coding, 40) + `"`
}

// gunzip unpacks a stream. It reads nothing before it is read from, as the header
// of the packed stream may come late.
type gunzip struct {
	packed io.Reader
	plain  *gzip.Reader
}

func (g *gunzip) Read(p []byte) (int, error) {
	if g.plain == nil {
		plain, err := gzip.NewReader(g.packed)
		if err != nil {
			return 0, err
		}
		g.plain = plain
	}
	return g.plain.Read(p)
}
