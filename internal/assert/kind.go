package assert

// kind is the type of an expression.
type kind uint8

// The types of the language. An invalid expression has been complained about
// already; whatever is built on it stays silent.
const (
	invalid kind = iota
	boolean
	number
	duration
	text
	numberDist
	durationDist
	list
	record
)

// String names the type as `explain` prints it.
func (k kind) String() string {
	return [...]string{
		"invalid", "bool", "number", "duration", "text",
		"distribution of numbers", "distribution of durations", "list", "record",
	}[k]
}

// phrase names the type inside a sentence.
func (k kind) phrase() string {
	return [...]string{
		"invalid", "true or false", "a number", "a duration", "text",
		"a distribution", "a distribution", "a list", "a group of variables",
	}[k]
}

// scalar reports whether the type has values that can be compared.
func (k kind) scalar() bool { return boolean <= k && k <= text }

// isDist reports whether the type is a distribution, of either sort.
func (k kind) isDist() bool { return k == numberDist || k == durationDist }

// sample is the type of one sample of a distribution.
func (k kind) sample() kind {
	if k == durationDist {
		return duration
	}
	return number
}

// truth is the answer of a condition.
type truth int8

// The three answers, so that -t is "not t".
const (
	no      truth = -1
	unknown truth = 0
	yes     truth = 1
)

// truthOf is the answer that b stands for.
func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}
