package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"benchlab": func() { os.Exit(mainCode()) },
	})
}

// TestScripts runs testdata/script/*.txt: what people type and what they see.
// UPDATE_SCRIPTS=1 writes expected outputs anew.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":    wantExit,
			"makerun":  makeRun,
			"endedrun": endedRun,
		},
	})
}

// wantExit runs a program and wants an exit code: exits 2 benchlab plan lab.
func wantExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program args")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = codeOf(err)
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

func codeOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}
