package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"scenario/internal/engine"
)

// mostAnnotations is how many errors, and how many warnings, GitHub shows of one
// step.
const mostAnnotations = 10

// Annotations writes results, without their secrets, as workflow commands that
// GitHub Actions shows beside the scenario's lines: an error for what kept a level
// that counts from being accepted, the worst first, and a warning for guards that
// warn. What is the same at several levels is one of them. workspace is the folder
// that GitHub finds files from; empty: their paths stay as they are.
func Annotations(w io.Writer, workspace string, results ...*engine.Result) error {
	var errs, warnings []annotation
	for _, r := range results {
		found := annotate(r)
		errs = append(errs, found.errors...)
		warnings = append(warnings, found.warnings...)
	}
	slices.SortStableFunc(errs, func(a, b annotation) int { return cmp.Compare(a.weight, b.weight) })
	var b strings.Builder
	for _, a := range atMost(errs) {
		b.WriteString(a.command("error", workspace))
	}
	for _, a := range atMost(warnings) {
		b.WriteString(a.command("warning", workspace))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// atMost keeps as many annotations as GitHub shows; the last one says how many
// are left out.
func atMost(list []annotation) []annotation {
	if len(list) <= mostAnnotations {
		return list
	}
	left := len(list) - mostAnnotations + 1
	rest := annotation{title: "more", file: list[mostAnnotations-1].file, message: []string{fmt.Sprintf("%d more are in the run's report.md", left)}}
	return append(slices.Clone(list[:mostAnnotations-1]), rest)
}

// annotation is one workflow command.
type annotation struct {
	what    string // phase and finding
	about   string // guard or expression: with what and at, the same at several levels
	at      string // file:line:col, or what else a check's place is
	file    string // of the scenario, where at names no place in a file
	weight  int    // 0: the worst
	levels  []string
	title   string // in place of what and levels
	message []string
}

// command is a workflow command as GitHub's runner reads it.
func (a annotation) command(kind, workspace string) string {
	file, line, col := place(a.at)
	if file == "" {
		file = a.file
	}
	title := a.title
	if title == "" {
		title = a.what + " at " + strings.Join(a.levels, ", ")
	}
	var properties []string
	add := func(name, value string) {
		if value != "" && value != "0" {
			properties = append(properties, name+"="+escapeProperty(value))
		}
	}
	add("file", fromWorkspace(file, workspace))
	add("line", strconv.Itoa(line))
	add("col", strconv.Itoa(col))
	add("title", title)
	return fmt.Sprintf("::%s %s::%s\n", kind, strings.Join(properties, ","), escapeMessage(strings.Join(a.message, "\n")))
}

var (
	// escapeMessage and escapeProperty are GitHub's rules for workflow commands.
	escapeMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace
)

// place reads file:line:col; anything else is no place.
func place(at string) (file string, line, col int) {
	rest, last, _ := cutLast(at)
	file, first, ok := cutLast(rest)
	line, lineErr := strconv.Atoi(first)
	col, colErr := strconv.Atoi(last)
	if !ok || errors.Join(lineErr, colErr) != nil || strings.HasPrefix(file, "--") {
		return "", 0, 0
	}
	return file, line, col
}

// cutLast cuts at the last colon.
func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

// fromWorkspace is a file's path within the workspace, or as it is.
func fromWorkspace(file, workspace string) string {
	if workspace == "" || file == "" {
		return file
	}
	whole, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	relative, err := filepath.Rel(workspace, whole)
	if err != nil || !filepath.IsLocal(relative) {
		return file
	}
	return filepath.ToSlash(relative)
}

// annotations are those of one result.
type annotations struct {
	result           *engine.Result
	errors, warnings []annotation
}

func annotate(r *engine.Result) annotations {
	all := annotations{result: r}
	reasons := elsewhere(r)
	for _, phase := range slices.Sorted(maps.Keys(reasons)) {
		title := strings.TrimSpace(r.Scenario.Name+" "+phase) + ": " + string(r.Verdict.Decision)
		for _, reason := range reasons[phase] {
			all.errors = append(all.errors, annotation{title: title, file: r.Scenario.File, message: []string{reason}})
		}
	}
	for _, p := range r.Phases {
		for _, l := range judged(p) {
			all.level(p, l)
		}
	}
	if len(all.errors) == 0 && r.Verdict.Decision != engine.Go {
		all.errors = []annotation{{title: r.Scenario.Name, file: r.Scenario.File, message: []string{"the verdict is " + string(r.Verdict.Decision)}}}
	}
	return all
}

// worst are the states that keep a level from being accepted.
func worst() []engine.State {
	return []engine.State{engine.Rejected, engine.Missed, engine.InvalidLevel, engine.UndecidedLevel, engine.IncompleteLevel, engine.Skipped}
}

// level adds what was found at a level to what was found at others.
func (all *annotations) level(p *engine.PhaseResult, l *engine.LevelResult) {
	one := annotation{file: all.result.Scenario.File, weight: 1 + slices.Index(worst(), l.State), levels: []string{levelName(l)}}
	finding := func(what, about, at, message string) annotation {
		a := one
		a.what, a.about, a.at, a.message = p.Name+": "+what, about, at, []string{levelName(l) + ": " + message}
		return a
	}
	for _, g := range l.Guards {
		if g.Status == engine.Fired && g.Effect == engine.Warn {
			all.warnings = merge(all.warnings, finding("warn "+g.ID, g.ID, "", g.Message))
		}
	}
	if !l.Gated || l.State == engine.Accepted {
		return
	}
	var found []annotation
	said := false // the reason, by a guard
	for _, g := range l.Guards {
		if decisiveGuard(g) {
			found = append(found, finding(string(g.Effect)+" "+g.ID, g.ID, "", g.Message))
			said = said || g.Message == l.Reason
		}
	}
	for _, c := range l.Checks {
		if decisiveCheck(l, c) {
			found = append(found, finding(string(c.Group)+" "+string(c.Result), c.Expr, c.At, c.Sentence()))
		}
	}
	if len(found) == 0 || l.Reason != "" && !said {
		found = append(found, finding(string(l.State), "", "", l.Why()))
	}
	for _, a := range found {
		all.errors = merge(all.errors, a)
	}
}

// merge adds a finding to the one that is the same at other levels.
func merge(list []annotation, a annotation) []annotation {
	i := slices.IndexFunc(list, func(b annotation) bool { return a.what == b.what && a.about == b.about && a.at == b.at })
	if i < 0 {
		return append(list, a)
	}
	b := &list[i]
	b.levels, b.message, b.weight = append(b.levels, a.levels...), append(b.message, a.message...), min(b.weight, a.weight)
	return list
}
