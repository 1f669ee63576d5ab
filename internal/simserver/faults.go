package simserver

import "time"

// faults are the places where a persona can bend a healthy server. Each is
// optional. They keep no state of their own, since one Config may start several
// servers: what changes from request to request is in their arguments.
type faults struct {
	// refuse answers a valid request with an error instead of a reply.
	refuse func(load) *apiError

	// request changes a valid request before its reply is planned.
	request func(*request)

	// reply changes the planned tokens in place; how many there are stays.
	reply func([]token)

	// token changes the token that a sequence is about to say while so many run.
	token func(q *sequence, running int)

	// meet may exchange the texts of a sequence that begins with those of one
	// that runs.
	meet func(running []*sequence, q *sequence)

	// cached says how many of the prompt's tokens count as cached, given how
	// many are. Only whole blocks do.
	cached func(prompt, found int) int

	// slow is how long a step takes that should take so long, after the engine
	// has generated so many tokens.
	slow func(step time.Duration, generated int64) time.Duration

	// foreign tells whether someone else's request of the same size comes with
	// this one.
	foreign func(load) bool

	// dieAfter is the number of requests after which the next one kills the
	// server, restartAfter after which it restarts the process that counts.
	// Zero: none does.
	dieAfter, restartAfter int

	// keepCache leaves the prefix cache as it is when it is to be emptied.
	keepCache bool

	// buffered holds a stream back until it is whole.
	buffered bool

	// usageLast states usage in the event with the finish reason.
	usageLast bool

	// chatty adds events without text, and comments.
	chatty bool
}

// load is what a server was doing when a request came in.
type load struct {
	number   int // of the request, from 1, over the life of the server
	inFlight int // generations begun and not yet answered, this one included
}
