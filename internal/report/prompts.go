package report

import (
	"fmt"

	"scenario/internal/engine"
)

// prompts says where a phase's prompts come from, if they are no token ids.
func prompts(p *engine.PhaseResult) []string {
	var lines []string
	if f := p.Prompts; f != nil {
		by := map[string]string{
			"tokenize":       "the target's tokenizer, which agrees with its usage",
			"tokenize-alone": "the target's tokenizer; its replies state no usage",
			"usage":          "the usage of requests for one token",
		}[f.By]
		lines = append(lines, fmt.Sprintf("texts of %d ± %d tokens, by %s; %d of them stand around the text", f.Tokens, f.Tolerance, by, f.Around))
	}
	if d := p.Data; d != nil {
		lines = append(lines, fmt.Sprintf("%d prompts of %s, sha256 %.12s…", d.Prompts, d.File, d.SHA256))
	}
	return lines
}
