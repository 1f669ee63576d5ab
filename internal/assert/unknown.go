package assert

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"scenario/internal/diag"
)

var (
	percentileName = regexp.MustCompile(`^p([0-9]+(?:[.][0-9]+)?)$`)
	dotless        = regexp.MustCompile(`^(.+)_([a-z0-9]+)$`)
)

// unknownName complains about a path whose first name the scope does not have.
func (c *checker) unknownName(path []segment) bool {
	names := make([]string, len(path))
	for i, s := range path {
		names[i] = s.name
	}
	first, full := path[0], strings.Join(names, ".")
	if why, gone := c.scope.absent[first.name]; gone {
		c.failAt(first.from, first.to, "%s %s", first.name, why)
		return false
	}
	for i := range names {
		if prefix := strings.Join(names[:i+1], "."); c.scope.isLater(prefix) {
			c.failAt(first.from, path[i].to, "%s is not available yet", prefix)
			return false
		}
	}
	if n := len(c.lists); n > 0 && c.lists[n-1].field.inner.lookup(first.name) != nil {
		c.failWith(first.from, first.to, "write ."+first.name, "unknown name %[1]s: an element's field is written .%[1]s", first.name)
		return false
	}
	switch strings.ToLower(first.name) {
	case "null", "none", "undefined", "nan":
		c.failAt(first.from, first.to, "unknown name %s: write known(…) to ask whether a value is there", first.name)
		return false
	}
	// ttft_p96 is a figure of ttft, spelt otherwise.
	if m := dotless.FindStringSubmatch(first.name); m != nil {
		if e := c.scope.top.sub[m[1]]; e != nil && e.field != nil && e.field.kind.isDist() && percentileName.MatchString(m[2]) && !slices.Contains(figures, m[2]) {
			write := "p(" + m[1] + ", " + m[2][1:] + ")"
			c.failWith(first.from, first.to, "write "+write, "unknown name %s (did you mean %s?)", first.name, write)
			return false
		}
	}
	to, near := first.to, []string(nil)
	if name, ok := diag.Nearest(first.name, c.scope.top.names); ok && len(path) > 1 {
		near = []string{name}
	} else {
		near, to = nearest(full, c.scope.candidates()), path[len(path)-1].to
	}
	if len(near) == 0 {
		c.failWith(first.from, first.to, "`scenario explain` lists the names that a check can use", "unknown name %s", first.name)
		return false
	}
	c.failWith(first.from, to, "write "+near[0], "unknown name %s (did you mean %s?)", c.source.text(first.from, to), strings.Join(near, " or "))
	return false
}

// noField complains about a name that a group of variables does not have.
func (c *checker) noField(group, full string, s segment, names []string) bool {
	if c.scope.isLater(full) {
		c.failAt(s.from, s.to, "%s is not available yet", full)
		return false
	}
	if near := nearest(s.name, names); len(near) > 0 {
		c.failWith(s.from, s.to, "write "+near[0], "%s has no %s (did you mean %s?)", group, s.name, strings.Join(near, " or "))
		return false
	}
	c.failAt(s.from, s.to, "%s has no %s: it has %s", group, s.name, strings.Join(names, ", "))
	return false
}

// noElementField complains about a field that the elements of a list do not have.
func (c *checker) noElementField(l *variable, full string, s segment) bool {
	names := l.field.inner.names()
	switch near := nearest(s.name, names); {
	case c.scope.isLater(full):
		c.failAt(s.from, s.to, "%s is not available yet", full)
	case c.scope.top.sub[s.name] != nil:
		c.failWith(s.from, s.to, "write "+s.name, "%s has no element field %s: the level's own is written without the dot", l.path, s.name)
	case len(near) > 0:
		c.failWith(s.from, s.to, "write ."+near[0], "%s has no element field %s (did you mean %s?)", l.path, s.name, strings.Join(near, " or "))
	default:
		c.failAt(s.from, s.to, "%s has no element field %s: it has %s", l.path, s.name, strings.Join(names, ", "))
	}
	return false
}

// noFigure complains about a member that distributions do not have.
func (c *checker) noFigure(v *variable, s segment) bool {
	if m := percentileName.FindStringSubmatch(s.name); m != nil {
		at := m[1]
		if len(at) > 2 && !strings.Contains(at, ".") && at != "100" {
			at = at[:2] + "." + at[2:] // p999 is 99.9
		}
		write := ""
		switch value, _ := strconv.ParseFloat(at, 64); {
		case value == 0:
			write = v.path + ".min"
		case value >= 100:
			write = v.path + ".max"
		default:
			write = "p(" + v.path + ", " + plain(value) + ")"
		}
		c.failWith(s.from, s.to, "write "+write, "%s has no %s: write %s", v.path, s.name, write)
		return false
	}
	for wrong, right := range map[string]string{"median": "p50", "avg": "mean", "average": "mean", "count": "n", "len": "n", "p": "p95"} {
		if s.name == wrong {
			c.failWith(s.from, s.to, "write "+right, "%s has no %s: write %s.%s", v.path, s.name, v.path, right)
			return false
		}
	}
	c.failAt(s.from, s.to, "%s has no %s: it has %s, and any percentile as p(%s, 97)", v.path, s.name, strings.Join(figures, ", "), v.path)
	return false
}

// notPlanned complains about a variable that is not known before the run.
func (c *checker) notPlanned(p place) bool {
	allowed := c.scope.planned()
	is := "is measured by the run"
	if p.variable.optional {
		is = "can only be asked for here, with known(…)"
	}
	c.failAt(p.from, p.to, "%s %s: a planned condition reads %s", c.source.text(p.from, p.to), is, strings.Join(allowed, ", "))
	return false
}

// nearest lists what a name may have meant: the nearest candidate, else up to
// three that contain it, or nearly, as one of their words.
func nearest(name string, candidates []string) []string {
	if near, ok := diag.Nearest(name, candidates); ok {
		return []string{near}
	}
	var near []string
	for _, candidate := range candidates {
		if _, ok := diag.Nearest(name, strings.Split(candidate, "_")); ok && len(near) < 3 {
			near = append(near, candidate)
		}
	}
	return near
}
