package chat

import (
	"net/http"
	"sync"
)

// Spent is what requests have made the servers compute, by their replies' usage.
type Spent struct {
	Told         int // attempts whose reply states both counts
	Untold       int // attempts that a server may have worked on, and whose reply does not say how much
	PromptTokens int // of those that are told
	OutputTokens int

	// LongestPrompt and LongestOutput are the largest counts of a reply.
	LongestPrompt, LongestOutput int
}

// spending adds up what calls spend.
type spending struct {
	mu       sync.Mutex
	spent    Spent
	inFlight int
}

// TakeSpent returns what the attempts that ended since the last call have spent,
// whoever made them: whatever is sent through this client is in it.
func (c *Client) TakeSpent() Spent {
	c.spending.mu.Lock()
	defer c.spending.mu.Unlock()
	spent := c.spending.spent
	c.spending.spent = Spent{}
	return spent
}

// InFlight is how many calls of Do have begun and not yet returned.
func (c *Client) InFlight() int {
	c.spending.mu.Lock()
	defer c.spending.mu.Unlock()
	return c.spending.inFlight
}

func (s *spending) begin(calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight += calls
}

// add counts one attempt. A request that was not written, or that was refused,
// has cost a server nothing.
func (s *spending) add(r *Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	prompt, output := r.Usage.PromptTokens, r.Usage.OutputTokens
	whole := r.Failure == NoFailure && prompt >= 0 && output >= 0
	switch {
	case whole:
		s.spent.Told++
		s.spent.PromptTokens += prompt
		s.spent.OutputTokens += output
		s.spent.LongestPrompt = max(s.spent.LongestPrompt, prompt)
		s.spent.LongestOutput = max(s.spent.LongestOutput, output)
	case r.Written == 0, r.Failure == ConnectError, refused(r):
	default:
		s.spent.Untold++
	}
}

// refused reports whether a server answered that it will not work on a request.
func refused(r *Reply) bool {
	return r.Failure == HTTPError && (r.Status < http.StatusInternalServerError || r.Status == http.StatusServiceUnavailable)
}
