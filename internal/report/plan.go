package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"scenario/internal/engine"
	"scenario/internal/metric"
)

// Plan prints what a scenario would send: requests, tokens and KV demand of each
// level, and what its checks and guards are.
func Plan(w io.Writer, plan *engine.Plan, p Palette) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  seed %d\n", p.bold.Sprint(plan.Scenario.Name), plan.Seed)
	requests, tokens := 0, 0
	for _, ph := range plan.Phases {
		fmt.Fprintf(&b, "\n%s  %s\n", p.bold.Sprint(ph.Spec.Name), p.dim.Sprintf("%s · %s · cache %s", ph.Kind.Name, ph.Spec.Load.Mode, ph.Cache))
		planTable(&b, ph)
		for i, l := range ph.Levels {
			warmups := warmupsOf(ph, i)
			requests += l.Sessions + warmups
			tokens += l.Sessions*(l.Profile.PromptTokens+l.Profile.OutputTokens) + warmups*(l.Profile.PromptTokens+ph.Spec.Warmup.OutputTokens)
			if l.KV != nil && l.KV.Message != "" {
				fmt.Fprintf(&b, "  %s %s\n", p.warn.Sprint("kv-bound"), l.KV.Message)
			}
		}
		planChecks(&b, ph, p)
	}
	fmt.Fprintf(&b, "\n%d requests, at most %s tokens in and out\n", requests, metric.Short(float64(tokens)))
	_, err := io.WriteString(w, b.String())
	return err
}

// warmupsOf is the number of warm-up sessions before the i-th level that is run.
func warmupsOf(ph *engine.PhasePlan, i int) int {
	if ph.Spec.Warmup.Scope != "level" && i > 0 {
		return 0
	}
	return ph.Levels[i].Warmups
}

func planTable(b *strings.Builder, ph *engine.PhasePlan) {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(table.Row{"C", "gated", "requests", "warm-up", "tokens in", "tokens out", "KV tokens", "KV shared"})
	var configs []table.ColumnConfig
	for i := range 8 {
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(configs)
	for i, l := range ph.Levels {
		gated := "yes"
		if !l.Gated {
			gated = "explored"
		}
		shared := dash
		if l.Profile.KVShared > 0 {
			shared = metric.Short(float64(l.Profile.KVShared))
		}
		t.AppendRow(table.Row{
			l.Concurrency, gated, l.Sessions, warmupsOf(ph, i),
			metric.Short(float64(l.Sessions * l.Profile.PromptTokens)), metric.Short(float64(l.Sessions * l.Profile.OutputTokens)),
			metric.Short(float64(l.Profile.KVTokens)), shared,
		})
	}
	b.WriteString(t.Render() + "\n")
}

func planChecks(b *strings.Builder, ph *engine.PhasePlan, p Palette) {
	for _, c := range ph.Checks {
		line := fmt.Sprintf("  %-8s %s", c.Group, c.Spec.Expr)
		if !c.Spec.When.Empty() {
			line += p.dim.Sprintf("  when %s", c.Spec.When)
		}
		b.WriteString(line + "\n")
	}
}
