package spec

import "slices"

// applyDefaults starts every phase from the file's `defaults`: mappings merge
// key by key, everything else is replaced. Only the allowed keys are taken; that
// others stand there is for the schema to say.
func applyDefaults(root *node, allowed []string) {
	defaults, phases := root.get("defaults"), root.get("phases")
	if defaults == nil || phases == nil {
		return
	}
	taken := &node{form: mapForm, src: defaults.src, at: defaults.at}
	for _, e := range defaults.entries {
		if slices.Contains(allowed, e.key.text) {
			taken.entries = append(taken.entries, e)
		}
	}
	for i, phase := range phases.items {
		if phase.form == mapForm {
			phases.items[i] = merged(taken, phase)
			dropIdle(phases.items[i].get("load"), phase.get("load"))
		}
	}
}

// dropIdle takes inherited keys out of a load whose mode they have no place in:
// a phase can't take them out itself.
func dropIdle(load, own *node) {
	mode := load.get("mode")
	if mode == nil || load == own {
		return
	}
	idle := "waves"
	if mode.text == "wave" {
		idle = "requests"
	}
	if own.get(idle) == nil {
		load.entries = slices.DeleteFunc(load.entries, func(e entry) bool { return e.key.text == idle })
	}
}

// merged is own with the keys it lacks taken from base.
func merged(base, own *node) *node {
	both := *own
	both.entries = slices.Clone(own.entries)
	for i, e := range both.entries {
		if below := base.get(e.key.text); below != nil && below.form == mapForm && e.value.form == mapForm {
			both.entries[i].value = merged(below, e.value)
		}
	}
	for _, e := range base.entries {
		if own.get(e.key.text) == nil {
			both.entries = append(both.entries, e)
		}
	}
	return &both
}
