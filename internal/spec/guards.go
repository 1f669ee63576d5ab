package spec

import (
	"fmt"
	"slices"
	"strconv"
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
		c.checkThresholds(setting, c.options.Guards[i].Thresholds)
	}
}

// checkThresholds wants thresholds that the guard has, each within its range.
func (c *checker) checkThresholds(setting GuardSetting, thresholds []ThresholdSchema) {
	names := []string{"because", "effect"}
	for _, threshold := range thresholds {
		names = append(names, threshold.Name)
	}
	for _, name := range sortedKeys(setting.Thresholds) {
		at, value := setting.At.Key(name), setting.Thresholds[name]
		i := slices.IndexFunc(thresholds, func(t ThresholdSchema) bool { return t.Name == name })
		if i < 0 {
			message, fix := unknownKey(name, names, setting.At.node.beside(at.key))
			c.faults.add(at.key, message, fix)
			continue
		}
		words := fmt.Sprintf("must be from %s to %s", plainNumber(thresholds[i].Min), plainNumber(thresholds[i].Max))
		if thresholds[i].Min == 0 && thresholds[i].Max == 1 {
			words = "must be a share from 0 to 1"
		}
		if value < thresholds[i].Min || value > thresholds[i].Max {
			c.faults.add(at.node, fmt.Sprintf("%s %s; found %s", name, words, at.node.found()), "")
		}
	}
}

// plainNumber writes a number as a file does.
func plainNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
