package report

import (
	"fmt"
	"strings"

	"scenario/internal/engine"
)

// canaries says how many of a phase's requests with known answers came back
// right, and at which levels some did not. Where they could not be checked their
// guard says why.
func canaries(p *engine.PhaseResult) []string {
	switch {
	case p.Canaries == "off":
		return []string{"canaries off: no questions with known answers were asked under load"}
	case p.Calibration == nil || p.Calibration.NotChecked != "":
		return nil
	}
	sent, right := 0, 0
	var short []string
	for _, l := range p.Levels {
		c := l.Canaries
		if c == nil || c.Sent == 0 {
			continue
		}
		sent, right = sent+c.Sent, right+c.Right
		if c.Right < c.Sent {
			short = append(short, fmt.Sprintf("%d of %d at %s", c.Right, c.Sent, levelName(l)))
		}
	}
	if sent == 0 {
		return nil
	}
	line := fmt.Sprintf("canaries: %d of %d right (%s)", right, sent, strings.Join(p.Calibration.Kinds, ", "))
	if len(short) > 0 {
		line += ": " + strings.Join(short, ", ")
	}
	lines := []string{line}
	if dropped := p.Calibration.Dropped; len(dropped) > 0 {
		lines = append(lines, "canaries not asked, since the model does not know them alone: "+strings.Join(dropped, ", "))
	}
	return lines
}
