package simserver

// wrongUnderLoad is an attention kernel that is right for small batches only: what
// it says in larger ones are words, and no answer.
func wrongUnderLoad() Persona {
	const right = 4 // sequences in a batch
	return Persona{
		Name: "wrong-under-load",
		Doc:  "answers rightly while at most four requests run and says words without meaning while more do",
		bend: func(c *Config) {
			words := newTokenizer().words
			c.faults.token = func(q *sequence, running int) {
				if running <= right {
					return
				}
				at := int(q.said.Load())
				pick := int(mix(q.request.seed+uint64(at)) % uint64(len(words)/4))
				q.reply.tokens[at].text = words[4*pick+spaced]
			}
		},
	}
}
