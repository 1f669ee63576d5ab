package simserver

// keepsCache is a server that cannot empty its prefix cache while blocks of it are
// held, and does not say so.
func keepsCache() Persona {
	return Persona{
		Name:  "keeps-cache",
		Doc:   "takes the order to empty its prefix cache, and does not do it",
		Sound: true,
		bend:  func(c *Config) { c.faults.keepCache = true },
	}
}
