package target

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/tidwall/gjson"
)

// Fingerprint is what tells one server process from another. What a server does
// not say is empty, and never compared.
type Fingerprint struct {
	Server        string `json:"server" doc:"the software"`
	Version       string `json:"version,omitempty" doc:"its version"`
	Model         string `json:"model" doc:"the model that requests name"`
	Listed        bool   `json:"listed" doc:"the server lists that model"`
	ModelRoot     string `json:"model_root,omitempty" doc:"where the model was loaded from"`
	OwnedBy       string `json:"owned_by,omitempty" doc:"who owns the model, as listed"`
	ContextTokens int    `json:"context_tokens,omitempty" doc:"longest prompt and output together"`
	ProcessStart  string `json:"process_start,omitempty" doc:"when the process started, as it states it: seconds since 1970, or llama.cpp's own count"`
}

// States reports whether the server states anything that can show a change.
func (f Fingerprint) States() bool {
	return f.Listed || f.Version != "" || f.ContextTokens > 0 || f.ProcessStart != ""
}

// Identify takes the fingerprint of the server behind one base URL, by a look at
// its models, its version and, where facts say that there are, its metrics. It
// sends nothing that the server would have to compute. The error says that the
// server did not answer; what it answers otherwise is no error.
func Identify(ctx context.Context, client Client, endpoint int, facts *Facts) (Fingerprint, error) {
	print, err := identify(ctx, client, endpoint, facts)
	if err != nil {
		return print, err
	}
	for _, at := range facts.MetricsAt {
		if at.Endpoint != endpoint {
			continue
		}
		if page, header, err := scrapeCounters(ctx, client, at.Endpoint, at.Path); err == nil {
			print.ProcessStart = page.processStart(header)
		}
	}
	return print, ctx.Err()
}

// identify is Identify without the metrics.
func identify(ctx context.Context, client Client, endpoint int, facts *Facts) (Fingerprint, error) {
	print := Fingerprint{Server: facts.Server, Model: facts.Model}
	status, _, body, err := get(ctx, client, endpoint, "models")
	switch {
	case err != nil && status == 0:
		return print, err
	case status >= http.StatusInternalServerError || status == http.StatusTooManyRequests:
		return print, fmt.Errorf("GET models answers %d", status)
	}
	for _, m := range gjson.GetBytes(body, "data").Array() {
		if m.Get("id").String() == facts.Model {
			print.Listed = true
			print.ModelRoot, print.OwnedBy = m.Get("root").String(), m.Get("owned_by").String()
			print.ContextTokens = int(m.Get("max_model_len").Int())
		}
	}
	version, context := askVersion(ctx, client, endpoint, facts.Server)
	print.Version = version
	if context > 0 {
		print.ContextTokens = context
	}
	return print, ctx.Err()
}

// processStartName is the metric of Prometheus's client libraries.
const processStartName = "process_start_time_seconds"

// processStart is when the server's process started, as its metrics page or the
// header of that page states it.
func (e exposition) processStart(header http.Header) string {
	if start, known := e.most(processStartName).Number(); known {
		return strconv.FormatFloat(start, 'f', -1, 64)
	}
	return header.Get("Process-Start-Time-Unix")
}

// Changed names what differs between two fingerprints of one base URL, each with
// both values; nil if they can be of one process. What one of the two does not
// state is not compared, save that a model is no longer listed.
func Changed(before, after Fingerprint) []string {
	var changes []string
	for _, part := range []struct{ name, before, after string }{
		{"server", before.Server, after.Server},
		{"version", before.Version, after.Version},
		{"model", before.Model, after.Model},
		{"model root", before.ModelRoot, after.ModelRoot},
		{"owner of the model", before.OwnedBy, after.OwnedBy},
		{"context", number(before.ContextTokens), number(after.ContextTokens)},
		{"process start", before.ProcessStart, after.ProcessStart},
	} {
		if part.before != part.after && part.before != "" && part.after != "" {
			changes = append(changes, fmt.Sprintf("%s (%s before, %s after)", part.name, part.before, part.after))
		}
	}
	if before.Listed && !after.Listed {
		changes = append(changes, fmt.Sprintf("model %q is no longer listed", before.Model))
	}
	return changes
}

// number is a count in words; empty where it is not known.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
