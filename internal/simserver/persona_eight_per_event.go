package simserver

// eightPerEvent is an engine with a stream interval, or one that speculates well.
func eightPerEvent() Persona {
	const tokens = 8
	return Persona{
		Name:  "eight-per-event",
		Doc:   "sends eight tokens in each event",
		Sound: true,
		bend:  func(c *Config) { c.StreamInterval = tokens },
	}
}
