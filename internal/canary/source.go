package canary

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Sizes of a prompt, in tokens: with one record, and of each further one. They are
// rather too large for common tokenizers.
const (
	leastTokens  = 115
	recordTokens = 16
	mostRecords  = 9
)

// Tokens is the size that prompts may have where the target's context is as long
// as given (0: not known): 200, or a quarter of the context.
func Tokens(context int) int {
	if context <= 0 {
		return 200
	}
	return min(200, context/4)
}

// Fits reports whether a prompt of so many tokens can hold a task at all.
func Fits(tokens int) bool { return tokens >= leastTokens }

// Source makes tasks: for the same key, size and number the same one.
type Source struct {
	key     string
	codes   codes
	records int
}

// NewSource is the source of tasks whose prompts have about so many tokens. The
// key is to be one of the run alone: it is what makes its prompts new to the server.
func NewSource(key string, tokens int) *Source {
	return &Source{
		key: key, codes: newCodes(key),
		records: min(mostRecords, 1+max(0, tokens-leastTokens)/recordTokens),
	}
}

// Task is the task of a number, 0 or more, and a kind.
func (s *Source) Task(number int, kind Kind) Task { return s.task(number, kind, 0) }

// Again asks what a task asked in a prompt that begins differently, so that nothing
// of the first one in the server's prefix cache can be used for it.
func (s *Source) Again(t Task) Task { return s.task(t.Number, t.Kind, t.asked+1) }

func (s *Source) task(number int, kind Kind, times int) Task {
	digest := sha256.Sum256(fmt.Appendf(nil, "%s|%d", s.key, number))
	dice := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(digest[:]), binary.LittleEndian.Uint64(digest[8:])))
	code := func(i int) string { return s.codes.code(number*codesEach + i) }

	var list strings.Builder
	// What makes the prompt unlike any other stands at its very front.
	front := sha256.Sum256(fmt.Appendf(nil, "%s|%d|%d", s.key, number, times))
	fmt.Fprintf(&list, "Ref %x\nRecords:\n", front[:8])
	keys := dice.Perm(900)
	for i := range s.records {
		fmt.Fprintf(&list, "K%d = %s\n", 100+keys[i], code(2+i))
	}
	summands := func() (int, int) { return 100 + dice.IntN(400), 100 + dice.IntN(400) }
	asked := dice.IntN(s.records)
	example := asked // another record, if there is one
	if s.records > 1 {
		example = (asked + 1 + dice.IntN(s.records-1)) % s.records
	}

	t := Task{Number: number, Kind: kind, asked: times}
	var question string
	switch kind {
	case Copy:
		t.Answer = code(0)
		question = "Repeat the code " + t.Answer
		t.Message = list.String() + "\nRepeat this code and nothing else: " + t.Answer
	case Add:
		a, b := summands()
		t.Answer = fmt.Sprint(a + b)
		question = fmt.Sprintf("What is %d + %d?", a, b)
		t.Message = list.String() + "\n" + question + " Answer with the number alone."
	case Lookup:
		t.Answer = code(2 + asked)
		question = fmt.Sprintf("What is the value of K%d?", 100+keys[asked])
		t.Message = list.String() + "\n" + question + " Answer with the value alone."
	}
	a, b := summands()
	t.Opening = fmt.Sprintf("%s\nQ: Repeat the code %s\nA: %s\nQ: What is %d + %d?\nA: %d\nQ: What is the value of K%d?\nA: %s\nQ: %s\nA:",
		list.String(), code(1), code(1), a, b, a+b, 100+keys[example], code(2+example), question)
	return t
}
