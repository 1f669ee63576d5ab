package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"scenario": main})
}

// TestScripts runs the program as users do: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	scenarios, err := filepath.Abs("../../scenarios")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SCENARIOS", scenarios)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":  status,
			"json":    jsonValue,
			"holds":   holds,
			"private": private,
			"same":    same,
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}
