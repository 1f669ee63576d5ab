package simserver

// oneAnswer is an engine whose attention is gone: the prompt no longer matters.
func oneAnswer() Persona {
	return Persona{
		Name: "one-answer",
		Doc:  "gives every prompt the same well-formed text",
		bend: func(c *Config) {
			c.faults.request = func(r *request) { r.seed = 1 }
		},
	}
}
