package assert

// term is a checked expression: its type, what it depends on, and the closure
// that evaluates it. The one that belongs to its kind is set.
type term struct {
	kind     kind
	from, to int // its place

	literal  bool // a number, text or bool as written
	constant bool // reads nothing
	element  bool // depends on the element that the innermost list function is looking at
	speed    bool // reads a performance figure
	folds    bool // contains a list function

	words    string    // text: the literal's value
	name     string    // text of a closed set: what the set is of
	allowed  []string  // text: the closed set of its values
	variable *variable // lists, records and distributions
	counting *fold     // a count: what it counts

	test  func(*eval) truth
	num   func(*eval) (float64, bool)
	text  func(*eval) (string, bool)
	items func(*eval) (items, bool)
}

// over is an empty term of kind k that depends on what the operands depend on.
func (c *checker) over(k kind, from, to int, operands ...term) term {
	from, to = c.source.balance(from, to)
	t := term{kind: k, from: from, to: to, constant: true}
	for _, o := range operands {
		t.constant = t.constant && o.constant
		t.element = t.element || o.element
		t.speed = t.speed || o.speed
		t.folds = t.folds || o.folds
	}
	return t
}

// constantOf is the value of a number or a duration that reads nothing; false
// where t is none.
func constantOf(t term) (float64, bool) {
	if t.num == nil || !t.constant {
		return 0, false
	}
	return t.num(&eval{})
}

// settled takes back the offending elements that were found below a condition
// that turned out as wanted.
func settled(want truth, t term) term {
	if want == unknown || !t.folds {
		return t
	}
	test := t.test
	t.test = func(e *eval) truth {
		if e.trace == nil {
			return test(e)
		}
		before := e.trace.offenders
		result := test(e)
		if result == want {
			e.trace.offenders = before
		}
		return result
	}
	return t
}
