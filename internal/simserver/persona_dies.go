package simserver

// dies is an engine that crashes in the middle of its work.
func dies() Persona {
	const after = 40
	return Persona{
		Name: "dies",
		Doc:  "crashes at the 41st generation: streams are reset, and connections refused from then on",
		bend: func(c *Config) { c.faults.dieAfter = after },
	}
}
