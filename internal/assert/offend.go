package assert

import (
	"strconv"
	"strings"
)

// explain notes the elements that f failed on, or those that made it undecided
// (outcome unknown).
func (f *fold) explain(e *eval, l *items, outcome truth) {
	t := e.trace
	label := t.path(f.list)
	switch {
	case l.len() == 0 && l.some:
		t.blame("nothing passes the filter of " + label)
		return
	case l.len() == 0:
		t.blame(label + " is empty")
		return
	}
	verdict, ok := f.offending(outcome)
	if !ok {
		return
	}
	found := f.find(e, l, label, verdict)
	if len(found) == 0 && f.name == "one" { // it fails on several, or for want of any
		found = f.find(e, l, label, -verdict)
	}
	switch {
	case t.at != "": // an element of an element: what was read of it goes with the outer one
		for _, r := range found {
			for _, read := range r.Reads {
				t.read(read)
			}
		}
	case outcome == unknown || len(t.offenders) == 0:
		for _, o := range found {
			for i := range o.Reads {
				o.Reads[i].Path = strings.TrimPrefix(o.Reads[i].Path, element(o.List, o.Index))
			}
		}
		t.offenders = found
	}
}

// offending is the verdict of the elements to blame for an outcome; false where
// none is.
func (f *fold) offending(outcome truth) (truth, bool) {
	switch {
	case outcome == unknown:
		return unknown, true
	case f.name == "count":
		return f.blamed, f.blamed != unknown
	case f.want == unknown || outcome == f.want:
		return unknown, false
	case f.name == "none":
		return f.want, true
	case f.name == "one":
		return yes, true
	}
	return -f.want, true
}

// find looks at the first elements with the given verdict again, with a trace.
func (f *fold) find(e *eval, l *items, label string, verdict truth) []Offender {
	outer := *e
	defer func() { e.elem, e.trace = outer.elem, outer.trace }()
	most := maxOffenders
	if outer.trace.at != "" {
		most = 1 // or lists in lists would be looked at three times as often with each level
	}
	var found []Offender
	for i := 0; i < l.len() && len(found) < most; i++ {
		e.elem, e.trace = l.at(i), nil
		if f.verdict(e) != verdict {
			continue
		}
		e.trace = &trace{at: element(label, l.index(i))}
		f.verdict(e)
		if verdict == unknown {
			outer.trace.blame(e.trace.reason)
		}
		found = append(found, Offender{List: label, Index: l.index(i), Reads: e.trace.reads})
	}
	return found
}

// element is the path of one element of a list.
func element(list string, index int) string {
	return list + "[" + strconv.Itoa(index) + "]"
}

// counted tells a count that is compared with something which of its elements
// are to blame when the comparison does not turn out as wanted: the counted ones
// where there are too many, the others where there are too few.
func (c *checker) counted(l, r term, operator string) {
	f, other, sign := l.counting, r, c.want
	if f == nil {
		f, other, sign = r.counting, l, -c.want
	}
	if f == nil {
		return
	}
	switch operator {
	case "<", "<=":
		f.blamed = sign
	case ">", ">=":
		f.blamed = -sign
	case "==": // none is wanted, or some are missing
		f.blamed = -c.want
		if n, ok := constantOf(other); ok && n == 0 {
			f.blamed = c.want
		}
	}
}
