package simserver

// capsConcurrency is an engine that was started with a small limit on running
// sequences (max_num_seqs) by mistake.
func capsConcurrency() Persona {
	const most = 4
	return Persona{
		Name: "caps-concurrency",
		Doc:  "runs four requests at once, however many come; the others wait for their first byte",
		bend: func(c *Config) { c.Slots = min(c.Slots, most) },
	}
}
