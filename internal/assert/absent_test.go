package assert

import (
	"slices"
	"strings"
	"testing"
)

func TestAbsentVariablesSayWhy(t *testing.T) {
	scope := sampleScope().Without(map[string]string{"concurrency": "is not known here: levels have a rate"})
	for expr, want := range map[string]string{
		"concurrency > 1":               "concurrency is not known here: levels have a rate",
		"length > 1 and concurency > 1": "unknown name concurency",
	} {
		_, errs := Compile(expr, scope, Planned)
		if len(errs) != 1 || !strings.HasPrefix(errs[0].Message, want) {
			t.Errorf("%s: %v, want %q", expr, errs, want)
		}
	}
	if slices.ContainsFunc(scope.Vars(), func(v Var) bool { return v.Path == "concurrency" }) || slices.Contains(scope.planned(), "concurrency") || slices.Contains(scope.candidates(), "concurrency") {
		t.Error("the absent variable is listed")
	}
	if _, errs := Compile("concurrency > 1", sampleScope(), Planned); len(errs) > 0 {
		t.Errorf("the scope it was taken out of has lost it: %v", errs)
	}
}
