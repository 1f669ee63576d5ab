package spec

import "reflect"

func (s *Scenario) setDefaults() { s.Seed = 1 }

func (p *Phase) setDefaults() {
	p.Load = LoadSettings{
		Mode: "closed", Sessions: Count{Auto: true}, Waves: 1,
		Arrivals: "poisson", MaxInFlight: 1024, Drain: "finish",
	}
	p.Warmup = Warmup{Scope: "level", Requests: Count{PerC: 1}, OutputTokens: 32}
	p.Canaries = "edges"
	p.Stream = true
	p.Repeats = 1
	p.Temperature = Optional[float64]{Set: true}
	p.Seed = Optional[int64]{Set: true}
}

// decode reads `off`, or the keys of a warm-up.
func (w *Warmup) decode(a At, d *decoder) {
	w.At = a
	if a.node.form == textForm {
		w.Off = a.node.text == "off"
		return
	}
	d.structure(a, valueOf(w))
}

// decode reads a value, or `unset`.
func (o *Optional[T]) decode(a At, d *decoder) {
	if a.node.form == textForm && a.node.text == "unset" {
		*o = Optional[T]{}
		return
	}
	o.Set = true
	d.value(a, valueOf(&o.Value))
}

// place gives the parts of a phase that the file leaves out the phase's own
// place.
func (p *Phase) place() {
	for key, at := range map[string]*At{"load": &p.Load.At, "warmup": &p.Warmup.At} {
		if at.node == nil {
			*at = p.At.Key(key)
		}
	}
}

// valueOf is the variable behind a pointer.
func valueOf[T any](pointer *T) reflect.Value { return reflect.ValueOf(pointer).Elem() }
