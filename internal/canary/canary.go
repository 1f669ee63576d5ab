// Package canary makes requests with known answers, grades what comes back, and
// says how many of them must be right. In go a key, which makes the questions of
// one run differ from those of every other, and a number for each question; out
// come tasks, and verdicts on answers.
//
// A task asks for something that any model can do: copy a code, add two numbers,
// find a value in a short list. Whether this model can is for the caller to find
// out while nothing else runs. Then a wrong answer under load speaks of the server.
//
// No two tasks of a source have a code in common, so that an answer with the code
// of another task has got mixed up with that one.
package canary

// Kind is one sort of question.
type Kind string

// The kinds of question.
const (
	Copy   Kind = "copy"   // repeat a code
	Add    Kind = "add"    // add two numbers of three digits
	Lookup Kind = "lookup" // find a key's value in the list
)

// Kinds are all kinds of question, in the order in which they take turns.
func Kinds() []Kind { return []Kind{Copy, Add, Lookup} }

// Task is one question with a known answer.
type Task struct {
	Number int // of the task, in its source
	Kind   Kind
	// Message asks the question in a chat.
	Message string
	// Opening is a text to be continued, with an example of each kind; the answer
	// is the rest of its last line.
	Opening string
	// Answer is the right one: a code, or a number in digits.
	Answer string

	asked int // how often before
}
