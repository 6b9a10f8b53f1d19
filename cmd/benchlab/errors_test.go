package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"benchlab/lab/spec"
)

func TestExitCodes(t *testing.T) {
	interrupted, cancel := context.WithCancelCause(context.Background())
	cancel(&signalError{os.Interrupt})
	terminated, cancel := context.WithCancelCause(context.Background())
	cancel(&signalError{syscall.SIGTERM})
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		want int
	}{
		{"nothing wrong", context.Background(), nil, 0},
		{"plain", context.Background(), errors.New("x"), 1},
		{"wrapped", context.Background(), fmt.Errorf("running: %w", coded(exitVoid, errors.New("x"))), 3},
		{"problems", context.Background(), fmt.Errorf("reading: %w", &spec.Problems{}), 2},
		{"interrupted", interrupted, interrupted.Err(), 130},
		{"interrupted, other error", interrupted, coded(exitVoid, errors.New("x")), 130},
		{"terminated", terminated, terminated.Err(), 143},
		{"done before the signal counted", interrupted, nil, 0},
	}
	for _, tt := range tests {
		if got := exitCode(tt.ctx, tt.err); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestSignalsEndTheContext(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		ctx, stop := withSignals(context.Background())
		if err := syscall.Kill(os.Getpid(), sig); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Second):
			t.Fatalf("%v did not end the context", sig)
		}
		if got := exitCode(ctx, ctx.Err()); got != want {
			t.Errorf("%v: exit code %d, want %d", sig, got, want)
		}
		stop()
	}
}

func TestPrintError(t *testing.T) {
	var b bytes.Buffer
	printError(&b, coded(exitUsage, errors.New("a \x1b[31mred\x1b[0m server\x07\nsays \u202etxet\xff\n"), "look\n at it"))
	want := "benchlab: a [31mred[0m server\nbenchlab: says txet?\nhint: look  at it\n"
	if got := b.String(); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// TestEveryHelpListsItsExitCodes: nobody should have to read code for them.
func TestEveryHelpListsItsExitCodes(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, inner := range cmd.Commands() {
			walk(inner)
		}
		if cmd.HasSubCommands() || cmd.Name() == "help" {
			return
		}
		if text := strings.ToLower(cmd.Long); !strings.Contains(text, "exit codes:") {
			t.Errorf("%s --help does not list exit codes", cmd.CommandPath())
		}
	}
	walk(rootCommand())
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b[31m\xff\u202e\tb\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := plain(s)
		if strings.ContainsAny(got, "\x1b\n\r\t\x07\u202e\u2066") {
			t.Errorf("plain(%q) = %q", s, got)
		}
		if again := plain(got); again != got {
			t.Errorf("plain(%q) = %q, then %q", s, got, again)
		}
	})
}

// What a process that failed ended with is not what the command ends with.
func TestOtherProcessesCodesAreNotOurs(t *testing.T) {
	err := exec.Command("sh", "-c", "exit 25").Run()
	if got := exitCode(t.Context(), fmt.Errorf("building: %w", err)); got != exitError {
		t.Errorf("exit code %d after %v, want %d", got, err, exitError)
	}
}
