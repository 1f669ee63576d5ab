package simserver

// A Persona is one fault of a deployment, seen in the world, that a healthy
// server can be given with Config.With; or, if it is sound, a habit that is odd
// and no fault.
type Persona struct {
	Name  string // as in `scenario run --simulate=NAME`
	Doc   string // one sentence: what the server does
	Sound bool   // what it does is no fault

	bend func(*Config)
}

// Personas returns all personas, sorted by name. The healthy server is none of
// them. A new one is a file of its own, a line here and, if no hook of faults
// fits it, one more hook.
func Personas() []Persona {
	return []Persona{
		buffered(),
		capsConcurrency(),
		chatty(),
		dies(),
		eightPerEvent(),
		errorsUnderLoad(),
		evicts(),
		foreignTraffic(),
		ignoresIgnoreEOS(),
		keepsCache(),
		lostText(),
		oneAnswer(),
		repeats(),
		restarts(),
		shortPrompt(),
		slowsDown(),
		swappedStreams(),
		usageLast(),
		warmCache(),
		wrongUnderLoad(),
	}
}

// Find returns the persona of that name. "healthy" is found, too, and changes
// nothing.
func Find(name string) (Persona, bool) {
	if name == "healthy" {
		return Persona{Name: name, Doc: "answers every request as a sound deployment does"}, true
	}
	for _, p := range Personas() {
		if p.Name == name {
			return p, true
		}
	}
	return Persona{}, false
}
