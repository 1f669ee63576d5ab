package simserver

// swappedStreams is an engine that mixes up the rows of a batch when it hands out
// tokens.
func swappedStreams() Persona {
	return Persona{
		Name: "swapped-streams",
		Doc:  "gives two requests that run at the same time each other's text, token by token",
		bend: func(c *Config) {
			c.faults.meet = func(running []*sequence, q *sequence) {
				for _, other := range running {
					if !other.swapped && !q.swapped {
						swapTexts(other, q)
					}
				}
			}
		},
	}
}

// swapTexts exchanges what two sequences have yet to say.
func swapTexts(a, b *sequence) {
	a.swapped, b.swapped = true, true
	first, second := a.reply.tokens[a.said.Load():], b.reply.tokens[b.said.Load():]
	for i := range min(len(first), len(second)) {
		first[i].text, second[i].text = second[i].text, first[i].text
	}
}
