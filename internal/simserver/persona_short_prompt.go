package simserver

// shortPrompt is a server that makes a long prompt fit by forgetting its
// beginning.
func shortPrompt() Persona {
	const limit = 128 // tokens that are never cut
	return Persona{
		Name: "short-prompt",
		Doc:  "drops the first half of a prompt over 128 tokens, answers 200 and counts what is left",
		bend: func(c *Config) {
			c.faults.request = func(r *request) {
				kept := max(limit, len(r.prompt)/2)
				if len(r.prompt) > kept {
					r.prompt = r.prompt[len(r.prompt)-kept:]
				}
			}
		},
	}
}
