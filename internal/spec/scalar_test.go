package spec

import "testing"

func TestResolve(t *testing.T) {
	for form, texts := range map[form][]string{
		nullForm:  {"", "~", "null", "Null", "NULL"},
		boolForm:  {"true", "True", "TRUE", "false", "False", "FALSE"},
		intForm:   {"0", "7", "-4", "+5", "1000000000000000000000000"},
		floatForm: {"1.5", "-0.5", ".5", "5.", "1e-3", "1.25E+1", "0.0", "4.0"},
		textForm: {
			"yes", "no", "on", "off", "y", "n", "nULL", "2024-01-01", "12:30:00", "5x", "2k", "1.2.3", "-", "+", ".", "1 2", "0x", "e3", "-a",
			"nan", "inf", "1,5", "127.0.0.1:8000",
		},
	} {
		for _, text := range texts {
			if got, odd := resolve(text); got != form || odd {
				t.Errorf("resolve(%q) = %d, odd %v; want %d", text, got, odd, form)
			}
		}
	}
}

func TestPlainly(t *testing.T) {
	for text, want := range map[string]string{
		"010": "write 10, or 8 if it is meant to be octal",
		"08":  "write 8", "007": "write 7", "00": "write 0", "-010": "write -10, or -8 if it is meant to be octal",
		"00.5": "write 0.5", "0o10": "write 8", "0O17": "write 15", "-0x1F": "write -31", "0b101": "write 5", "0x": "",
		"1_000": "write 1000", "1_0.5": "write 10.5", "1,000,000": "write 1000000", "12 000": "write 12000",
		"1e3": "write 1000", "-2.5E2": "write -250", "1e400": "", "1e20": "", ".inf": "", "-.INF": "", ".NaN": "",
		"0o8": "", "0xFFFFFFFFFFFFFFFFFF": "write 4722366482869645213695",
	} {
		form, odd := resolve(text)
		_, fix := plainly(text)
		if form != textForm || !odd && text != "0x" && text != "0o8" {
			t.Errorf("resolve(%q) = %d, odd %v; want odd text", text, form, odd)
		}
		if fix != want {
			t.Errorf("plainly(%q) says %q, want %q", text, fix, want)
		}
	}
}
