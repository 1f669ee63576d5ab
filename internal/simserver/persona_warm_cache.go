package simserver

// warmCache is a deployment that has seen all prompts before, as it has when a
// benchmark is run twice with the same seed.
func warmCache() Persona {
	return Persona{
		Name: "warm-cache",
		Doc:  "finds nine tenths of every prompt in its cache, and skips computing them",
		bend: func(c *Config) {
			c.faults.cached = func(prompt, found int) int { return max(found, prompt*9/10) }
		},
	}
}
