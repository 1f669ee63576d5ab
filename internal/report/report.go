// Package report shows what a run found. In goes a finished *engine.Result (or a
// plan, or the events of a run while it goes on); out come text for a terminal
// and the files of a run's folder. Every report takes its figures from the
// result: none computes one.
//
// Figures of levels that are neither accepted nor missed are never printed as
// results: their place holds a dash, and the reason stands below.
package report

import "github.com/fatih/color"

// Palette colours words for a terminal, or leaves them as they are.
type Palette struct {
	good, bad, warn, dim, bold *color.Color
}

// NewPalette is a palette with colour or without.
func NewPalette(coloured bool) Palette {
	p := Palette{
		good: color.New(color.FgGreen, color.Bold),
		bad:  color.New(color.FgRed, color.Bold),
		warn: color.New(color.FgYellow),
		dim:  color.New(color.Faint),
		bold: color.New(color.Bold),
	}
	for _, c := range []*color.Color{p.good, p.bad, p.warn, p.dim, p.bold} {
		if coloured {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
	}
	return p
}
