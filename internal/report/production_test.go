package report

import (
	"strings"
	"testing"

	"scenario/internal/engine"
)

func TestWhatIsNotCoveredInEveryReport(t *testing.T) {
	const gap = "production uses tools, and no level that counts does"
	run := func(effect engine.Effect, v engine.Verdict) *engine.Result {
		r := ladder(100, 200)
		r.Phases[0].Summary, r.Verdict = nil, v
		r.Production = &engine.ProductionResult{Features: []string{"tools"}, NotCovered: []string{gap}, Effect: effect}
		return r
	}
	void := run(engine.Void, engine.Verdict{Decision: engine.Invalid, ExitCode: 4, Reasons: []string{"not-covered: " + gap}})
	note := run(engine.Warn, engine.Verdict{Decision: engine.Go})
	off := run("off", engine.Verdict{Decision: engine.Go})
	for name, c := range map[string]struct {
		write func(*strings.Builder, *engine.Result) error
		void  string
		note  string
	}{
		"terminal": {func(b *strings.Builder, r *engine.Result) error { return Terminal(b, r, NewPalette(false)) }, "INVALID\n  not-covered: " + gap, "note: not covered: " + gap},
		"markdown": {func(b *strings.Builder, r *engine.Result) error { return Markdown(b, r) }, "- not-covered: " + gap, "- not covered: " + gap},
		"junit":    {func(b *strings.Builder, r *engine.Result) error { return JUnit(b, r) }, `<error message="not-covered: ` + gap + `" type="INVALID">`, ""},
	} {
		for state, r := range map[string]*engine.Result{c.void: void, c.note: note} {
			var b strings.Builder
			if err := c.write(&b, r); err != nil || !strings.Contains(b.String(), state) {
				t.Errorf("%s: %v, no %q:\n%s", name, err, state, &b)
			}
		}
		var b strings.Builder
		if err := c.write(&b, off); err != nil || strings.Contains(b.String(), gap) {
			t.Errorf("%s tells of what is switched off: %v\n%s", name, err, &b)
		}
	}
}
