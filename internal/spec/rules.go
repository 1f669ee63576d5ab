package spec

import (
	"fmt"
	"slices"
	"strings"

	"scenario/internal/diag"
)

// checker makes the checks that look at several keys at once.
type checker struct {
	options Options
	faults  *faults
}

func (c *checker) check(s *Scenario) {
	c.checkTarget(&s.Target)
	earlier := map[string]*node{}
	var names []string
	for i := range s.Phases {
		p := &s.Phases[i]
		if p.At.node == nil {
			continue // no mapping, which has been said
		}
		c.checkRequires(p, names, s.Phases[i:])
		if name := p.At.Key("name"); p.Name != "" && !c.faults.bad[name.node] {
			if first := earlier[p.Name]; first != nil {
				c.faults.add(name.node, fmt.Sprintf("a phase called %q stands at %s already", p.Name, At{node: first}.Pos()), "give each phase a name of its own")
			} else {
				earlier[p.Name] = name.node
				names = append(names, p.Name)
			}
		}
		c.checkConcurrency(p)
		c.checkLoad(p)
		c.checkWarmCache(p)
		c.checkGuards(p)
		c.checkFormula(p)
		c.checkAssumed(p)
		if body := p.At.Key("body"); body.Exists() {
			c.refuseSecrets(body.node)
			c.refuseKeys(body.node)
		}
	}
}

// checkRequires looks for phases that do not stand before this one.
func (c *checker) checkRequires(p *Phase, earlier []string, rest []Phase) {
	for _, name := range p.Requires {
		if slices.Contains(earlier, name.String()) || c.faults.bad[name.node] {
			continue
		}
		later := slices.ContainsFunc(rest[1:], func(q Phase) bool { return q.Name == name.String() })
		message, fix := fmt.Sprintf("there is no earlier phase %q", name), ""
		nearest, near := diag.Nearest(name.String(), earlier)
		switch {
		case name.String() == p.Name:
			message = "a phase can't require itself"
		case later:
			message, fix = fmt.Sprintf("phase %q stands after this one, and runs after it", name), "move it before this phase"
		case near:
			message, fix = message+fmt.Sprintf(" (did you mean %q?)", nearest), "write "+nearest
		case len(earlier) > 0:
			fix = "the phases before this one are " + strings.Join(earlier, ", ")
		}
		c.faults.add(name.node, message, fix)
	}
}

// checkConcurrency wants levels, in ascending order.
func (c *checker) checkConcurrency(p *Phase) {
	levels := p.At.Key("concurrency")
	if p.Load.Mode == "rate" {
		c.checkRates(p, levels)
		return
	}
	if !levels.Exists() {
		misspelt := slices.ContainsFunc(p.At.node.entries, func(e entry) bool {
			_, near := diag.Nearest(e.key.text, []string{"concurrency"})
			return near
		})
		if p.At.node.form == mapForm && !misspelt {
			c.faults.note(p.At.Diagnose("the phase has no concurrency", "add concurrency: 1, or a list of levels"))
		}
		return
	}
	if !c.faults.clean(levels.node) {
		return
	}
	for i := 1; i < len(p.Concurrency); i++ {
		before, level := p.Concurrency[i-1], p.Concurrency[i]
		switch {
		case slices.Contains(p.Concurrency[:i], level):
			c.faults.add(levels.Item(i).node, fmt.Sprintf("level %d is listed twice", level), "keep one of the two")
		case level < before:
			ascending := slices.Compact(slices.Sorted(slices.Values(p.Concurrency)))
			c.faults.add(levels.Item(i).node, fmt.Sprintf("level %d stands after level %d, and levels are in ascending order", level, before),
				"write "+strings.ReplaceAll(fmt.Sprint(ascending), " ", ", "))
			return
		}
	}
}

// checkFormula wants a formula that this version computes.
func (c *checker) checkFormula(p *Phase) {
	id := p.Formula
	if id.Empty() || c.faults.bad[id.node] || slices.Contains(c.options.Formulas, id.String()) {
		return
	}
	// The nearest id would be another method, with other numbers.
	c.faults.add(id.node, fmt.Sprintf("there is no formula %q", id), "the formulas are "+strings.Join(c.options.Formulas, ", "))
}

// checkAssumed wants keys that the phase has.
func (c *checker) checkAssumed(p *Phase) {
	var paths []string
	p.At.node.paths("", &paths)
	list := p.At.Key("assumed")
	for i, path := range p.Assumed {
		item := list.Item(i)
		if slices.Contains(paths, path) || !item.Exists() || c.faults.bad[item.node] {
			continue
		}
		message, fix := fmt.Sprintf("this phase has no key %q", path), "name a key that is written here, as in workload.output_tokens"
		if nearest, ok := diag.Nearest(path, paths); ok {
			message, fix = message+fmt.Sprintf(" (did you mean %q?)", nearest), "write "+nearest
		}
		c.faults.add(item.node, message, fix)
	}
}

// paths lists the dotted paths of all keys below n.
func (n *node) paths(prefix string, into *[]string) {
	for _, e := range n.entries {
		*into = append(*into, prefix+e.key.text)
		e.value.paths(prefix+e.key.text+".", into)
	}
}
