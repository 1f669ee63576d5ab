package spec

import "strings"

// refuseNulls reports keys and items without a value: `concurrency:` is never
// what its author meant. Inside a request body an explicit null is a value.
func refuseNulls(root *node, f *faults) {
	for _, e := range root.entries {
		if !strings.HasPrefix(e.key.text, "x-") {
			nulls{f}.entry(e, false)
		}
	}
}

// needed are keys that cannot be left out where they stand.
var needed = map[string]bool{
	"name": true, "target": true, "base_url": true, "phases": true, "kind": true, "workload": true, "checks": true,
	"concurrency": true, "expr": true, "correct": true,
}

type nulls struct{ faults *faults }

func (w nulls) entry(e entry, body bool) {
	if w.faults.bad[e.value] || w.faults.bad[e.key] {
		return
	}
	if e.value.form != nullForm {
		// What a kind makes of null is for its schema to say.
		w.below(e.value, body || e.key.text == "body" || e.key.text == "workload")
		return
	}
	name, rest, joined := strings.Cut(e.key.text, ":")
	switch {
	case joined && e.value.implicit:
		w.faults.add(e.key, "YAML takes all of this for a key without a value", "write a space after the colon: "+name+": "+short(rest))
		w.faults.bad[e.value] = true
	case !body:
		fix := "give it one, or leave the key out"
		if needed[e.key.text] {
			fix = "give it one"
		}
		w.faults.add(e.key, e.key.text+" has no value", fix)
		w.faults.bad[e.value] = true
	case e.value.implicit:
		w.faults.add(e.key, e.key.text+" has no value", "write null or a value, or leave the key out")
		w.faults.bad[e.value] = true
	}
}

func (w nulls) below(n *node, body bool) {
	if w.faults.bad[n] {
		return
	}
	for _, e := range n.entries {
		w.entry(e, body)
	}
	for _, item := range n.items {
		if item.form == nullForm && (item.implicit || !body) {
			fix := "give it one, or remove the dash"
			if n.flow {
				fix = "give it one, or remove it"
			}
			w.faults.add(item, "an item of this list has no value", fix)
		} else {
			w.below(item, body)
		}
	}
}
