package assert

import (
	"maps"
	"slices"
)

// Without is the scope without some of its top-level variables, which the phase at
// hand has not: using one is an error that says why. Absent holds the reason by the
// variable's name, as the rest of a sentence that begins with the name.
func (s *Scope) Without(absent map[string]string) *Scope {
	all := maps.Clone(s.absent)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, absent)
	top := &space{sub: maps.Clone(s.top.sub)}
	for _, name := range s.top.names {
		if _, gone := absent[name]; gone {
			delete(top.sub, name)
			continue
		}
		top.names = append(top.names, name)
	}
	return &Scope{roots: s.roots, top: top, later: s.later, absent: all}
}

// isAbsent reports whether the phase at hand has no such variable: only those that
// stand below no root's name can be absent.
func (s *Scope) isAbsent(root scopeRoot, name string) bool {
	_, gone := s.absent[name]
	return gone && root.Name == ""
}

// present are a root's paths without those of its absent variables.
func (s *Scope) present(root scopeRoot) []string {
	if root.Name != "" || len(s.absent) == 0 {
		return pathsOf(root.Name, root.structure)
	}
	kept := &structure{fields: slices.DeleteFunc(slices.Clone(root.structure.fields), func(f *field) bool { return s.isAbsent(root, f.name) })}
	return pathsOf("", kept)
}
