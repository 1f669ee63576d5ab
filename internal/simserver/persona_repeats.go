package simserver

// repeats is a KV cache that turns to NaN: after a few good words the model
// says token 0 of its alphabet for ever, at full speed, and never stops.
func repeats() Persona {
	const good = 6 // tokens, enough that no two prompts begin alike
	return Persona{
		Name: "repeats",
		Doc:  "falls into an endless run of exclamation marks after six good tokens",
		bend: func(c *Config) {
			c.faults.request = func(r *request) { r.ignoreEOS = true }
			c.faults.reply = func(tokens []token) {
				for i := min(good, len(tokens)); i < len(tokens); i++ {
					tokens[i] = punctuation("!")
				}
			}
		},
	}
}
