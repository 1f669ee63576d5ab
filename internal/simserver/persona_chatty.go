package simserver

// chatty is a gateway that keeps connections open with comments, announces roles
// early and passes on every empty delta of the engine behind it.
func chatty() Persona {
	return Persona{
		Name:  "chatty",
		Doc:   "sends roles before there is a token, comments while it computes, and a delta without text before each with",
		Sound: true,
		bend:  func(c *Config) { c.faults.chatty = true },
	}
}
