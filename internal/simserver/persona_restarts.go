package simserver

// restarts is an engine process that a supervisor replaces during the test, behind
// a proxy that carries the open requests over.
func restarts() Persona {
	const after = 20
	return Persona{
		Name: "restarts",
		Doc:  "is a new process from the 21st generation on: its start time is later and its counters begin at zero, though no request fails",
		bend: func(c *Config) { c.faults.restartAfter = after },
	}
}
