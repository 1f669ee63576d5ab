package assert

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Root is one source of variables: the fields of a struct type. A field is a
// variable when it has a doc tag; its json tag is its name. Further tags are
// unit (for people), enum (the closed set of a text's values, separated by |),
// plan:"true" (known before the run) and speed:"true" (a performance figure).
//
// Variables are bools, strings, numbers, durations, distributions, records
// (structs and pointers to them) and lists (slices of records). Values that can
// be unknown have one of the method sets
//
//	Number() (float64, bool)
//	Duration() (time.Duration, bool)
//	Bool() (value, known bool)
//	Text() (string, bool)
//
// and distributions have Quantile(q float64) (float64, bool), Count() int,
// IsDuration() bool, and Mean, Min and Max, each () (float64, bool).
type Root struct {
	Name     string       // what its variables stand below, such as "baseline"; empty: they are top-level names
	Type     reflect.Type // a struct type
	Optional bool         // known before the run whether it is there: known(…) may ask for it in a planned expression
}

// Scope is every name that an expression may use.
type Scope struct {
	roots  []scopeRoot
	top    *space
	later  map[string]bool
	absent map[string]string // why the phase has no such variable, by name
}

type scopeRoot struct {
	Root
	structure *structure
}

// space is a level of dotted names: variables, and spaces of further ones.
type space struct {
	names []string // in the order of declaration
	sub   map[string]*entry
}

// entry is what a name stands for: a variable of a root, or a space.
type entry struct {
	root  int
	field *field
	space *space
}

// NewScope reads the roots' types. It panics when one of them cannot be read by
// checks or when two variables have one name.
func NewScope(roots ...Root) *Scope {
	s := &Scope{top: &space{sub: map[string]*entry{}}}
	for i, root := range roots {
		sr := scopeRoot{Root: root, structure: structureOf(root.Type)}
		s.roots = append(s.roots, sr)
		at := s.top
		if root.Name != "" {
			for name := range strings.SplitSeq(root.Name, ".") {
				at = at.below(name)
			}
		}
		for _, f := range sr.structure.fields {
			at.add(f.name, &entry{root: i, field: f})
		}
	}
	return s
}

// below is the space of the given name, made if it is new.
func (s *space) below(name string) *space {
	if e := s.sub[name]; e != nil && e.space != nil {
		return e.space
	}
	if !isName(name) {
		panic(fmt.Sprintf("assert: a root has the name %q, which an expression cannot spell", name))
	}
	inner := &space{sub: map[string]*entry{}}
	s.add(name, &entry{space: inner})
	return inner
}

func (s *space) add(name string, e *entry) {
	if s.sub[name] != nil {
		panic(fmt.Sprintf("assert: two variables are called %q", name))
	}
	s.names = append(s.names, name)
	s.sub[name] = e
}

// Later is the scope with names that the language has but this build does not
// measure: using one is "not available yet" rather than an unknown name. Names
// are dotted paths; an element's field stands below its list.
func (s *Scope) Later(names ...string) *Scope {
	later := maps.Clone(s.later)
	if later == nil {
		later = map[string]bool{}
	}
	for _, name := range names {
		later[name] = true
	}
	return &Scope{roots: s.roots, top: s.top, later: later, absent: s.absent}
}

// isLater reports whether path, or something that it stands below, comes later.
// An optional root has the names of the others: what they get later, it does too.
func (s *Scope) isLater(path string) bool {
	for at := path; at != ""; at = at[:max(strings.LastIndexByte(at, '.'), 0)] {
		if s.later[at] {
			return true
		}
	}
	return slices.ContainsFunc(s.roots, func(root scopeRoot) bool {
		rest, ok := strings.CutPrefix(path, root.Name+".")
		return ok && root.Optional && root.Name != "" && s.isLater(rest)
	})
}

// planned lists what a planned expression can read: the variables that are known
// before the run, and known(…) of the optional roots.
func (s *Scope) planned() []string {
	var variables, questions []string
	for _, root := range s.roots {
		if root.Optional {
			if !s.inOptional(root.Name) {
				questions = append(questions, "known("+below(root.Name, "…")+")")
			}
			continue
		}
		for _, f := range root.structure.fields {
			if f.plan && !s.isAbsent(root, f.name) {
				variables = append(variables, below(root.Name, f.name))
			}
		}
	}
	return append(variables, questions...)
}

// inOptional reports whether a name stands below an optional root's.
func (s *Scope) inOptional(name string) bool {
	return slices.ContainsFunc(s.roots, func(outer scopeRoot) bool {
		return outer.Optional && strings.HasPrefix(name, outer.Name+".")
	})
}

// candidates lists what a misspelt top-level name may have meant: every dotted
// path outside lists, and the figures of distributions.
func (s *Scope) candidates() []string {
	paths := []string{"true", "false"}
	for _, root := range s.roots {
		paths = append(paths, s.present(root)...)
	}
	return paths
}

// pathsOf lists the dotted paths of a structure, lists left closed.
func pathsOf(prefix string, s *structure) []string {
	var paths []string
	for _, f := range s.fields {
		path := below(prefix, f.name)
		paths = append(paths, path)
		switch {
		case f.kind.isDist():
			for _, figure := range figures {
				paths = append(paths, below(path, figure))
			}
		case f.kind == record:
			paths = append(paths, pathsOf(path, f.inner)...)
		}
	}
	return paths
}

// below is the dotted path of name under prefix.
func below(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

// isName reports whether an expression can spell the name of a variable so.
func isName(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != "" && !slices.Contains([]string{
		"and", "or", "not", "in", "contains", "startsWith", "endsWith", "matches",
		"let", "if", "else", "true", "false", "nil",
	}, name)
}
