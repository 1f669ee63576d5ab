package assert

import "fmt"

// read makes the term of a place. These closures, and the folds of lists, are
// the only ones that read values, and so the ones that tell a trace.
func (c *checker) read(p place) term {
	v := p.variable
	t := term{kind: v.field.kind, from: p.from, to: p.to, element: v.element, speed: v.field.speed, variable: v}
	if p.isFigure {
		return readFigure(t, p.figure)
	}
	switch k := v.field.kind; k {
	case boolean:
		t.test = func(e *eval) truth {
			b := v.truth(e)
			if e.trace != nil {
				e.trace.readVariable(v, fmt.Sprint(b == yes), b != unknown)
			}
			return b
		}
	case text:
		t.name, t.allowed = v.field.name, v.field.allowed
		t.text = func(e *eval) (string, bool) {
			s, ok := v.text(e)
			if e.trace != nil {
				e.trace.readVariable(v, quote(s), ok)
			}
			return s, ok
		}
	case list:
		t.items = func(e *eval) (items, bool) {
			l, ok := v.items(e)
			if e.trace != nil {
				e.trace.readList(v, l, ok)
			}
			return l, ok
		}
	case number, duration:
		t.num = func(e *eval) (float64, bool) {
			n, ok := v.number(e)
			if e.trace != nil {
				e.trace.readVariable(v, format(k, n, v.field.unit), ok)
			}
			return n, ok
		}
	}
	return t
}

// readFigure makes the term of one figure of the distribution t.
func readFigure(t term, f figure) term {
	v := t.variable
	t.kind, t.variable = v.field.kind.sample(), nil
	unit := v.field.unit
	if f.name == "n" {
		t.kind, t.speed, unit = number, false, ""
	}
	k, speed := t.kind, t.speed
	t.num = func(e *eval) (float64, bool) {
		n, ok := v.figure(e, f)
		if e.trace != nil {
			path := e.trace.path(v) + "." + f.name
			e.trace.read(Read{Path: path, Text: format(k, n, unit), Known: ok, Speed: speed})
			if !ok {
				e.trace.blame(missing(path, v) + e.shortage(v, f))
			}
		}
		return n, ok
	}
	return t
}

// shortage says how many samples there are where that is too few for f.
func (e *eval) shortage(v *variable, f figure) string {
	if v.table(e) != nil {
		return ""
	}
	d, ok := v.dist(e)
	if open, can := d.(interface{ Beyond() int }); ok && can && open.Beyond() > 0 && d.Count() >= f.samples() {
		return fmt.Sprintf(": it falls among the %d of %d samples of which it is known only that they are larger than the others", open.Beyond(), d.Count())
	}
	if !ok || d.Count() >= f.samples() {
		return ""
	}
	have := fmt.Sprintf("%d samples", d.Count())
	switch d.Count() {
	case 0:
		have = "no samples"
	case 1:
		have = "1 sample"
	}
	return fmt.Sprintf(": %s, it needs %d", have, f.samples())
}

// missing says that a variable has no value.
func missing(path string, v *variable) string {
	if v.optional || v.field.plan {
		return path + " has no value"
	}
	return path + " was not measured"
}
