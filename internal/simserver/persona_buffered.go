package simserver

// buffered is a proxy with response buffering on, between the server and its
// users.
func buffered() Persona {
	return Persona{
		Name: "buffered",
		Doc:  "holds each stream back until its last token and then sends it in one burst",
		bend: func(c *Config) { c.faults.buffered = true },
	}
}
