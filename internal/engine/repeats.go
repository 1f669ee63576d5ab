package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"scenario/internal/formula"
	"scenario/internal/metric"
)

// RepeatResult is one of several runs of a level. Its figures are in Figures where
// those of the level may be shown.
type RepeatResult struct {
	Repeat   int             `json:"repeat" doc:"which of the level's runs, from 1"`
	State    State           `json:"state" doc:"as of a level"`
	Why      string          `json:"why,omitempty" doc:"what kept it from being accepted"`
	Started  *time.Time      `json:"started,omitempty" doc:"wall clock"`
	Wall     metric.Duration `json:"wall" doc:"from before the first session was prepared to the end of the last; null where figures are withheld"`
	Figures  *metric.Level   `json:"figures,omitempty" doc:"its figures, where the level is accepted or missed"`
	Withheld *metric.Level   `json:"withheld,omitempty" doc:"its figures, where the level is neither: not results"`
	Checks   []CheckResult   `json:"checks,omitempty" doc:"the phase's checks"`
	Guards   []GuardResult   `json:"guards,omitempty" doc:"built-in guards that fired or could not be checked"`
	Canaries *CanaryResult   `json:"canaries,omitempty" doc:"requests with known answers"`
}

// again is the level as it is run the i-th time, from 0: with prompts of its own.
func (l *LevelPlan) again(i int) *LevelPlan {
	one := *l
	one.Repeat, one.Ordinal = i, l.Ordinal+i*l.ordinals()
	return &one
}

// number is which of several runs this is, from 1; 0: it is the only one.
func (l *LevelPlan) number() int {
	if l.Repeats <= 1 {
		return 0
	}
	return l.Repeat + 1
}

// Total is how many measured sessions the level sends in all its repeats.
func (l *LevelPlan) Total() int { return l.Sessions * l.runs() }

// runs is how often the level is run.
func (l *LevelPlan) runs() int { return max(1, l.Repeats) }

// repeated runs a level as often as the phase says, each time whole and each time
// judged, and makes one result of it. It stops early only where no further run can
// be had: interrupted, the target dead or hanging, or this machine too slow.
func (p *phaseRun) repeated(ctx context.Context, l *LevelPlan, result *LevelResult) {
	if l.Repeats <= 1 {
		p.level(ctx, l, result)
		result.release()
		return
	}
	var runs []*LevelResult
	for i := range l.Repeats {
		r := &LevelResult{Concurrency: l.Concurrency, Rate: l.Rate, Gated: l.Gated, Planned: l.Sessions, KV: l.KV}
		p.level(ctx, l.again(i), r)
		runs = append(runs, r)
		if ctx.Err() != nil || p.runner.died != "" || r.State == IncompleteLevel || r.Found() == nil {
			break
		}
	}
	p.pool(l, runs, result)
}

// release lets go of the level's requests.
func (l *LevelResult) release() {
	if found := l.Found(); found != nil {
		found.Release()
	}
}

// worstRun is the first of the runs that are in the worst state of all.
func worstRun(runs []*LevelResult) int {
	order := []State{Accepted, Missed, IncompleteLevel, UndecidedLevel, InvalidLevel, Rejected}
	worst := 0
	for i, r := range runs {
		if slices.Index(order, r.State) > slices.Index(order, runs[worst].State) {
			worst = i
		}
	}
	return worst
}

// pool makes a level's result of those of its runs: the state is that of the worst,
// whose checks are shown; counts and distributions are over the requests of all,
// rates are the median.
func (p *phaseRun) pool(l *LevelPlan, runs []*LevelResult, result *LevelResult) {
	decisive := worstRun(runs)
	worst := runs[decisive]
	result.Started, result.State, result.Canaries = runs[0].Started, worst.State, worst.Canaries
	if worst.Reason != "" {
		result.Reason = fmt.Sprintf("repeat %d of %d: %s", decisive+1, l.Repeats, worst.Reason)
	}
	if len(runs) < l.Repeats && result.State.Shown() {
		result.State, result.Reason = IncompleteLevel, fmt.Sprintf("interrupted after %d of %d repeats", len(runs), l.Repeats)
	}
	for _, c := range worst.Checks {
		c.Repeat = decisive + 1
		result.Checks = append(result.Checks, c)
	}
	var levels []*metric.Level
	var figures []map[string]any
	var walls []float64
	var requests []*metric.Request
	for _, r := range runs {
		result.Warmup = result.Warmup.plus(r.Warmup)
		if found := r.Found(); found != nil {
			levels, requests = append(levels, found), append(requests, found.Requests...)
			figures = append(figures, r.formulas())
		}
		if wall, ok := r.Wall.Duration(); ok {
			walls = append(walls, float64(wall))
		}
	}
	result.Guards, result.Notes = mergedGuards(runs), nil
	if len(levels) > 0 {
		result.summarise(requests)
		found := metric.Pool(levels, p.plan.limits())
		scale(p.result.Levels, found, result)
		slices.Sort(walls)
		wall := time.Duration(0)
		if len(walls) > 0 {
			wall = time.Duration(metric.Interpolate(walls, 0.5))
		}
		result.place(found, middle(figures), wall)
	}
	result.Notes = mergedNotes(runs)
	for i, r := range runs {
		result.Repeats = append(result.Repeats, r.asRepeat(i+1, result.State))
	}
	result.release()
	for _, l := range levels {
		l.Release()
	}
}

// formulas are a level's figures by published methods, whether they may be shown or
// not.
func (l *LevelResult) formulas() map[string]any {
	if l.Figures != nil {
		return l.Formulas
	}
	return l.WithheldFormulas
}

// middle are the figures by published methods of the run in the middle: such a
// figure is always one that was measured.
func middle(runs []map[string]any) map[string]any {
	if len(runs) == 0 || runs[0] == nil {
		return nil
	}
	one := map[string]any{}
	for id := range runs[0] {
		var all []any
		for _, figures := range runs {
			all = append(all, figures[id])
		}
		one[id] = formula.Middle(all)
	}
	return one
}

// asRepeat is the run as one of a level of the given state.
func (l *LevelResult) asRepeat(number int, level State) RepeatResult {
	r := RepeatResult{
		Repeat: number, State: l.State, Started: l.Started,
		Checks: slices.Clone(l.Checks), Guards: l.Guards, Canaries: l.Canaries,
	}
	if l.State != Accepted {
		r.Why = l.Why()
	}
	if level.Shown() {
		r.Figures, r.Wall = l.Found(), l.Wall
		return r
	}
	r.Withheld = l.Found()
	for i := range r.Checks {
		r.Checks[i].withhold()
	}
	return r
}

// withholdRepeats takes back the figures of a level's runs.
func (l *LevelResult) withholdRepeats() {
	for i := range l.Repeats {
		r := &l.Repeats[i]
		if r.Figures != nil {
			r.Figures, r.Withheld, r.Wall = nil, r.Figures, metric.Duration{}
		}
		for j := range r.Checks {
			r.Checks[j].withhold()
		}
	}
}

// plus adds the counts of another warm-up; either may be nil.
func (w *WarmupResult) plus(other *WarmupResult) *WarmupResult {
	switch {
	case other == nil:
		return w
	case w == nil:
		sum := *other
		return &sum
	}
	w.Sent += other.Sent
	w.Failed += other.Failed
	if w.Error == "" {
		w.Error = other.Error
	}
	return w
}

// saying is something said of some of a level's runs.
type saying struct {
	runs  []string // their numbers
	first string
	same  bool // all of them say the same
}

func (s *saying) add(run int, text string) {
	if len(s.runs) == 0 {
		s.first, s.same = text, true
	}
	s.runs = append(s.runs, fmt.Sprint(run))
	s.same = s.same && text == s.first
}

// text is what was said, and of which of so many runs.
func (s *saying) text(runs int) string {
	switch {
	case len(s.runs) == runs && s.same:
		return s.first
	case len(s.runs) == 1:
		return fmt.Sprintf("repeat %s of %d: %s", s.runs[0], runs, s.first)
	case s.same:
		return fmt.Sprintf("repeats %s of %d: %s", strings.Join(s.runs, ", "), runs, s.first)
	}
	return fmt.Sprintf("repeats %s of %d, first: %s", strings.Join(s.runs, ", "), runs, s.first)
}

// mergedGuards are what the guards said of any of the runs.
func mergedGuards(runs []*LevelResult) []GuardResult {
	type key struct {
		id     string
		status GuardStatus
		effect Effect
	}
	said := map[key]*saying{}
	var order []key
	for i, r := range runs {
		for _, g := range r.Guards {
			k := key{g.ID, g.Status, g.Effect}
			if said[k] == nil {
				said[k] = new(saying)
				order = append(order, k)
			}
			said[k].add(i+1, g.Message)
		}
	}
	var merged []GuardResult
	for _, k := range order {
		merged = append(merged, GuardResult{k.id, k.status, k.effect, said[k].text(len(runs))})
	}
	return merged
}

// mergedNotes are the notes of all runs.
func mergedNotes(runs []*LevelResult) []string {
	said := map[string]*saying{}
	var order []string
	for i, r := range runs {
		for _, note := range r.Notes {
			if said[note] == nil {
				said[note] = new(saying)
				order = append(order, note)
			}
			said[note].add(i+1, note)
		}
	}
	var merged []string
	for _, note := range order {
		merged = append(merged, said[note].text(len(runs)))
	}
	return merged
}
