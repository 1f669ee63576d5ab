package simserver

// foreignTraffic is a deployment that somebody else uses during the test.
func foreignTraffic() Persona {
	const every = 5 // of our requests
	return Persona{
		Name: "foreign-traffic",
		Doc:  "gets a request of the same size from another user with every fifth request, so that its counters move by a fifth more",
		bend: func(c *Config) {
			c.faults.foreign = func(now load) bool { return now.number%every == 0 }
		},
	}
}
