package assert

// Var describes one variable for people.
type Var struct {
	Path    string // as an expression writes it; fields of a list's elements begin with a dot
	Type    string
	Unit    string
	Doc     string
	Planned bool     // known before the run
	Speed   bool     // a performance figure
	Allowed []string // every value that a text can have; empty: any text
	Fields  []Var    // of a record, and of a list's elements
}

// Vars lists the variables in the order of the roots and their fields.
func (s *Scope) Vars() []Var {
	var vars []Var
	for _, root := range s.roots {
		prefix := ""
		if root.Name != "" {
			prefix = root.Name + "."
		}
		for _, v := range varsOf(prefix, root.structure, root.Optional) {
			if !s.isAbsent(root, v.Path) {
				vars = append(vars, v)
			}
		}
	}
	return vars
}

func varsOf(prefix string, s *structure, optional bool) []Var {
	vars := make([]Var, len(s.fields))
	for i, f := range s.fields {
		vars[i] = Var{
			Path: prefix + f.name, Type: f.kind.String(), Unit: f.unit, Doc: f.doc,
			Planned: f.plan && !optional, Speed: f.speed, Allowed: f.allowed,
		}
		switch f.kind {
		case record:
			vars[i].Fields = varsOf(prefix+f.name+".", f.inner, optional)
		case list:
			vars[i].Fields = varsOf(".", f.inner, optional)
		}
	}
	return vars
}
