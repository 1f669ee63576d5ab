package engine

import (
	"fmt"

	"scenario/internal/diag"
)

// selection is the names of the phases to run: those asked for and all that they
// require. It is empty when all run.
func (p *planner) selection() map[string]bool {
	selected := map[string]bool{}
	var names []string
	for _, ph := range p.plan.Scenario.Phases {
		names = append(names, ph.Name)
	}
	for _, name := range p.options.Phases {
		p.selectPhase(name, names, selected)
		p.plan.Partial = append(p.plan.Partial, "--phase "+name)
	}
	return selected
}

func (p *planner) selectPhase(name string, names []string, selected map[string]bool) {
	for _, ph := range p.plan.Scenario.Phases {
		if ph.Name != name || selected[name] {
			continue
		}
		selected[name] = true
		for _, required := range ph.Requires {
			p.selectPhase(required.String(), names, selected)
		}
	}
	if selected[name] {
		return
	}
	message := fmt.Sprintf("--phase %s: the scenario has no such phase; it has %s", name, diag.Quoted(names))
	if near, ok := diag.Nearest(name, names); ok {
		message += fmt.Sprintf(" (did you mean %q?)", near)
	}
	p.fault(diag.Diagnostic{Message: message})
}

// nothingSelected refuses a condition that leaves no level to run.
func (p *planner) nothingSelected() {
	for _, ph := range p.plan.Phases {
		if len(ph.Levels) > 0 {
			return
		}
	}
	p.fault(diag.Diagnostic{Message: "--when " + p.options.When + ": no level of the scenario is left to run"})
}
