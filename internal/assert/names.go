package assert

import (
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// segment is one name of a dotted path.
type segment struct {
	name     string
	from, to int
}

// place is what a dotted path leads to: a variable, or a figure of one.
type place struct {
	variable *variable
	figure   figure
	isFigure bool
	from, to int
}

// name checks a dotted path that stands as a value.
func (c *checker) name(n ast.Node) term {
	p, ok := c.resolve(n)
	if !ok {
		return term{}
	}
	return c.read(p)
}

// resolve follows the dotted path n through the scope, or through the fields of
// the element when it begins with a dot.
func (c *checker) resolve(n ast.Node) (place, bool) {
	from, to := c.source.span(n)
	base, path, ok := c.pathOf(n)
	if !ok {
		return place{}, false
	}
	p := place{from: from, to: to}
	switch base := base.(type) {
	case *ast.IdentifierNode:
		own := base.Location()
		path = append([]segment{{base.Value, own.From, own.To}}, path...)
		p.variable, path, ok = c.global(path)
	case *ast.PointerNode:
		if len(path) == 0 {
			c.failAt(from, to, "`#` is not part of the language: an element's field is written .ok")
			return place{}, false
		}
		p.variable, path, ok = c.elementField(path)
	default:
		bfrom, bto := c.source.span(base)
		c.failAt(from, to, "%s is no variable: it has no fields", c.source.text(bfrom, bto))
		return place{}, false
	}
	return p, ok && c.descend(&p, path) && c.permit(p)
}

// pathOf takes a chain of members apart, down to what it begins with.
func (c *checker) pathOf(n ast.Node) (base ast.Node, path []segment, ok bool) {
	for {
		member, isMember := n.(*ast.MemberNode)
		if !isMember {
			slices.Reverse(path)
			return n, path, true
		}
		property, isName := member.Property.(*ast.StringNode)
		own := member.Location()
		if !isName || own != property.Location() { // x["y"], x[0]
			from, to := c.source.span(member)
			c.failAt(from, to, "`[` is not part of the language here: a field is written x.field, and elements are reached with all, any, filter, …")
			return nil, nil, false
		}
		path = append(path, segment{property.Value, own.From, own.To})
		n = member.Node
	}
}

// global follows a path from the top of the scope to a variable; the rest of the
// path is returned.
func (c *checker) global(path []segment) (*variable, []segment, bool) {
	at, prefix := c.scope.top, ""
	for i, s := range path {
		full := below(prefix, s.name)
		e := at.sub[s.name]
		switch {
		case e == nil && i == 0:
			return nil, nil, c.unknownName(path)
		case e == nil:
			return nil, nil, c.noField(prefix, full, s, at.names)
		case e.field != nil:
			root := c.scope.roots[e.root]
			key := full
			if root.Name != "" {
				key = full[len(root.Name)+1:]
			}
			index := e.root
			v := &variable{field: e.field, path: full, full: full, key: key, root: index, optional: root.Optional}
			v.base = func(e *eval) reflect.Value { return e.roots[index].value }
			return v, path[i+1:], true
		}
		at, prefix = e.space, full
	}
	last := path[len(path)-1]
	c.failAt(path[0].from, last.to, "%s is a group of variables: write %s, …", prefix, below(prefix, at.names[0]))
	return nil, nil, false
}

// elementField is the variable that a path with a leading dot begins with.
func (c *checker) elementField(path []segment) (*variable, []segment, bool) {
	l := c.lists[len(c.lists)-1]
	s := path[0]
	full := l.full + "." + s.name
	c.fields++
	f := l.field.inner.lookup(s.name)
	if f == nil {
		return nil, nil, c.noElementField(l, full, s)
	}
	v := &variable{field: f, path: "." + s.name, full: full, root: l.root, optional: l.optional, element: true}
	v.base = func(e *eval) reflect.Value { return e.elem }
	return v, path[1:], true
}

// descend follows the rest of a path into the variable.
func (c *checker) descend(p *place, path []segment) bool {
	for i, s := range path {
		v := p.variable
		switch k := v.field.kind; {
		case k == record:
			f := v.field.inner.lookup(s.name)
			if f == nil {
				return c.noField(v.path, v.full+"."+s.name, s, v.field.inner.names())
			}
			p.variable = v.inner(f)
		case k.isDist() && i == len(path)-1 && slices.Contains(figures, s.name):
			p.isFigure, p.figure = true, figureOf(s.name)
		case k.isDist() && i == len(path)-1:
			return c.noFigure(v, s)
		case k.isDist():
			c.failAt(path[i+1].from, path[i+1].to, "%s.%s is %s: it has no %s", v.path, s.name, k.sample().phrase(), path[i+1].name)
			return false
		case k == list && slices.Contains([]string{"n", "len", "length", "count", "size"}, s.name):
			c.failAt(s.from, s.to, "%[1]s is a list: write len(%[1]s)", v.path)
			return false
		case k == list:
			c.failAt(s.from, s.to, "%[1]s is a list: the field of an element is read in a condition, as in all(%[1]s, .%[2]s)", v.path, s.name)
			return false
		default:
			c.failAt(s.from, s.to, "%s is %s: it has no %s", v.path, k.phrase(), s.name)
			return false
		}
	}
	return true
}

// permit notes what is read, and complains where the mode does not allow it.
func (c *checker) permit(p place) bool {
	v := p.variable
	planned := v.field.plan && !v.optional && !v.element
	if c.mode == Planned {
		if !planned && !(c.asking && v.optional) {
			return c.notPlanned(p)
		}
		c.planned = true
	}
	// A list says nothing until something is read of its elements, or they are
	// counted (length).
	if !planned && !v.optional && v.field.kind != list {
		c.measured = true
	}
	path := v.full
	if p.isFigure {
		path += "." + p.figure.name
	}
	if c.asking {
		c.asked = append(c.asked, path)
		return true
	}
	if p.isFigure {
		c.need(v, p.figure)
	}
	if !slices.Contains(c.reads, path) && (p.isFigure || !v.field.kind.isDist() && v.field.kind != record) {
		c.reads = append(c.reads, path)
	}
	return true
}

// need notes the samples that a figure takes.
func (c *checker) need(v *variable, f figure) {
	n := Need{Path: v.full, Root: v.root, Figure: f.name, Quantile: f.q, Samples: f.samples()}
	if n.Samples > 0 && !slices.Contains(c.needs, n) {
		c.needs = append(c.needs, n)
	}
}
