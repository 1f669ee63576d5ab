package simserver

// usageLast is a server that is no vLLM: many state usage with the finish reason.
func usageLast() Persona {
	return Persona{
		Name:  "usage-last",
		Doc:   "states usage in the event with the finish reason, and in no other",
		Sound: true,
		bend:  func(c *Config) { c.faults.usageLast = true },
	}
}
