package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// report is the outcome of all measurements.
type report struct {
	Machine string `json:"machine"`
	Rows    []row  `json:"rows"`
}

// row is one figure of one case.
type row struct {
	Case   string `json:"case"`
	Stamps string `json:"stamps"` // whose: kernel or read
	figure
}

// measure makes all measurements, one after the other.
func measure(list []measured, progress io.Writer) (*report, error) {
	cores := place()
	r := &report{Machine: sprint("%s/%s, %d cores, %s, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), cores)}
	var cost []figure // CPU per event, by number of streams
	for i, m := range list {
		fmt.Fprintf(progress, "%d/%d %s\n", i+1, len(list), m.Name)
		s, err := once(m.load, cores)
		if err != nil {
			return nil, err
		}
		stamps := "kernel"
		if s.KernelShare < 0.5 {
			stamps = "read"
		}
		for _, f := range m.want(s) {
			r.Rows = append(r.Rows, row{m.Name, stamps, f})
			if f.Unit == "MB" {
				cost = append(cost, figure{Name: strconv.Itoa(m.Streams), Value: s.CPU})
			}
		}
	}
	if few, many := cost[0], cost[len(cost)-1]; few.Value > 0 {
		r.Rows = append(r.Rows, row{
			sprint("%s to %s streams at one rate of all tokens", few.Name, many.Name), "kernel",
			figure{"CPU per event, ratio", "", many.Value / few.Value, &target{Bound: 1.6}},
		})
	}
	return r, nil
}

// print prints the table: a line for each figure, with the target it met or missed.
func (r *report) print(w io.Writer) error {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(table.Row{"case", "stamps", "figure", "found", "target", ""})
	last, missed, atFloor := "", 0, 0
	floor := r.Rows[0].Value
	for _, row := range r.Rows {
		name := row.Case
		if name+row.Stamps == last {
			name = ""
		}
		last = row.Case + row.Stamps
		bound, verdict := "", ""
		if row.Target != nil {
			sign := "≤"
			if row.Target.Least {
				sign = "≥"
			}
			bound, verdict = sprint("%s %s", sign, short(row.Target.Bound)), "met"
			if !row.Target.met(row.Value) {
				verdict = "MISSED"
				missed++
				if scaled := row.Target.on(floor); row.Target.CPU && scaled.met(row.Value) {
					verdict += sprint("; met by this machine's floor (%s %s)", sign, short(scaled.Bound))
					atFloor++
				}
			}
		}
		t.AppendRow(table.Row{name, row.Stamps, row.Name, short(row.Value) + " " + row.Unit, bound, verdict})
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n%d targets missed, %d of them met by this machine's floor\n", r.Machine, t.Render(), missed, atFloor)
	return err
}

// short writes a number with three digits.
func short(v float64) string {
	digits := 0
	if size := math.Abs(v); size > 0 && size < 100 {
		digits = 2 - int(math.Floor(math.Log10(size)))
	}
	return strconv.FormatFloat(v, 'f', min(digits, 4), 64)
}
