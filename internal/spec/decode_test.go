package spec

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// level is a type of a kind's own that reads itself.
type level int

func (l *level) UnmarshalText(text []byte) error {
	if string(text) == "max" {
		*l = -1
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return errors.New("a level is a number or max")
	}
	*l = level(n)
	return nil
}

type shared struct {
	Name string `yaml:"name"`
}

// config has a field of every sort that Decode reads.
type config struct {
	shared
	At       At
	Tokens   Tokens             `yaml:"tokens"`
	Count    Count              `yaml:"count"`
	Duration Duration           `yaml:"duration"`
	Wait     time.Duration      `yaml:"wait"`
	Text     Text               `yaml:"text"`
	Where    At                 `yaml:"where"`
	Missing  At                 `yaml:"missing"`
	Unset    Optional[float64]  `yaml:"unset"`
	Set      Optional[int64]    `yaml:"set"`
	Level    level              `yaml:"level"`
	Levels   []level            `yaml:"levels"`
	Bool     bool               `yaml:"bool"`
	Small    int8               `yaml:"small"`
	Unsigned uint64             `yaml:"unsigned"`
	Ratio    float64            `yaml:"ratio"`
	Pointer  *int               `yaml:"pointer"`
	Absent   *int               `yaml:"absent"`
	Inner    struct{ A, B int } `yaml:"-"`
	Deep     struct {
		Depths []Tokens `yaml:"depths"`
	} `yaml:"deep"`
	Map  map[string]Tokens `yaml:"map"`
	Free any               `yaml:"free"`
	_    int               `yaml:"ignored"`
}

// atIn is the value of v in a file that holds nothing else.
func atIn(t *testing.T, yaml string) At {
	t.Helper()
	f := newFaults()
	root := parse("a.yaml", []byte(yaml), "test", f)
	if root == nil || len(f.list) > 0 {
		t.Fatalf("%q: %v", yaml, f.list)
	}
	return At{node: root}.Key("v")
}

func TestDecode(t *testing.T) {
	at := atIn(t, `v:
  name: n
  tokens: 1.5k
  count: 5x
  duration: 1h30m
  wait: 250µs
  text: "t"
  where: [1, 2]
  unset: unset
  set: -3
  level: max
  levels: [1, max]
  bool: true
  small: -128
  unsigned: 18446744073709551615
  ratio: 2
  pointer: 4.0
  deep: {depths: 2k}
  map: {a: 1, b: 1k}
  free: {x: [1, 2.5, a, true, null]}
  ignored: 1
`)
	got := config{Ratio: 9, Absent: nil}
	if err := at.Decode(&got); err != nil {
		t.Fatal(err)
	}
	four := 4
	want := config{
		shared: shared{"n"}, At: at, Tokens: 1536, Count: Count{PerC: 5}, Duration: Duration(90 * time.Minute),
		Wait: 250 * time.Microsecond, Text: NewText("t"), Where: at.Key("where"), Missing: at.Key("missing"),
		Set: Optional[int64]{Value: -3, Set: true}, Level: -1, Levels: []level{1, -1}, Bool: true, Small: -128,
		Unsigned: 18446744073709551615, Ratio: 2, Pointer: &four,
		Map: map[string]Tokens{"a": 1, "b": 1024}, Free: map[string]any{"x": []any{int64(1), 2.5, "a", true, nil}},
	}
	want.Deep.Depths = []Tokens{2048}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(config{})); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
	if got.Missing.Exists() || got.Missing.Pos().Line != 2 {
		t.Errorf("a missing place: exists %v at %v, want the mapping's own", got.Missing.Exists(), got.Missing.Pos())
	}

	kept := config{Ratio: 9}
	if err := at.Key("nowhere").Decode(&kept); err != nil || kept.Ratio != 9 {
		t.Errorf("a value that does not exist: error %v, changed %v", err, kept.Ratio != 9)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ yaml, want string }{
		{"tokens: 0.3k", `a.yaml:2:11: tokens must be a whole number of tokens; found "0.3k"`},
		{"tokens: 2K", `a.yaml:2:11: tokens must be a number of tokens: 1000, or 2k for 2048; found "2K"`},
		{"tokens: -1", `a.yaml:2:11: tokens must not be negative; found -1`},
		{"tokens: 99999999999999", `a.yaml:2:11: tokens must be a number of tokens that some server can hold; found 99999999999999`},
		{"tokens: [1]", `a.yaml:2:11: tokens must be a number of tokens: 1000, or 2k for 2048; found a list`},
		{"count: 0x", `a.yaml:2:10: count must be a count: a whole number, 5x (5 times the concurrency) or auto; found "0x"`},
		{"count: 1.5", `a.yaml:2:10: count must be a count: a whole number, 5x (5 times the concurrency) or auto; found 1.5`},
		{"count: 99999999999999999999", `a.yaml:2:10: count must be a count: a whole number, 5x (5 times the concurrency) or auto; found 99999999999999999999`},
		{"wait: 10", `a.yaml:2:9: wait must be a duration with its unit: 500ms, 2.5s, 10m or 1h30m; found 10`},
		{"wait: 1s1h", `a.yaml:2:9: wait must be a duration with its unit: 500ms, 2.5s, 10m or 1h30m; found "1s1h"`},
		{"wait: 1ns", `a.yaml:2:9: wait must be a duration with its unit: 500ms, 2.5s, 10m or 1h30m; found "1ns"`},
		{"duration: 999999999h", `a.yaml:2:13: duration must be a duration of some years at most; found "999999999h"`},
		{"text: 5", `a.yaml:2:9: text must be text; found 5`},
		{"name: true", `a.yaml:2:9: name must be text; found true`},
		{"level: x", `a.yaml:2:10: a level is a number or max`},
		{"level: {}", `a.yaml:2:10: level must be a single value; found a mapping`},
		{"levels: [1, x]", `a.yaml:2:15: a level is a number or max`},
		{"bool: 1", `a.yaml:2:9: bool must be true or false; found 1`},
		{"small: 128", `a.yaml:2:10: small must be a smaller number; found 128`},
		{"small: 1.5", `a.yaml:2:10: small must be a whole number; found 1.5`},
		{"small: a", `a.yaml:2:10: small must be a number; found "a"`},
		{"unsigned: -1", `a.yaml:2:13: unsigned must be a whole number of 0 or more, and not as large as this; found -1`},
		{"ratio: '1'", `a.yaml:2:10: ratio must be a number; found "1"`},
		{"deep: 5", `a.yaml:2:9: deep must be a mapping; found 5`},
		{"map: [a]", `a.yaml:2:8: map must be a mapping; found a list`},
		{"tokns: 5", `a.yaml:2:3: unknown key "tokns" (did you mean "tokens"?)`},
	} {
		var got config
		err := atIn(t, "v:\n  "+c.yaml+"\n").Decode(&got)
		var faults *DecodeError
		if !errors.As(err, &faults) || len(faults.Faults) != 1 {
			t.Errorf("%s: got %v, want one fault", c.yaml, err)
		} else if err.Error() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.yaml, err, c.want)
		}
	}
	var got config
	err := atIn(t, "v: {small: a, ratio: b, deep: {depths: [1, x]}}\n").Decode(&got)
	var faults *DecodeError
	if !errors.As(err, &faults) || len(faults.Faults) != 3 {
		t.Errorf("three faults at once: got %v", err)
	}
}

func TestAt(t *testing.T) {
	at := atIn(t, "v:\n  a: [x, {b: 1}]\n  c: null\n")
	b := at.Key("a").Item(1).Key("b")
	for name, c := range map[string]struct {
		at        At
		exists    bool
		line, col int
	}{
		"a mapping":                 {at, true, 2, 3},
		"a list":                    {at.Key("a"), true, 2, 6},
		"an item":                   {at.Key("a").Item(0), true, 2, 7},
		"deep inside":               {b, true, 2, 14},
		"a missing key":             {at.Key("z"), false, 2, 3},
		"below a missing key":       {at.Key("z").Key("y").Item(3), false, 2, 3},
		"a missing item":            {at.Key("a").Item(2), false, 2, 6},
		"a key of a list":           {at.Key("a").Key("b"), false, 2, 6},
		"an item of a mapping":      {at.Item(0), false, 2, 3},
		"nothing":                   {At{}, false, 0, 0},
		"a key of nothing":          {At{}.Key("a"), false, 0, 0},
		"a missing key of a scalar": {b.Key("x"), false, 2, 14},
		"a key that holds null":     {at.Key("c"), true, 3, 6},
		"an item before the first":  {at.Key("a").Item(-1), false, 2, 6},
	} {
		if pos := c.at.Pos(); c.at.Exists() != c.exists || pos.Line != c.line || pos.Col != c.col {
			t.Errorf("%s: exists %v at %v, want %v at %d:%d", name, c.at.Exists(), pos, c.exists, c.line, c.col)
		}
	}
	if n := at.Key("a").Len(); n != 2 {
		t.Errorf("Len of a list of two is %d", n)
	}
	if n := at.Key("z").Len() + at.Len() + (At{}).Len(); n != 0 {
		t.Errorf("Len of what is no list is %d", n)
	}
	if text := at.Key("a").Item(0).Text().String() + at.Key("c").Text().String() + at.Key("z").Text().String(); text != "x" {
		t.Errorf("the texts are %q", text)
	}
	d := b.DiagnoseKey("m", "f")
	if d.Pos.Col != 11 || d.Width != 1 || !strings.Contains(d.Source, "{b: 1}") {
		t.Errorf("at the key: %+v", d)
	}
	if d := at.Key("a").Item(0).DiagnoseKey("m", "f"); d.Pos.Col != 7 {
		t.Errorf("an item has no key: %+v", d)
	}
	if !at.Equal(atIn(t, "# elsewhere\nv: {c: ~, a: ['x', {b: 1}]}\n")) || at.Equal(b) || !at.Key("z").Equal(At{}) {
		t.Error("Equal does not compare content")
	}
}
