package simserver

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

	// cached says how many of the prompt's tokens count as cached, given how
	// many are. Only whole blocks do.
	cached func(prompt, found int) int

	// dieAfter is the number of requests after which the next one kills the
	// server. Zero: none does.
	dieAfter int
}

// load is what a server was doing when a request came in.
type load struct {
	number   int // of the request, from 1, over the life of the server
	inFlight int // generations begun and not yet answered, this one included
}
