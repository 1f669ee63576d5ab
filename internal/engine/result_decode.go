package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"scenario/internal/formula"
)

// DecodeResult reads what a run has stored as result.json, so that it is written
// as it was read. Its errors are one line: what is there is no JSON, has another
// layout, or is no whole result.
func DecodeResult(data []byte) (*Result, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, jsonFault(data, err)
	}
	switch head.Schema {
	case ResultSchema:
	case "":
		return nil, errors.New("this is no result of a scenario run: it names no schema")
	default:
		return nil, fmt.Errorf("its layout is %q, and this version reads %q", head.Schema, ResultSchema)
	}
	r := new(Result)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, jsonFault(data, err)
	}
	return r, r.whole()
}

// whole finds what a report could not do without.
func (r *Result) whole() error {
	if !slices.Contains([]Decision{Go, NoGo, Invalid, Incomplete, Unusable}, r.Verdict.Decision) {
		return fmt.Errorf("it has no verdict: decision is %q", r.Verdict.Decision)
	}
	for i, p := range r.Phases {
		if p == nil {
			return fmt.Errorf("phase %d is null", i)
		}
		for j, l := range p.Levels {
			if l == nil {
				return fmt.Errorf("level %d of phase %q is null", j, p.Name)
			}
			if !isState(l.State) {
				return fmt.Errorf("level %d of phase %q has no state: it is %q", j, p.Name, l.State)
			}
		}
		if s := p.Summary; s != nil && !isState(s.State) {
			return fmt.Errorf("the summary of phase %q has no state: it is %q", p.Name, s.State)
		}
	}
	return nil
}

// isState reports whether s is a state of a level.
func isState(s State) bool {
	return slices.Contains([]State{Accepted, Missed, Rejected, InvalidLevel, UndecidedLevel, IncompleteLevel, Skipped}, s)
}

// jsonFault says in a line what is wrong with a JSON text.
func jsonFault(data []byte, err error) error {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case len(data) == 0:
		return errors.New("it is empty")
	case errors.As(err, &syntax) && int(syntax.Offset) >= len(data):
		return fmt.Errorf("its JSON is cut off after %d bytes", len(data))
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not valid JSON: %w (byte %d)", err, syntax.Offset)
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return fmt.Errorf("%s is of the wrong type: %s", strings.Replace(mistyped.Field, "plain.", "", 1), mistyped.Value) // plain: see UnmarshalJSON
	case errors.As(err, &mistyped):
		return fmt.Errorf("it holds a value of the wrong type: %s", mistyped.Value)
	}
	return err
}

// UnmarshalJSON reads what is written of a level. Figures of a formula that this
// build does not have are kept as they stand.
func (l *LevelResult) UnmarshalJSON(data []byte) error {
	type plain LevelResult
	var level struct {
		plain
		Formulas         map[string]json.RawMessage `json:"formulas"`
		WithheldFormulas map[string]json.RawMessage `json:"withheld_formulas"`
	}
	if err := json.Unmarshal(data, &level); err != nil {
		return err
	}
	*l = LevelResult(level.plain)
	var err, other error
	l.Formulas, err = formulaFigures(level.Formulas)
	l.WithheldFormulas, other = formulaFigures(level.WithheldFormulas)
	return errors.Join(err, other)
}

// formulaFigures are the structs that formulas compute.
func formulaFigures(stored map[string]json.RawMessage) (map[string]any, error) {
	if stored == nil {
		return nil, nil
	}
	all := map[string]any{}
	for id, data := range stored {
		f, ok := formula.Find(id)
		if !ok {
			all[id] = data
			continue
		}
		figures := reflect.New(f.Figures).Interface()
		if err := json.Unmarshal(data, figures); err != nil {
			return nil, fmt.Errorf("formula %s: %w", id, err)
		}
		all[id] = figures
	}
	return all, nil
}
