package assert

import (
	"cmp"
	"slices"
	"strconv"
)

// Explanation is what stands behind a result.
type Explanation struct {
	Result    Result
	Reads     []Read     // what was read outside of lists' elements, in the order of reading
	Reason    string     // why it is undecided; empty otherwise
	Offenders []Offender // the first three elements that the outermost failed list function failed on
}

// Read is one value that was looked at. Path is the variable's dotted path, or
// the text of a call: a list function that makes a number, or known(…). Speed is
// true for performance figures and what is worked out from them: who withholds
// figures prints a dash.
type Read struct {
	Path  string
	Text  string // the value with its unit; empty where it is not known
	Known bool
	Speed bool
}

// Offender is an element of a list on which a check failed, or, when the check
// is undecided, could not be decided.
type Offender struct {
	List  string // the list's dotted path
	Index int    // in the list, from 0, filters aside
	Reads []Read // the fields that were read, as ".ok", and whatever else
}

// maxOffenders is how many offending elements an explanation shows.
const maxOffenders = 3

// Explain evaluates the check again and says why the result is what it is. Like
// Eval it panics when env does not fit the scope.
func (c *Check) Explain(env Env) Explanation {
	e := c.start(env)
	e.trace = &trace{}
	x := Explanation{Result: resultOf(c.root.test(e)), Reads: e.trace.reads}
	switch x.Result {
	case Fails:
		x.Offenders = e.trace.offenders
	case Undecided:
		x.Offenders = e.trace.offenders
		x.Reason = cmp.Or(e.trace.reason, "a result is too large to be a number")
	}
	return x
}

// trace collects what an evaluation reads.
type trace struct {
	at        string // the element whose fields are read, "requests[3]"; empty outside of lists
	reads     []Read
	reason    string // the first thing that was unknown
	offenders []Offender
}

// path is where v is, the element included.
func (t *trace) path(v *variable) string {
	if v.element {
		return t.at + v.path
	}
	return v.path
}

// read notes a value, once.
func (t *trace) read(r Read) {
	if !r.Known {
		r.Text = ""
	}
	if !slices.Contains(t.reads, r) {
		t.reads = append(t.reads, r)
	}
}

// blame notes why something is unknown; the first reason stands.
func (t *trace) blame(reason string) {
	if t.reason == "" {
		t.reason = reason
	}
}

func (t *trace) readVariable(v *variable, value string, known bool) {
	path := t.path(v)
	t.read(Read{Path: path, Text: value, Known: known, Speed: v.field.speed})
	if !known {
		t.blame(missing(path, v))
	}
}

// readList notes a list by its length; inside of a condition the element's own
// lists alone.
func (t *trace) readList(v *variable, l items, known bool) {
	n := 0
	switch {
	case known && t.at != "" && !v.element:
		return
	case known:
		n = l.len()
	}
	value := strconv.Itoa(n) + " elements"
	if n == 1 {
		value = "1 element"
	}
	t.readVariable(v, value, known)
}
