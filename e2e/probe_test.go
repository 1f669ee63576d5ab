//go:build e2e

package e2e

import (
	"encoding/json"
	"os/exec"
	"testing"
)

// probed is the part of a probe's report that the tests read.
type probed struct {
	Usable bool
	Target struct {
		Server           string
		ContextTokens    int `json:"context_tokens"`
		KVCapacityTokens int `json:"kv_capacity_tokens"`
	}
	Findings map[string]struct{ Answer, Detail string }
}

// probe asks a server what it is.
func probe(t *testing.T, url string) probed {
	t.Helper()
	var p probed
	out, err := exec.CommandContext(t.Context(), program, "probe", url, "--json").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// allKnown are the answers of a server that can do all that scenarios ask for.
var allKnown = []string{"tokenize", "token-ids", "ignore-eos", "exact-length", "over-limit", "usage-stream", "tools", "metrics"}

// expect compares what a probe found with what is known of the server.
func (p probed) expect(t *testing.T, server string) {
	t.Helper()
	if !p.Usable || p.Target.Server != server || p.Target.ContextTokens == 0 || p.Target.KVCapacityTokens == 0 {
		t.Errorf("usable %v, target %+v", p.Usable, p.Target)
	}
	for _, id := range allKnown {
		if found := p.Findings[id]; found.Answer != "yes" {
			t.Errorf("%s: %+v", id, found)
		}
	}
}
