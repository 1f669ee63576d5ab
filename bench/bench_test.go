package main

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"scenario/internal/chat"
	"scenario/internal/nullserver"
)

// TestMain lets the test binary play the roles that bench starts of itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && (os.Args[1] == roleServer || os.Args[1] == roleClient) {
		os.Exit(role(os.Args[1], os.Args[2], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestEveryKindOfCase makes small measurements of each kind: they must give finite
// figures, whatever these are.
func TestEveryKindOfCase(t *testing.T) {
	t.Setenv("GORACE", "atexit_sleep_ms=0") // with the race detector, each process would end a second later
	list := cases(true)
	if len(list) != 20 {
		t.Errorf("%d cases, want 20", len(list))
	}
	small := []measured{list[0]}
	for _, m := range list[1:] {
		m.Server.Events = min(m.Server.Events, 16)
		m.Server.Interval = min(m.Server.Interval, 2*time.Millisecond)
		m.Server.First = min(m.Server.First, 4*time.Millisecond)
		m.Streams = min(m.Streams, 8)
		m.Rate *= 10
		small = append(small, m)
	}
	r, err := measure(small, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if math.IsNaN(row.Value) || math.IsInf(row.Value, 0) || row.Value < 0 {
			t.Errorf("%s, %s: %v", row.Case, row.Name, row.Value)
		}
	}
	var out strings.Builder
	if err := r.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"arrival error p99", "ITL error p99", "TTFT error p99", "events per second and core", "events per read", "resident memory", "targets missed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table has no %s", want)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

func TestSpread(t *testing.T) {
	errors := make([]float64, 1001)
	for i := range errors {
		errors[i] = float64(1000-i) * 1e3
	}
	if got, want := spreadOf(errors), (spread{500, 990, 999}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := spreadOf(nil); got != (spread{}) {
		t.Errorf("of nothing: %v", got)
	}
}

func TestCPUIsThatOfTheStreams(t *testing.T) {
	reply := func(at ...chat.Stamp) *chat.Reply {
		r := new(chat.Reply)
		for _, a := range at {
			r.Events = append(r.Events, chat.Event{At: a})
		}
		return r
	}
	begin, end := streaming([]*chat.Reply{reply(15, 20, 30), reply(12, 25), reply(13, 44)})
	if begin != 12 || end != 44 {
		t.Errorf("the streams are from %d to %d, not from 12 to 44", begin, end)
	}
	looks := []look{{0, 5}, {10, 100}, {20, 105}, {40, 125}, {50, 130}, {60, 900}}
	for _, c := range []struct {
		begin, end chat.Stamp
		want       time.Duration
	}{{12, 44, 30}, {10, 40, 25}, {0, 100, 895}, {12, 13, 5}} {
		if got := between(looks, c.begin, c.end); got != c.want {
			t.Errorf("from %d to %d: %d, want %d", c.begin, c.end, got, c.want)
		}
	}
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		target target
		value  float64
		met    bool
	}{
		{target{Bound: 25}, 24, true},
		{target{Bound: 25}, 25, true},
		{target{Bound: 25}, 26, false},
		{target{Bound: 170, Least: true}, 171, true},
		{target{Bound: 170, Least: true}, 170, true},
		{target{Bound: 170, Least: true}, 169, false},
	} {
		if c.target.met(c.value) != c.met {
			t.Errorf("%v of %+v: met %v", c.value, c.target, !c.met)
		}
	}
}

func TestTargetsOfAnotherMachine(t *testing.T) {
	for _, c := range []struct{ target, want target }{
		{target{Bound: 25}, target{Bound: 25}},
		{target{Bound: 18, CPU: true}, target{Bound: 36, CPU: true}},
		{target{Bound: 170, Least: true, CPU: true}, target{Bound: 85, Least: true, CPU: true}},
	} {
		if got := c.target.on(2 * floorOfTargets); got != c.want {
			t.Errorf("%+v on a machine half as fast: %+v, want %+v", c.target, got, c.want)
		}
	}
}

func TestAReplyWithoutStampsIsAnError(t *testing.T) {
	l := load{Server: nullserver.Config{Events: 2}}
	if _, err := l.judge(nil, 0); err != nil {
		t.Errorf("no replies: %v", err)
	}
	if err := drive("{", io.Discard); err == nil {
		t.Error("broken orders are carried out")
	}
}
