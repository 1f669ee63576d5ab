package chat

import "time"

// Stamp is a moment on the client's clock: nanoseconds since the clock started.
// Stamps only mean something beside stamps of the same clock. Zero is "never".
type Stamp int64

// Sub is the time from u to s.
func (s Stamp) Sub(u Stamp) time.Duration { return time.Duration(s - u) }

// API is the endpoint a request goes to.
type API uint8

// The two endpoints of an OpenAI-compatible server.
const (
	Completions API = iota
	Chat
)

// Request is one call, ready to be written: the body is built, and serialised,
// before the clock starts.
type Request struct {
	API      API
	Endpoint int // index of the base URL
	Body     []byte
	Stream   bool // what Body asks for: server-sent events, or one JSON object
	Retries  int  // attempts beyond the first, on 429, 502 to 504, failed connects and connections lost before the first byte
	// MaxRetryWait is the longest wait between two attempts that a server may ask
	// for; a longer one ends the call. 0: as long as the request timeout lets it.
	MaxRetryWait time.Duration
}

// Failure is what went wrong with a request as a whole.
type Failure uint8

// The failures of a request. None of them ever becomes a figure.
const (
	NoFailure    Failure = iota
	HTTPError            // a status other than 200
	ConnectError         // the connection could not be opened, or TLS refused
	Timeout              // one of the four timeouts
	StreamBroken         // the reply was cut, malformed, empty, carried an error or was aborted by the server
	ClientError          // this machine: out of descriptors, ports or memory
	Canceled             // the run was stopped; not a fault of the server
)

// String is the failure's name in results: "http_error" and the like, and "ok"
// for none.
func (f Failure) String() string {
	switch f {
	case NoFailure:
		return "ok"
	case HTTPError:
		return "http_error"
	case ConnectError:
		return "connect_error"
	case Timeout:
		return "timeout"
	case StreamBroken:
		return "stream_broken"
	case ClientError:
		return "client_error"
	case Canceled:
		return "canceled"
	}
	return "unknown"
}

// Reply is what came back, with the moments it came at. Fields that the server
// did not send are unknown, never guessed.
type Reply struct {
	Failure Failure
	Error   string // for people: what happened, with the server's own words, cut to a line
	Code    string // the error code or type the server named, if any

	Status       int // HTTP status of the last attempt; 0: no answer
	Attempts     int
	FirstFailure Failure // of the first attempt, where there were several
	FirstError   string
	Reconnects   int // a kept connection had been closed by the server before it read the request

	Written     Stamp // the first byte of the (first) request was written
	FirstByte   Stamp // the response's first byte was read
	FirstParsed Stamp // the first token event had been read and parsed
	// Arrivals are stamped by the kernel where it says when it received what was
	// read, else after the read.
	KernelReads, OtherReads int

	Closed Stamp // the response ended, or was given up

	Model             string
	SystemFingerprint string

	Content        string
	Reasoning      string
	ReasoningField string // "reasoning" or "reasoning_content"; "" when neither came
	ToolCalls      []ToolCall
	FinishReason   string // in lower case; "" when none came
	Usage          Usage
	Done           bool // [DONE] came

	Events []Event // the token events, in order of arrival
	Notes  []string
}

// Event is the arrival of one token event: one with non-empty content, text,
// reasoning, or a piece of a tool call.
type Event struct {
	At     Stamp
	Kind   EventKind
	Tokens int32 // running total of output tokens that the event's own usage states; -1: not stated
}

// EventKind says what an event carries; an event may carry several.
type EventKind uint8

// What a token event can carry.
const (
	ContentEvent EventKind = 1 << iota
	ReasoningEvent
	ToolEvent
)

// ToolCall is one assembled call. Arguments is the text as it came.
type ToolCall struct {
	Index     int // as sent; -1: absent from a delta. In a whole message, its place in the list
	ID        string
	Name      string
	Arguments string
}

// Usage is the server's count. A count is -1 when the server did not state it.
type Usage struct {
	PromptTokens, OutputTokens, CachedTokens, ReasoningTokens int
}
