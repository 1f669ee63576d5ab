package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const twoPhases = `name: gate
target: {base_url: http://h}
defaults: {load: {requests: 10x}}
phases:
  - {name: a, kind: talk, concurrency: [1, 4], checks: {correct: [error_ratio == 0]}}
  - {name: a.b, kind: talk, concurrency: 1, checks: {correct: [error_ratio == 0]}}
`

func TestSet(t *testing.T) {
	o := options()
	o.Set = []string{
		"name=first",
		"name=gate-${NUMBER}", // later wins, and is expanded
		"target.model=0123",
		"target.headers.X-Run='5'",
		"target.timeouts.connect=3s",
		"phases.*.retries=1",
		"phases.a.concurrency=[2, 3, 5]",
		"phases.a.b.concurrency=8",
		"phases.a.b.body.chat_template_kwargs={enable_thinking: false}",
		"phases.1.load.mode=wave",
		"phases.a.load.requests=20",
		"phases.a.checks.correct.0=error_ratio < 0.1",
		"defaults.fail_fast=true",
	}
	s, list := loadText(twoPhases, o)
	if s == nil {
		t.Fatalf("does not load:\n%s", list)
	}
	if s.Name != "gate-42" || s.Target.Model.String() != "0123" || s.Target.Timeouts.Connect.Seconds() != 3 ||
		s.Target.Headers[0].Value.String() != "5" {
		t.Errorf("the top is not as set: %+v", s)
	}
	a, b := s.Phases[0], s.Phases[1]
	if diff := cmp.Diff([]int{2, 3, 5}, a.Concurrency); diff != "" {
		t.Errorf("levels of a (-want +got):\n%s", diff)
	}
	if a.Retries != 1 || b.Retries != 1 || !a.FailFast || !b.FailFast || a.Load.Sessions.N != 20 || a.Load.Mode != "closed" ||
		b.Concurrency[0] != 8 || b.Load.Mode != "wave" || string(b.Body[0].Value) != `{"enable_thinking":false}` {
		t.Errorf("the phases are not as set: %+v\n%+v", a, b)
	}
	if check := a.Checks.Correct[0].Expr; check.String() != "error_ratio < 0.1" || check.Pos().File != "--set phases.a.checks.correct.0" {
		t.Errorf("the check is %q at %v", check, check.Pos())
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"name", "--set name: this sets nothing"},
		{"=x", "--set : this sets nothing"},
		{"naem=x", `--set naem: unknown key "naem" (did you mean "name"?)`},
		{"phases.a.concurency=4", `--set phases.a.concurency: unknown key "concurency" (did you mean "concurrency"?)`},
		{"phases.a.load.reqests=4", `--set phases.a.load.reqests: unknown key "reqests" (did you mean "requests"?)`},
		{"phases.a.concurrency=[8, 2]", "--set phases.a.concurrency: level 2 stands after level 8, and levels are in ascending order"},
		{"phases.a.concurrency=010", "--set phases.a.concurrency: concurrency must be a whole number, or an ascending list of them; found 010, a number with a leading zero"},
		{"phases.a.concurrency=", "--set phases.a.concurrency: concurrency has no value"},
		{"phases.a.concurrency=# none", "--set phases.a.concurrency: concurrency has no value"},
		{"phases.c.retries=1", `--set phases.c.retries: there is no item called "c" (did you mean "a"?)`},
		{"phases.zzz.retries=1", `--set phases.zzz.retries: there is no item called "zzz"`},
		{"phases.2.retries=1", "--set phases.2.retries: there is no item 2: the list has 2, counted from 0"},
		{"phases.-1.retries=1", "--set phases.-1.retries: there is no item -1: the list has 2, counted from 0"},
		{"name.x=1", `--set name.x: the path goes on below name, and that is "gate"`},
		{"name=[1", "--set name: the value can't be read as YAML"},
		{"name=a\n---\nb", "--set name: the value can't be read as YAML"},
		{"name=\x00", "--set name: the value is not plain text: a NUL byte: this is not a text file"},
		{"name=!x y", "--set name: YAML takes !x for a tag, and drops it"},
		{"name=${UNSET}", "--set name: the variable UNSET is not set, and there is no default"},
		{"phases=5", "--set phases: phases must be a list; found 5"},
		{"phases.a=5", "--set phases.a: an item of phases must be a mapping; found 5"},
		{"phases.*.checks.correct=[true]", "--set phases.*.checks.correct: true is no expression: it would always say the same"},
		{"phases.a.gate=all(levels, # 5)", "--set phases.a.gate: YAML takes # and what follows for a comment: the expression is cut here"},
		{"production={concurency: 5}", `--set production: unknown key "concurency" (did you mean "concurrency"?)`},
		{"target.headers.Bad Name=SECRET456", `--set target.headers.Bad Name: the key "Bad Name" must be a header name: letters, digits and dashes`},
		{"target.headers.X-Y=[SECRET456]", "--set target.headers.X-Y: X-Y must be text on one line; found a list"},
		{"target.headers.X-Y=!x SECRET456", "--set target.headers.X-Y: YAML takes !x for a tag, and drops it"},
	} {
		o := options()
		o.Set = []string{c.set}
		s, list := loadText(twoPhases, o)
		if s != nil || len(list) != 1 || list[0].Error() != c.want {
			t.Errorf("--set %q:\n got %s\nwant %s", c.set, list, c.want)
		}
		if strings.Contains(list.String(), "SECRET") {
			t.Errorf("--set %q prints a secret:\n%s", c.set, list)
		}
	}
}
