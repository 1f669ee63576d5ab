package simserver

// evicts is a prefix cache that loses every block before it is asked for again:
// too small, or behind a router that spreads conversations over replicas.
func evicts() Persona {
	return Persona{
		Name: "evicts",
		Doc:  "has a prefix cache, looks everything up in it and never finds anything",
		bend: func(c *Config) {
			c.faults.cached = func(int, int) int { return 0 }
		},
	}
}
