package simserver

// ignoresIgnoreEOS is an engine whose stop path overlooks ignore_eos and
// min_tokens for most requests.
func ignoresIgnoreEOS() Persona {
	return Persona{
		Name: "ignores-ignore-eos",
		Doc:  "stops where the reply would end by nature, though told not to, on nine requests in ten",
		bend: func(c *Config) {
			c.faults.request = func(r *request) {
				if r.seed%10 != 0 {
					r.ignoreEOS, r.minTokens = false, 0
				}
			}
		},
	}
}
