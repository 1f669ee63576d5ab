package spec

import (
	"fmt"
	"slices"
	"strings"

	"scenario/internal/diag"
)

// GuardSettings are the guards that a phase tunes or switches off.
type GuardSettings []GuardSetting

// decode reads the mapping from guard ids to settings.
func (g *GuardSettings) decode(a At, d *decoder) {
	for _, e := range a.node.entries {
		if d.faults.bad[e.key] || d.faults.bad[e.value] {
			continue
		}
		setting := GuardSetting{At: At{node: e.value, key: e.key}, ID: e.key.text}
		for _, key := range e.value.entries {
			at := setting.At.Key(key.key.text)
			switch {
			case key.key.text == "because":
				d.value(at, valueOf(&setting.Because))
			case key.key.text == "effect" && key.value.text == "off":
				setting.Off = true
			case key.key.text == "effect":
				d.value(at, valueOf(&setting.Effect))
			default:
				if setting.Thresholds == nil {
					setting.Thresholds = map[string]float64{}
				}
				var threshold float64
				d.value(at, valueOf(&threshold))
				setting.Thresholds[key.key.text] = threshold
			}
		}
		*g = append(*g, setting)
	}
}

// checkGuards looks for guards and thresholds that do not exist.
func (c *checker) checkGuards(p *Phase) {
	var ids []string
	for _, guard := range c.options.Guards {
		ids = append(ids, guard.ID)
	}
	for _, setting := range p.Guards {
		i := slices.Index(ids, setting.ID)
		if i < 0 {
			message := fmt.Sprintf("there is no guard %q", setting.ID)
			fix := "the guards are " + strings.Join(sorted(ids), ", ")
			if nearest, ok := diag.Nearest(setting.ID, append(sorted(ids), c.options.LaterGuards...)); ok {
				message, fix = message+fmt.Sprintf(" (did you mean %q?)", nearest), "write "+nearest
			}
			c.faults.add(setting.At.key, message, fix)
			continue
		}
		for _, name := range sortedKeys(setting.Thresholds) {
			if thresholds := c.options.Guards[i].Thresholds; !slices.Contains(thresholds, name) {
				message, fix := unknownKey(name, append([]string{"because", "effect"}, thresholds...))
				c.faults.add(setting.At.Key(name).key, message, fix)
			}
		}
	}
}
