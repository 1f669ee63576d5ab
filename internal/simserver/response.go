package simserver

// A response is the object of a reply that is not streamed, and what the events
// of a stream have in common with it.
type response struct {
	ID                string   `json:"id"`
	Object            string   `json:"object"`
	Created           int64    `json:"created"` // Unix time in seconds
	Model             string   `json:"model"`
	Choices           []choice `json:"choices"`
	SystemFingerprint string   `json:"system_fingerprint"`
	Usage             usage    `json:"usage"`
}

// A choice has a message in a chat and a text in a completion.
type choice struct {
	Index        int      `json:"index"`
	Message      *message `json:"message,omitempty"`
	Text         *string  `json:"text,omitempty"`
	Logprobs     *string  `json:"logprobs"` // always null
	FinishReason string   `json:"finish_reason"`
	StopReason   *string  `json:"stop_reason"` // the stop string, if one ended the reply
	TokenIDs     []int32  `json:"token_ids"`   // always null
}

type message struct {
	Role      string  `json:"role"`
	Content   string  `json:"content"`
	Refusal   *string `json:"refusal"`   // always null
	Reasoning *string `json:"reasoning"` // always null
}

type usage struct {
	PromptTokens     int           `json:"prompt_tokens"`
	TotalTokens      int           `json:"total_tokens"`
	CompletionTokens int           `json:"completion_tokens"`
	PromptDetails    *cachedDetail `json:"prompt_tokens_details"`
}

type cachedDetail struct {
	CachedTokens int `json:"cached_tokens"`
}

// fill adds the reply and its usage. cached is the count to state; nil states
// none.
func (b *response) fill(r *request, said *reply, cached *int) {
	b.Object = "text_completion"
	text := said.text()
	c := choice{FinishReason: said.finish}
	if r.chat {
		b.Object = "chat.completion"
		c.Message = &message{Role: "assistant", Content: text}
	} else {
		c.Text = &text
	}
	if said.stop != "" {
		c.StopReason = &said.stop
	}
	b.Choices = []choice{c}
	b.Usage = usage{
		PromptTokens:     len(r.prompt),
		TotalTokens:      len(r.prompt) + len(said.tokens),
		CompletionTokens: len(said.tokens),
	}
	if cached != nil {
		b.Usage.PromptDetails = &cachedDetail{CachedTokens: *cached}
	}
}
