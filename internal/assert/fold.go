package assert

// fold is a list function: it runs over the elements of a list and makes one
// value of them.
type fold struct {
	name  string
	list  *variable // the list, filters aside
	items func(*eval) (items, bool)
	test  func(*eval) truth           // of one element
	value func(*eval) (float64, bool) // of one element, for sum and mean
	slot  int                         // of the memo; -1: depends on an element

	want   truth // what its answer must be for the check to hold; unknown: either
	blamed truth // a count: the elements to show when the check does not hold
}

// tally is how many elements a condition holds for, fails for, and is unknown for.
type tally struct{ yes, no, unknown int }

// verdict looks at one element.
func (f *fold) verdict(e *eval) truth {
	if f.value == nil {
		return f.test(e)
	}
	if _, ok := f.value(e); !ok {
		return unknown
	}
	return yes
}

// stops reports whether the element that v was said of decides the answer.
func (f *fold) stops(v truth) bool {
	switch f.name {
	case "all":
		return v == no
	case "any", "none":
		return v == yes
	}
	return v == unknown
}

// count runs the condition over the elements until the answer is decided. The
// elements that it holds for are appended to picked where that is not nil.
func (f *fold) count(e *eval, l *items, picked *[]int) tally {
	elem, trace := e.elem, e.trace
	e.trace = nil
	var t tally
	for i := range l.len() {
		e.elem = l.at(i)
		v := f.test(e)
		switch v {
		case yes:
			t.yes++
			if picked != nil {
				*picked = append(*picked, l.index(i))
			}
		case no:
			t.no++
		default:
			t.unknown++
		}
		if f.stops(v) {
			break
		}
	}
	e.elem, e.trace = elem, trace
	return t
}

// answer is what the tally of a list that is not empty says: a decided answer
// stands, else one unknown element makes it unknown.
func (f *fold) answer(t tally) truth {
	switch {
	case f.name == "all" && t.no > 0, f.name == "none" && t.yes > 0:
		return no
	case f.name == "any" && t.yes > 0:
		return yes
	case t.unknown > 0:
		return unknown
	case f.name == "all", f.name == "none":
		return yes
	case f.name == "any":
		return no
	}
	return truthOf(t.yes == 1)
}

// truth is all, any, none and one.
func (f *fold) truth(e *eval) truth {
	if m := f.recall(e); m != nil {
		return m.truth
	}
	answer := unknown
	l, ok := f.items(e)
	if ok && l.len() > 0 {
		answer = f.answer(f.count(e, &l, nil))
	}
	if ok && e.trace != nil {
		f.explain(e, &l, answer)
	}
	f.keep(e, memo{truth: answer})
	return answer
}

// number is count, sum and mean.
func (f *fold) number(e *eval) (float64, bool) {
	if m := f.recall(e); m != nil {
		return m.n, m.ok
	}
	n, known := 0.0, false
	l, ok := f.items(e)
	switch {
	case !ok || l.len() == 0:
	case f.name == "count":
		t := f.count(e, &l, nil)
		n, known = float64(t.yes), t.unknown == 0
	default:
		n, known = f.sum(e, &l)
	}
	if ok && e.trace != nil {
		f.explain(e, &l, answered(known))
	}
	f.keep(e, memo{n: n, ok: known})
	return n, known
}

// sum adds up the elements' values; for mean it divides by their number.
func (f *fold) sum(e *eval, l *items) (float64, bool) {
	elem, trace := e.elem, e.trace
	defer func() { e.elem, e.trace = elem, trace }()
	e.trace = nil
	sum := 0.0
	for i := range l.len() {
		e.elem = l.at(i)
		v, ok := f.value(e)
		if !ok {
			return 0, false
		}
		sum += v
	}
	if f.name == "mean" {
		sum /= float64(l.len())
	}
	return finite(sum)
}

// filter picks the elements that the condition holds for.
func (f *fold) filter(e *eval) (items, bool) {
	if m := f.recall(e); m != nil {
		return m.items, m.ok
	}
	l, ok := f.items(e)
	picked := l
	picked.pick, picked.some = []int{}, true
	known := false
	if ok && l.len() > 0 {
		known = f.count(e, &l, &picked.pick).unknown == 0
	}
	if ok && e.trace != nil {
		f.explain(e, &l, answered(known))
	}
	f.keep(e, memo{items: picked, ok: known})
	return picked, known
}

// answered is the outcome of a fold whose value is not a truth.
func answered(known bool) truth {
	if known {
		return yes
	}
	return unknown
}

// recall is the value that an earlier element left; nil: work it out. Whoever
// wants an explanation has it worked out again, for the reasons.
func (f *fold) recall(e *eval) *memo {
	if f.slot < 0 || e.trace != nil || !e.memo[f.slot].set {
		return nil
	}
	return &e.memo[f.slot]
}

func (f *fold) keep(e *eval, m memo) {
	if f.slot >= 0 {
		m.set = true
		e.memo[f.slot] = m
	}
}
