package simserver

// lostText is a reasoning or tool parser that takes most of the reply for its own
// and gives it to nobody.
func lostText() Persona {
	const kept = 24 // one token in so many
	return Persona{
		Name: "lost-text",
		Doc:  "counts all of its tokens in usage and loses the text of 23 in 24",
		bend: func(c *Config) {
			c.faults.reply = func(tokens []token) {
				for i := range tokens {
					if i%kept != 0 {
						tokens[i].text = ""
					}
				}
			}
		},
	}
}
